"""Solve 6x6 Othello: make the file from which the agent `perfect` reads its moves at the beginning of a game.

    python scripts/make/solve_6x6.py agents/othello_agents/weights/perfect_6x6.npz --processes 2

The file has moves for both players. At each turn, a player that follows the file finds a best move there, whatever the
other player has played. Positions with at most --down-to empty squares are left out. The script solves positions in the
order of play, because the best move in a position decides which positions can follow. Of positions that are mirror
images of each other, only one is solved.

The script writes the file about once a minute and at the end, also after Ctrl-C. The agent can also use an unfinished
file. If the file exists, the script solves only the positions that are missing. So a first run with --down-to 24 and a
second run with --down-to 22 solve the same positions as one run with --down-to 22.
"""

import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import tyro

from othello_agents.perfect.book import Book
from othello_agents.perfect.solving import Solver
from othello_env import Othello

SAVE_SECONDS = 60
EXPECTED = -4
"""A guess of Black's score with perfect play. A wrong guess only makes the first searches take longer."""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    file: tyro.conf.Positional[Path]  # the file of the solution, .npz
    down_to: int = 22  # positions with this number of empty squares or fewer are not solved
    processes: int = 2  # processes that solve positions at the same time
    megabytes: int = 2048  # the MiB of memory in each process for positions already searched


@dataclass(frozen=True)
class Task:
    """A position to solve, and a guess of its score for the player to move."""

    state: Othello
    guess: int

    @property
    def empty(self) -> int:
        return self.state.empties


def after_passes(state: Othello) -> tuple[Othello, int]:
    """If the player must pass, return the position after the pass, and -1. Otherwise return `state` and 1.

    The number is a sign: the score of the returned position times this sign is the score of `state`.
    """
    return (state.play(state.pass_action), -1) if state.must_pass else (state, 1)


def positions_to_move(state: Othello, follower: int) -> Iterator[Othello]:
    """Yield the positions that can follow from `state`, and in which the player `follower` makes its next move.

    If the other player moves before that, all of its moves are tried.
    """
    if state.is_over:
        return
    if state.must_pass:
        yield from positions_to_move(state.play(state.pass_action), follower)
    elif state.to_move == follower:
        yield state
    else:
        for action in state.legal_actions():
            yield from positions_to_move(state.play(action), follower)


@dataclass
class Tree:
    """The positions that the file must have.

    The follower is the player that follows the file. The other player makes any moves.

    Attributes:
        book: the positions solved so far.
        down_to: positions with this number of empty squares or fewer are not needed.
        seen: the keys of the positions that `tasks` has already visited. `Run.begin` empties this set when the other
            side becomes the follower.
    """

    book: Book
    down_to: int
    seen: set[tuple[int, int]] = field(default_factory=set)

    def tasks(self, state: Othello, follower: int, guess: int) -> list[Task]:
        """The unsolved positions that can follow from `state`. `guess` estimates the follower's score in `state`."""
        found: list[Task] = []
        todo = [(each, guess) for each in positions_to_move(state, follower)]
        while todo:
            each, expected = todo.pop()
            key = self.book.key(each)
            if Task(each, expected).empty <= self.down_to or key in self.seen:
                continue
            self.seen.add(key)
            known = self.book.find(each) or self._derive(each)
            if known is None:
                found.append(Task(each, expected))
                continue
            score, action = known
            todo += [(below, score) for below in positions_to_move(each.play(action), follower)]
        return found

    def _derive(self, state: Othello) -> tuple[int, int] | None:
        """Solve a position without a search, from the scores of the positions that its moves lead to.

        Return the score for the player to move, and a best action. Return None if one of these scores is not known yet.
        """
        scores: dict[int, int] = {}
        for action in state.legal_actions():
            after, sign = after_passes(state.play(action))
            known = self.book.find(after)
            if known is None:
                return None
            scores[action] = -sign * known[0]
        best = max(scores, key=lambda action: scores[action])
        self.book.add(state, scores[best], best)
        return scores[best], best


