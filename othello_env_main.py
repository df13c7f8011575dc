"""The console script ``othello-env``. When it is interrupted, it ends with status 130 and prints at most one line.

Importing the package takes a second, and an interrupt may arrive in this time. So this module is outside the package,
and it imports almost nothing before it handles interrupts.

Python cannot pass on a KeyboardInterrupt that is raised in a destructor or in a callback of a C library. This module
calls such an interrupt lost, and raises it again.
"""

# Import nothing slow here: an interrupt that arrives before `main` begins prints a traceback.
import _thread
import atexit
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType

__all__ = ["main"]

_INTERRUPTED = 130
_AGAIN_SECONDS = 0.01
_PATIENCE_SECONDS = 5.0
_COMPILER = ("numba.", "llvmlite.")
_RETURNS = "_numba_unpickle"  # Numba calls this function when a kernel (a compiled function) returns arrays


def main() -> None:
    """Run the command; see `othello_env.cli.main`."""
    _open_closed_streams()
    # If the process already ignores or handles interrupts, change nothing. For example, a shell can start a background
    # command with interrupts ignored.
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        from othello_env.cli import main as run

        run()
    signal.signal(signal.SIGINT, _end_with_a_line)
    # At exit, after all other callbacks, ignore interrupts, so that they cannot change the exit status.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    from othello_env.cli import main as run

    sys.excepthook = _end_if_interrupted
    sys.unraisablehook = _raise_again
    _command.append(run.__code__)
    signal.signal(signal.SIGINT, _interrupt)
    try:
        run(is_interrupted=lambda: bool(_lost or _waiting))  # raises SystemExit
    finally:
        _flush()


_command: "list[CodeType]" = []  # the code of the command's function, which `_raise_or_wait` looks for on the stack
_interrupted: list[float] = []  # the time of each interrupt
_handling: list[bool] = []  # not empty while `_interrupt` handles an interrupt
_lost: list[bool] = []  # one entry for each lost interrupt
_waiting: list[bool] = []  # not empty after `_interrupt_again` was called, until the interrupt arrives


def _interrupt(_: int, frame: "FrameType | None") -> None:
    """Handle an interrupt: raise KeyboardInterrupt if the command is running, else end the process.

    Before and after the command, nothing would catch a KeyboardInterrupt. While Numba compiles or loads code, a
    KeyboardInterrupt could be lost, or it could crash the process. So the interrupt waits until Numba has finished, but
    only for a few seconds.

    The interrupt does not wait while Numba makes the arrays that a kernel (a compiled function) returns. An interrupt
    during the kernel arrives at this point, and it would often have to wait until the next kernel runs. If Numba then
    raises an error, `othello_env.support.jit.raise_interrupt` handles this error.
    """
    _interrupted.append(time.monotonic())
    if _handling:
        return  # an earlier call of this function is still running; it handles both interrupts
    _handling.append(True)
    try:
        _raise_or_wait(frame)
    finally:
        _handling.clear()


def _raise_or_wait(frame: "FrameType | None") -> None:
    _waiting.clear()
    may_wait = False
    while frame is not None:
        if frame.f_code is _raise_again.__code__:
            return  # `_raise_again` sees that `_interrupted` has grown, and raises the interrupt later
        if frame.f_code in _command:
            if may_wait and time.monotonic() - _interrupted[0] < _PATIENCE_SECONDS:
                _interrupt_again()
                return
            raise KeyboardInterrupt
        is_compiler = frame.f_globals.get("__name__", "").startswith(_COMPILER)
        may_wait = may_wait or (is_compiler and frame.f_code.co_name != _RETURNS)
        frame = frame.f_back
    os._exit(_INTERRUPTED)


def _open_closed_streams() -> None:
    """Open the null device for each closed standard stream. Otherwise a file could get the stream's file descriptor."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - this module imports almost nothing


def _end_with_a_line(*_: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # otherwise a second interrupt would write the line again
    os.write(2, b"othello-env: interrupted\n")
    os._exit(_INTERRUPTED)


def _flush() -> None:
    import contextlib

    with contextlib.suppress(OSError, ValueError):  # standard output may be closed, or nobody reads it any more
        sys.stdout.flush()


def _end_if_interrupted(kind: type[BaseException], error: BaseException, traceback: "TracebackType | None") -> None:
    """Handle an uncaught error: print it, or end the process if the command was interrupted."""
    if _interrupted:
        os._exit(_INTERRUPTED)
    sys.__excepthook__(kind, error, traceback)


def _raise_again(lost: "sys.UnraisableHookArgs") -> None:
    """Handle an error that Python cannot raise where it happened. If it is an interrupt, raise it again a moment later.

    After an interrupt, this function does not print other errors. The interrupt caused these errors, because it left
    some objects incomplete.
    """
    before = len(_interrupted)
    is_interrupt = issubclass(lost.exc_type, KeyboardInterrupt)
    if is_interrupt:
        _lost.append(True)
    elif not _interrupted:
        sys.__unraisablehook__(lost)
    if is_interrupt or len(_interrupted) > before:
        _interrupt_again()


def _interrupt_again() -> None:
    """Interrupt the command a moment later."""
    if not _waiting:
        _waiting.append(True)
        # Do not use threading.Timer here: the interrupted code may hold a lock that Timer needs.
        _thread.start_new_thread(_interrupt_main_thread, ())


def _interrupt_main_thread() -> None:
    time.sleep(_AGAIN_SECONDS)
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        import threading

        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # this also wakes a sleeping thread
