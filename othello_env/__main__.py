"""``python -m othello_env`` is the command ``othello-env``."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command. Ctrl-C ends it with one line also while its modules are imported."""
    try:
        from othello_env import cli
    except KeyboardInterrupt:
        sys.stderr.write("othello-env: interrupted\n")
        sys.exit(130)
    cli.main()


if __name__ == "__main__":
    main()
