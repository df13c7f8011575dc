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
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

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
        seen: the keys of the positions that `tasks` has already visited with this follower.
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


_solvers: list[Solver] = []
"""In a process that solves: its solver."""


def begin_process(megabytes: int) -> None:
    _solvers.append(Solver(megabytes))


def solve(task: Task) -> tuple[int, int, int, float]:
    """In another process: the score, a best action, the number of positions searched, and the seconds."""
    (solver,), began = _solvers, time.perf_counter()
    score, action = solver.solve(task.state, guess=task.guess)
    return score, action, solver.nodes, time.perf_counter() - began


def work_off(tree: Tree, tasks: list[Task], follower: int, pool: ProcessPoolExecutor, args: Args) -> None:
    """Let the processes solve the tasks, and all that follow from their best moves, until none is left.

    The last task comes first: a process that has just solved a position goes on with one that follows from it, of which
    its transposition table knows much.
    """
    busy: dict[Future[tuple[int, int, int, float]], Task] = {}
    saved = time.monotonic()
    while tasks or busy:
        while tasks and len(busy) < args.processes:
            task = tasks.pop()
            busy[pool.submit(solve, task)] = task
        for done in wait(busy, return_when=FIRST_COMPLETED).done:
            task, (score, action, nodes, seconds) = busy.pop(done), done.result()
            tree.book.add(task.state, score, action)
            tasks += tree.tasks(task.state.play(action), follower, score)
            print(
                f"{len(tree.book):,} solved, {len(tasks):,} waiting, {task.empty} empty: {score:+d} in {seconds:.1f} s",
                f"{nodes / 1e6:,.1f} M positions",
                sep=", ",
                flush=True,
            )
        if time.monotonic() > saved + SAVE_SECONDS:
            tree.book.save(args.file, coverage(tree.book))
            saved = time.monotonic()


def solve_all(book: Book, args: Args) -> None:
    """Solve all positions that the file must have: first with Black as the follower, then with White."""
    start = Othello(6)
    first = start.play(start.legal_actions()[0])  # the other first moves are mirror images of this move
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(args.processes, spawn, begin_process, (args.megabytes,)) as pool:
        try:
            black, white = Tree(book, args.down_to), Tree(book, args.down_to)
            work_off(black, black.tasks(first, 0, EXPECTED), 0, pool, args)
            tasks = white.tasks(start, 1, -EXPECTED)
            # The score after Black's first move is known now, so this call adds the start to the book.
            black.tasks(start, 0, EXPECTED)
            work_off(white, tasks, 1, pool, args)
        finally:
            book.save(args.file, coverage(book))


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
    try:
        solve_all(book, args)
    except BrokenProcessPool:
        sys.exit("a process ended early, perhaps for lack of memory; see --megabytes")
    except KeyboardInterrupt:
        print(f"interrupted; the same command continues {args.file}", file=sys.stderr)
        sys.exit(130)
    found = book.find(Othello(6))
    result = "" if found is None else f"; Black's score with perfect play: {found[0]:+d}"
    print(f"{len(book):,} positions in {args.file}{result}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
