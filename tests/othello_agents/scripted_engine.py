"""A small engine that speaks GTP and misbehaves on demand: ``scripted_engine.py honest|hang|die|...``.

It knows no rules. It answers with the moves that follow the behaviour on its command line, one after the other. With
``clock``, each move follows the commands about time that must come before it, joined by "; ". The other behaviours know
no such commands. In the folder named by the variable ``SCRIPTED_ENGINES``, it leaves a file named by its process id.
"""

import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

FLOODS = {  # answers that never end: {behaviour: (beginning, repeated text)}
    "chatter": ("", "info\n"),
    "drip": ("", "info\n"),
    "essay": ("= d6\n", "and so on\n"),
    "endless": ("= d6", " d6"),
}


def say(text, stream=sys.stdout):
    stream.write(text + "\n")
    stream.flush()


def flood(behaviour):
    begin, more = FLOODS[behaviour]
    sys.stdout.write(begin)
    for _ in itertools.count():
        sys.stdout.write(more if behaviour == "drip" else more * 1000)
        sys.stdout.flush()
        time.sleep(0.05 * (behaviour == "drip"))


def sign(pid):
    if "SCRIPTED_ENGINES" in os.environ:
        (Path(os.environ["SCRIPTED_ENGINES"]) / str(pid)).touch()


def main():
    behaviour, *moves = sys.argv[1:]
    sign(os.getpid())
    say("scripted engine ready", sys.stderr)
    if behaviour == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        sign(child.pid)
        behaviour = "hang"
    clock = []
    for line in sys.stdin:
        words = line.split()
        if words[0].startswith("time_"):
            clock.append(line.strip())
        if words[0] == "list_commands" and behaviour == "clock":
            say("= genmove\nlist_commands\nplay\ntime_left\ntime_settings\n")
            continue
        if words[0] == "quit" and behaviour != "deaf":
            break
        if words[0] != "genmove":
            if behaviour == "refuse" and words[0] == "play":
                say("? illegal move\n")
            else:
                if behaviour == "slow":
                    time.sleep(0.5)
                say("=\n")
            continue
        if behaviour in ("hang", "deaf") or (behaviour == "stall" and not moves):
            time.sleep(600)
        if behaviour in FLOODS:
            flood(behaviour)
        if behaviour in ("die", "complain"):
            say(1_000_000 * "oh! " * (behaviour == "complain") + "out of luck", sys.stderr)
            sys.exit(3)
        if behaviour == "shout":
            moves = ["\x1b[2J" + 50_000 * "A"]
        if behaviour == "noise":
            say("thinking...")
        if clock != (moves.pop(0).split("; ") if behaviour == "clock" else []):
            say(f"? I was told {clock}\n")
            continue
        clock.clear()
        say(f"= {moves.pop(0)}\n")
        if behaviour == "babble":
            flood("chatter")


if __name__ == "__main__":
    main()