def work(tasks: Connection, megabytes: int) -> None:
    """Solve the tasks that come through a connection.

    This goes on until the main process ends, or until it terminates this process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # after Ctrl-C, the main process saves the book and ends this process
    solver = Solver(megabytes)
    with suppress(EOFError, OSError):  # the main process has ended
        while True:
            task = tasks.recv()
            began = time.perf_counter()
            score, action = solver.solve(task.state, guess=task.guess)
            tasks.send((task, score, action, solver.nodes, time.perf_counter() - began))


class Run:
    """Solves, in several processes, the positions that the book needs, and saves the book about once a minute.

    The positions that the book needs for Black's play come first, then those for White's play. Each process has a stack
    of tasks.
    """

    def __init__(self, args: Args, book: Book) -> None:
        self.args = args
        self.tree = Tree(book, args.down_to)
        self.stacks: list[list[tuple[Task, int]]] = [[] for _ in range(args.processes)]
        self.solved = 0
        self.saved = self.began = time.monotonic()

    @property
    def waiting(self) -> int:
        """The number of tasks that wait in the stacks."""
        return sum(map(len, self.stacks))

    def run(self) -> None:
        """Solve all positions that the file must have: first with Black as the follower, then with White."""
        context = multiprocessing.get_context("spawn")
        workers: list[tuple[Any, Connection]] = []
        try:
            for _ in range(self.args.processes):
                ours, theirs = context.Pipe()
                worker = context.Process(target=work, args=(theirs, self.args.megabytes), daemon=True)
                worker.start()
                theirs.close()  # then `ours` reports the end of the process
                workers.append((worker, ours))
            connections = [connection for _, connection in workers]
            start = Othello(6)
            first = start.play(start.legal_actions()[0])  # the other first moves are mirror images of this move
            self.begin(first, follower=0, guess=EXPECTED)
            self.work_off(connections)
            self.begin(start, follower=1, guess=-EXPECTED)
            # The score after Black's first move is known now, so this call adds the start to the book.
            self.tree.tasks(start, 0, EXPECTED)
            self.work_off(connections)
        finally:
            self.save()
            for worker, _ in workers:
                worker.terminate()

    def begin(self, state: Othello, follower: int, guess: int) -> None:
        """Begin with a follower: put the unsolved positions that can follow from `state` on the stacks, in turn."""
        self.tree.seen.clear()
        for place, task in enumerate(self.tree.tasks(state, follower, guess)):
            self.stacks[place % len(self.stacks)].append((task, follower))

    def work_off(self, connections: list[Connection]) -> None:
        """Let the processes solve the tasks in the stacks, and all tasks that `take` adds, until none is left."""
        busy: dict[Connection, int] = {}
        idle = list(enumerate(connections))
        while self.waiting or busy:
            while idle and self.waiting:
                place, connection = idle.pop()
                task, follower = self.next_task(place)
                with suppress(OSError):  # if the process has ended, `recv` will notice it
                    connection.send(task)
                busy[connection] = follower
            for connection in wait([*busy]):
                assert isinstance(connection, Connection)
                try:
                    task, score, action, nodes, seconds = connection.recv()
                except (EOFError, OSError):
                    sys.exit("a process ended early, perhaps for lack of memory; see --megabytes")
                place = connections.index(connection)
                self.take(task, score, action, place, busy.pop(connection))
                self.show(task, score, nodes, seconds)
                idle.append((place, connection))

    def next_task(self, place: int) -> tuple[Task, int]:
        """Take the next task for the process with the number `place`.

        If the process's own stack has tasks, take the last one: the process has just searched similar positions, and
        its transposition table still holds their scores. Otherwise take the first task of the longest stack, because
        more positions can follow from this task than from later tasks.
        """
        if self.stacks[place]:
            return self.stacks[place].pop()
        return max(self.stacks, key=len).pop(0)

    def take(self, task: Task, score: int, action: int, place: int, follower: int) -> None:
        """Store the result of a task, and add the unsolved positions that can follow from its best move."""
        self.tree.book.add(task.state, score, action)
        self.solved += 1
        below = self.tree.tasks(task.state.play(action), follower, score)
        self.stacks[place] += [(each, follower) for each in below]
        if time.monotonic() > self.saved + SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Write the file."""
        self.tree.book.save(self.args.file, coverage(self.tree.book))
        self.saved = time.monotonic()

    def show(self, task: Task, score: int, nodes: int, seconds: float) -> None:
        """Print a line about a solved position."""
        passed = time.monotonic() - self.began
        print(
            f"{passed:7.0f} s  {self.solved:6,} solved  {self.waiting:5,} waiting  {task.empty} empty: {score:+d} in "
            f"{seconds:.1f} s, {nodes / 1e6:,.1f} M positions",
            flush=True,
        )


def coverage(book: Book) -> dict[str, int]:
    """How far the book reaches: for each player, a number of empty squares.

    As long as more squares than this number are empty, the book has a move for a player that has followed it from the
    start. A player whose first moves are missing in the book is left out.
    """
    covered = {}
    for follower, name in enumerate(Othello.player_names):
        seen, todo, missing = set(), list(positions_to_move(Othello(6), follower)), 0
        while todo:
            state = todo.pop()
            key, empty = book.key(state), state.empties
            if key in seen or empty <= missing:
                continue
            seen.add(key)
            known = book.find(state)
            if known is None:
                missing = empty
            else:
                todo += positions_to_move(state.play(known[1]), follower)
        if missing < 31:
            covered[name] = missing
    return covered


def main(args: Args) -> None:
    try:
        book = Book.load(args.file) if args.file.exists() else Book()
        book.save(args.file)  # if the file cannot be written, the error comes now, before the long work
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    run = Run(args, book)
    try:
        run.run()
    except KeyboardInterrupt:
        print(f"interrupted; the same command continues {args.file}", file=sys.stderr)
        sys.exit(130)
    found = book.find(Othello(6))
    result = "" if found is None else f"; Black's score with perfect play: {found[0]:+d}"
    print(f"{len(book):,} positions in {args.file}{result}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
