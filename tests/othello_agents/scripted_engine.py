"""A small engine that speaks GTP and misbehaves as told: ``scripted_engine.py honest|hang|die|...``.

It knows no rules: it answers with the moves that are given after the behaviour, one after the other. As ``clock`` each
move comes after the commands about time that must precede it, joined by "; "; otherwise it knows no such commands.
"""

import subprocess
import sys
import time


def say(text, stream=sys.stdout):
    stream.write(text + "\n")
    stream.flush()


def main():
    behaviour, *moves = sys.argv[1:]
    say("scripted engine ready", sys.stderr)
    if behaviour == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        say(f"child {child.pid}", sys.stderr)
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
                say("=\n")
            continue
        if behaviour in ("hang", "deaf"):
            time.sleep(600)
        if behaviour == "die":
            say("out of luck", sys.stderr)
            sys.exit(3)
        if behaviour == "noise":
            say("thinking...")
        if clock != (moves.pop(0).split("; ") if behaviour == "clock" else []):
            say(f"? I was told {clock}\n")
            continue
        clock.clear()
        say(f"= {moves.pop(0)}\n")


if __name__ == "__main__":
    main()
