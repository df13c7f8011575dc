"""A small engine that misbehaves on demand: ``scripted_engine.py [nboard] honest|hang|die|... [MOVE ...]``.

It speaks GTP or NBoard's protocol. It does not know the rules of the game. It answers with the moves on its command
line, one after the other; with the behaviour ``hang`` it hangs after them. With the behaviour ``told``, each MOVE has
an argument in front of it: the commands that the engine expects before it is asked for this move, joined by "; ". In
GTP, the argument has only the commands about time. In NBoard's protocol, it has only the commands about the game. A GTP
engine can be asked for a list of the commands that it knows. With the behaviour ``told``, this list has commands about
time. Otherwise the list is empty. The engine leaves a file in the folder that the variable ``SCRIPTED_ENGINES`` names.
The file's name is the engine's process id.
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
    "endless": ("= d6", " d6"),
}


class Gtp:
    """GTP. The engine notes the commands that begin with `noted`. The command `question` asks for a move."""

    noted = "time_"
    question = "genmove"

    def acknowledge(self, words, behaviour):
        if words[0] == "list_commands" and behaviour == "told":
            say("= genmove\nlist_commands\nplay\ntime_left\ntime_settings\n")
        elif behaviour == "refuse" and words[0] == "play":
            say("? illegal move\n")
        else:
            say("=\n")

    def move(self, move):
        say(f"= {move}\n")


class NBoard:
    noted = ("set game", "move")
    question = "go"

    def acknowledge(self, words, behaviour):
        if words[0] == "ping":
            if behaviour == "noise":
                say("pong 77\nnodestats 35805 0.00\n\nsearch d6 0 0 1")
            say(f"pong {words[1]}")

    def move(self, move):
        say(f"status thinking\n=== {move}\nstatus")


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
    arguments = sys.argv[1:]
    protocol = NBoard() if arguments[0] == "nboard" else Gtp()
    behaviour, *moves = arguments[1:] if arguments[0] == "nboard" else arguments
    sign(os.getpid())
    say("scripted engine ready", sys.stderr)
    if behaviour == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        sign(child.pid)
        behaviour = "hang"
    told = []
    for line in sys.stdin:
        words = line.split()
        if line.startswith(protocol.noted):
            told.append(line.strip())
        if words[0] == "quit" and behaviour != "deaf":
            break
        if behaviour == "mute":
            continue
        if words[0] != protocol.question:
            protocol.acknowledge(words, behaviour)
            continue
        if behaviour in ("hang", "deaf") and not moves:
            time.sleep(600)
        if behaviour in FLOODS:
            flood(behaviour)
        if behaviour == "die":
            say("out of luck", sys.stderr)
            sys.exit(3)
        if behaviour == "noise":
            say("thinking...")
        if told != (moves.pop(0).split("; ") if behaviour == "told" else []) and (
            behaviour == "told" or isinstance(protocol, Gtp)
        ):
            protocol.move(f"I-was-told-{told}".replace(" ", "_"))
            continue
        told.clear()
        protocol.move(moves.pop(0))


if __name__ == "__main__":
    main()
