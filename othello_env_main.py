"""The console script ``othello-env``. When it is interrupted, it ends with status 130 and prints at most one line.

Importing the package takes a second, and an interrupt may arrive in this time. So this module is outside the package,
and it imports almost nothing before it handles interrupts.

If a KeyboardInterrupt is raised in a destructor, or in a Python function that a C library calls, Python cannot pass it
on to the command. This module calls such an interrupt lost, and raises it again.
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
    # If interrupts do not have their usual effect, run the command without a handler for them. For example, a shell can
    # start a background command in such a way that it ignores interrupts.
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        from othello_env.cli import main as run

        run()
    signal.signal(signal.SIGINT, _end_with_a_line)
    # At exit, Python calls this callback last, because it is registered first. Interrupts are ignored after it, so they
    # cannot change the exit status.
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


_command: "list[CodeType]" = []  # the code of `othello_env.cli.main`, which is on the stack while the command runs
_interrupted: list[float] = []  # the time of each interrupt
_handling: list[bool] = []  # not empty while `_interrupt` handles an interrupt
_lost: list[bool] = []  # one entry for each lost interrupt
_waiting: list[object] = []  # has one entry from a call of `_interrupt_again` until its interrupt arrives


def _interrupt(_: int, frame: "FrameType | None") -> None:
    """Handle an interrupt: while the command runs, raise KeyboardInterrupt; before and after it, end the process.

    Before and after the command, nothing would catch a KeyboardInterrupt. While Numba compiles or loads code, a
    KeyboardInterrupt could be lost, or it could crash the process. So the interrupt waits until Numba has finished, but
    only for a few seconds.

    There is one exception. If an interrupt arrives while a kernel (a compiled function) runs, Python handles it
    after the kernel has run, while Numba turns the kernel's results into Python objects. There the interrupt does not
    wait: it would come again during the next kernel, and would have to wait again. If this interrupt causes an error in
    Numba, `othello_env.support.jit.raise_interrupt` handles the error.
    """
    _interrupted.append(time.monotonic())
    if _handling:
        return  # an earlier call of this function is still running: it raises an interrupt, or one comes again later
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
            return  # `_raise_again` sees that `_interrupted` has a new entry, and raises the interrupt later
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

    Any other error is printed, unless there was an interrupt before. An interrupt leaves some objects incomplete, and
    so causes errors that nobody needs to see.
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
        mark = object()
        _waiting.append(mark)
        # Do not use threading.Timer here: the interrupted code may hold a lock that Timer needs.
        _thread.start_new_thread(_interrupt_main_thread, (mark,))


def _interrupt_main_thread(mark: object) -> None:
    """Interrupt the main thread, and repeat this until the interrupt has arrived.

    One interrupt may not be enough: `_interrupt` only notes it if an earlier call of `_interrupt` is still running.
    """
    seconds = _AGAIN_SECONDS
    time.sleep(seconds)
    while True:
        if sys.platform == "win32":
            signal.raise_signal(signal.SIGINT)
        else:
            import threading

            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # also wakes a sleeping main thread
        seconds *= 2  # a slow handler must have time to end before the next interrupt
        time.sleep(seconds)
        if mark not in _waiting:
            return
