"""``python -m othello_env`` is the command ``othello-env``."""

from othello_env_main import main

main()
