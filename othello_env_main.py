"""The console script ``othello-env``. When interrupted, it ends with status 130 and prints at most one line.

Importing the command takes a second. So this module lies outside the package and imports almost nothing. Python loses
a KeyboardInterrupt that is raised in a destructor or in a callback of a C library; this module raises it again.
"""

# Import nothing slow here: until `main` begins, an interrupt ends in a traceback.
import atexit
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["main"]

_INTERRUPTED = 130
_AGAIN_SECONDS = 0.01


def main() -> None:
    """Run the command; see `othello_env.cli.main`."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # such as in the background of a shell
        from othello_env.cli import main as run

        run()
    signal.signal(signal.SIGINT, _end_with_a_line)
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # runs last: the process ends with its status
    from othello_env.cli import main as run

    sys.excepthook = _end_if_interrupted
    sys.unraisablehook = _raise_again
    try:
        signal.signal(signal.SIGINT, _interrupt)
        run(is_interrupted=lambda: bool(_lost))  # raises SystemExit
    finally:
        _end_silently_when_interrupted()


_interrupted: list[bool] = []
_lost: list[bool] = []


def _interrupt(*_: object) -> None:
    _interrupted.append(True)
    raise KeyboardInterrupt


def _end_with_a_line(*_: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # so that a second interrupt does not write the line again
    os.write(2, b"othello-env: interrupted\n")
    os._exit(_INTERRUPTED)


def _end_silently_when_interrupted() -> None:
    """Make any later interrupt end the process silently: the command has printed all its output."""
    import contextlib

    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))


def _end_if_interrupted(kind: type[BaseException], error: BaseException, traceback: "TracebackType | None") -> None:
    """Handle an uncaught error. It can be an interrupt that arrived between two lines of `main`."""
    if issubclass(kind, KeyboardInterrupt):
        _end_silently_when_interrupted()
        os._exit(_INTERRUPTED)
    sys.__excepthook__(kind, error, traceback)


def _raise_again(lost: "sys.UnraisableHookArgs") -> None:
    """Handle an error that Python cannot raise where it happened. An interrupt is raised again a moment later.

    After an interrupt other errors are not reported: they come from objects that it left half made.
    """
    if issubclass(lost.exc_type, KeyboardInterrupt):
        import threading

        _lost.append(True)
        threading.Timer(_AGAIN_SECONDS, _interrupt_main_thread).start()
    elif not _interrupted:
        sys.__unraisablehook__(lost)


def _interrupt_main_thread() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        import threading

        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # wakes a sleeping thread too
