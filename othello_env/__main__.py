"""``python -m othello_env`` is the command ``othello-env``."""

from othello_env.cli import main

main()
