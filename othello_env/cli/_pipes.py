"""Functions for commands that another program starts and talks to over pipes."""

import io
import os
import select
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import click

__all__ = ["input_lines", "lines_of_reader"]

_LONGEST_LINE = 1 << 16  # characters
_LOOK_SECONDS = 1.0  # the time between two checks: does the other program still read the answers?


def input_lines() -> Iterator[str]:
    """Yield the lines of standard input.

    In the input and the output, characters that cannot be decoded or encoded are replaced. They raise no error.

    Raises:
        click.ClickException: a line is too long.
    """
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    while line := sys.stdin.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise click.ClickException(f"a command has at most {_LONGEST_LINE - 1:,} characters")
        yield line


@contextmanager
def lines_of_reader() -> Iterator[Iterator[str]]:
    """Yield `input_lines()`. As soon as nobody reads the answers any more, end this process, even during a search.

    On Windows, a process cannot detect that nobody reads its answers. There, the process ends only when its input ends.
    """
    if sys.platform == "win32":
        yield input_lines()
        return
    poller = select.poll()
    poller.register(1, 0)  # 1: standard output; 0: report only errors, such as a pipe that nobody reads
    is_done = threading.Event()

    def watch() -> None:
        while not is_done.wait(_LOOK_SECONDS):
            if any(event & (select.POLLERR | select.POLLHUP) for _, event in poller.poll(0)):
                os._exit(2)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield input_lines()
    finally:
        is_done.set()
