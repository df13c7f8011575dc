"""The engine as an agent: it plays, analyses positions and solves endgames."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_agents.engine.analysis import Analysis, Line, to_discs, to_unit, to_unit_of_best
from othello_agents.engine.evaluator import (
    LOGIT,
    NETWORK,
    Evaluator,
    network_evaluator,
    ntuple_evaluator,
    square_evaluator,
    square_sums,
)
from othello_agents.engine.memory import LIMIT, NO_LIMIT, NODES, Memory, clear, new_memory
from othello_agents.engine.midgame import FINAL, search_from
from othello_agents.engine.probcut import NO_CUTS, shipped_cuts
from othello_agents.engine.searcher import Iteration, Searcher, run
from othello_agents.engine.solver import solve_moves
from othello_agents.network.compiled import CompiledAfterstates
from othello_agents.ntuple import NTupleNetwork, shipped_network
from othello_agents.ntuple.agent import ENGINE_SIZES
from othello_env.agent import LONGEST_SECONDS, Agent, WrongGameError, as_othello, check_not_over, spec_text
from othello_env.games.batch import Positions
from othello_env.games.game import State
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.bitboard import BOARDS
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_flag, check_real, check_whole

__all__ = ["Engine", "exact_scores"]

_DEFAULT_DEPTH = 8
_DEFAULT_EXACT = 12
_ENDGAMES = ((4, 12, 14), (6, 12, 16), (8, 13, 17), (10, 14, 18), (12, 15, 19), (16, 17, 21), (20, 19, 23))
"""When a search of fixed depth goes to the end instead. In each row, the first number is the least depth for which the
row holds. With at most the second number of empty squares, `act` and `analyse` find the exact score. With at most the
third number, `act` finds the winner. With less depth than in the first row, both numbers are `_DEFAULT_EXACT`."""
_DEFAULT_HASH = 16
_MICROSECONDS = 500.0  # about the time of a shallow search
_DEEPEST = 60
_MOST_LINES = 64
_QUICK_DEPTH = 4
_QUICK_NODES = 100_000
_QUICK_EMPTY = 14
"""Without a time limit, a short search runs in the calling thread. A search is short if its depth is at most
`_QUICK_DEPTH`, if its limit of nodes is at most `_QUICK_NODES`, or if it goes to the end from at most `_QUICK_EMPTY`
empty squares. All other searches run in a thread of their own, so that a time limit or Ctrl-C can end them."""
_CLOCK_SHARE = 0.05
"""The fraction of the game's remaining time that the engine may spend on one move."""
_LATEST = 0.95
_SLACK_SECONDS = 0.02
"""If a clock limits the time for a move, the engine may use ``_LATEST * limit - _SLACK_SECONDS`` seconds, or half of
the limit if this is more. The rest of the limit is a reserve for delays on a busy machine."""
_LEAST_SECONDS = 0.001
_EXACT_EMPTY, _EXACT_SECONDS, _TIMES_A_SQUARE = 17.3, 0.1, 2.2
"""A search to the end takes about `_EXACT_SECONDS` if `_EXACT_EMPTY` squares are empty. Each further empty square
multiplies this time by `_TIMES_A_SQUARE`."""
_RESULT_EARLIER = 2
"""Finding only the winner with ``n + _RESULT_EARLIER`` empty squares takes about as long as finding the exact score
with ``n``."""


class Engine(Agent):
    """Plays Othello of any size by principal variation search, and perfectly near the end.

    If no limit (`depth`, `nodes` or `ms`) is given and there is no clock, the engine searches to depth 8. If several
    limits are given, it stops at the first limit that it reaches. With no `ms` and no clock, the move depends
    only on the position. Without `ms`, the engine forgets its results after each move. If the game or the move
    has a clock, the engine uses at most a twentieth of the game's remaining time, and at most about 95 % of the move's
    time.

    Args:
        depth: the maximum number of plies to search.
        nodes: the search ends when it has visited this number of positions. The search to depth 1 always finishes, and
            the last four empty squares are searched without a look at the limit, so the search may visit up to 100
            positions more.
        ms: the search ends after this number of milliseconds. The search to depth 1 always finishes, and the search
            runs in a thread of its own, so the move comes a little later: usually by less than a millisecond, on a busy
            machine by ten or more. A clock, unlike `ms`, is a limit that the engine keeps: it leaves a reserve.
        exact: with this number of empty squares or fewer, the engine searches to the end. By default, the number grows
            with the depth: 12 up to depth 7, 13 from depth 8, 14 from depth 10, and so on. With a few squares more
            (14 at depth 4, 16 at depth 6, 17 at depth 8), `act` searches to the end only for the winner. With a limit
            of nodes, the default is 12. With a time limit, the default is the largest number for which the time is
            likely to be enough, but at least 12. If one or two squares more than this number are empty, `act` first
            searches to the end to find only the winner. If there is time left, it then searches for the exact score.
        eval: the evaluation: ``ntuple`` (the packaged weights of the agent `ntuple`), the path of an ``.npz`` file with
            n-tuple weights (their values become discs as those of ``ntuple`` do) or of a ``.safetensors`` file with an
            ``afterstates`` network, or an evaluation by square weights or moves (``count``, ``mobility``, ``modified``,
            ``standard``, ``swh``, ``weighted``), or an `NTupleNetwork`. By default, the engine uses its own packaged
            n-tuple weights on 8x8. They were fitted to games of searches, and in a search they are stronger than those
            of ``ntuple``. On 6x6 the default is ``ntuple``, and on 4x4 ``mobility``.
        hash: the size of the transposition table in MiB.
        selective: whether to skip a deep search whose result a shallower search predicts with high probability (see
            `probcut`). The option has an effect only with n-tuple weights for 8x8, and not in a search to the end of
            the game. For weights from a file, the predictions are those for the packaged weights with the same
            patterns: for a wide network those of the engine, else those of ``ntuple``.

    Raises:
        TypeError: an option must be a whole number, but is something else.
        ValueError: an option is out of range, `eval` names no evaluation, or the file holds no n-tuple weights.
        FileNotFoundError: the file of weights does not exist.
    """

    def __init__(
        self,
        depth: int | None = None,
        nodes: int | None = None,
        ms: float | None = None,
        exact: int | None = None,
        eval: str | NTupleNetwork | None = None,  # noqa: A002 - users write `eval=`
        hash: int = _DEFAULT_HASH,  # noqa: A002 - the usual name in engines
        selective: bool = True,
    ) -> None:
        self._depth = None if depth is None else check_whole("depth", depth, 1, _DEEPEST)
        self._nodes = None if nodes is None else check_whole("nodes", nodes, 1, NO_LIMIT)
        if ms is not None and not check_real("ms", ms) > 0:
            raise ValueError(f"ms must be a positive number of milliseconds, not {ms}")
        self._seconds = None if ms is None else ms / 1000
        self._exact = None if exact is None else check_whole("exact", exact, 0, _DEEPEST)
        self._hash = check_whole("hash", hash, 1, 1 << 16)
        self._eval = eval
        self._selective = check_flag("selective", selective)
        self._network = _network(eval)
        self._evaluators: dict[int, Evaluator] = {}
        self._allocated: Memory | None = None
        self._last: tuple[Othello, Iteration, int, float] | None = None
        self._size = 0  # size of the board that was searched last
        self._lock = threading.Lock()
        self._answering = threading.Lock()  # held while `act_batch` uses this engine's own table
        self._copies = threading.local()  # for each thread that finds it held, an engine with a table of its own
        self._is_stopped = False  # whether `stop` was called since the last search began

    def __repr__(self) -> str:
        ms = None if self._seconds is None else f"{1000 * self._seconds:g}"
        limits = {"depth": self._depth, "nodes": self._nodes, "ms": ms, "exact": self._exact, "eval": self._eval}
        hash_ = None if self._hash == _DEFAULT_HASH else self._hash
        others = {"hash": hash_, "selective": None if self._selective else "false"}
        return spec_text("engine", limits | others)

    def __reduce__(self) -> tuple[Any, ...]:
        ms = None if self._seconds is None else 1000 * self._seconds
        options = (self._depth, self._nodes, ms, self._exact, self._eval, self._hash, self._selective)
        return (type(self), options)

    def answers_batches(self, start: State) -> bool:
        """Whether the engine can choose actions for many games in one call.

        This is true without `ms`, because the engine then remembers nothing from one position to the next.
        """
        return self._seconds is None

    @property
    def batch_microseconds(self) -> float:
        return _MICROSECONDS if self._seconds is None else 0.0

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        if self._answering.acquire(blocking=False):
            try:
                return super().act_batch(batch)
            finally:
                self._answering.release()
        if not hasattr(self._copies, "engine"):
            make, options = self.__reduce__()
            self._copies.engine = make(*options)
        engine: Engine = self._copies.engine
        return engine.act_batch(batch)

    def new_game(self, key: int) -> None:
        with self._lock:
            if self._allocated is not None:
                clear(self._allocated)

    def check_game(self, state: State) -> None:
        self.evaluator(as_othello(state, "the engine plays").size)

    def act(self, state: State, *, seconds_left: float | None = None, move_seconds: float | None = None) -> int:
        position = _playable(state)
        if position.must_pass:
            return position.pass_action
        seconds = share_of_clock(self._seconds, seconds_left, move_seconds)
        with self._lock:
            began = self._begin(position.size, is_timed=seconds is not None)
            result = self._search(position, seconds, to_win=True)[0]
            self._last = position, result, int(self._memory.control[NODES]), time.perf_counter() - began
        return result.best

    @property
    def last_analysis(self) -> Analysis | None:
        """The analysis from the last search of `act`; None before the first search.

        The analysis's `pv` (principal variation) contains only the action that was played.
        """
        if self._last is None:
            return None
        position, result, nodes, seconds = self._last
        return self._analysis(position, result, (result.best,), nodes, seconds)

    def stop(self) -> None:
        """End the search of `act`, `analyse` or `solve` that runs in another thread.

        The stopped method returns what it has found so far, so lines and scores may be missing. If `solve` is stopped,
        its score is not exact. A search that begins later is not stopped.
        """
        self._is_stopped = True
        if self._allocated is not None:
            self._allocated.control[LIMIT] = 0

    def analyse(self, state: State, *, scores: bool = False, lines: int = 0) -> Analysis:
        """Analyse a position within the engine's limits.

        Args:
            state: the position.
            scores: also find the score of every legal action. The searches for these scores go to the same depth as the
                search for the best move. No limit of nodes or time ends them.
            lines: also find this number of best moves, each with its score and expected line of play. These searches
                have the same depth as those for `scores`, and no limits. If the search
                went to the end of the game, other searches find the expected line of play, also without limits.

        Raises:
            TypeError: `lines` is not a whole number.
            ValueError: the game is over, or is not Othello, or `lines` is not from 0 to 64.
        """
        position = _playable(state)
        count = check_whole("lines", lines, 0, _MOST_LINES)
        if position.must_pass:
            after = self.analyse(position.play(position.pass_action), lines=min(count, 1))
            return after.before_pass(position)
        with self._lock:
            began = self._begin(position.size, is_timed=self._seconds is not None)
            result, searcher = self._search(position, self._seconds)
            nodes, seconds = int(self._memory.control[NODES]), time.perf_counter() - began
            self._limit(NO_LIMIT)
            best = run(lambda: searcher.best_lines(count), self._memory) if count else []
            variation = best[0][1] if best else run(searcher.variation, self._memory)
            values = run(searcher.values, self._memory) if scores else {}
        analysis = self._analysis(position, result, variation, nodes, seconds)
        kind = self.evaluator(position.size).kind
        if scores:
            units = {action: to_unit(value, kind, result) for action, value in values.items()}
            by_action = {action: to_unit_of_best(*pair, analysis) for action, pair in units.items()}
            analysis = replace(analysis, scores=by_action)
        if count:
            found_lines = [(pv, *to_unit(value, kind, result), searched) for value, pv, searched in best]
            best_lines = (
                Line(pv, score, unit, to_discs(score, unit, position, analysis.weights), result.depth, searched)
                for pv, score, unit, searched in found_lines
            )
            analysis = replace(analysis, lines=tuple(best_lines))
        return analysis

    def _analysis(
        self, position: Othello, result: Iteration, pv: tuple[int, ...], nodes: int, seconds: float
    ) -> Analysis:
        score, unit = to_unit(result.value, self.evaluator(position.size).kind, result)
        weights = self._packaged(position.size)
        return Analysis(
            position, result.best, score, unit, pv, result.depth, result.exact, nodes, seconds, weights=weights
        )

    def _packaged(self, size: int) -> str:
        """Which packaged n-tuple weights the engine uses on a board of this size, if it uses packaged weights."""
        return "engine" if self._eval is None and size in ENGINE_SIZES else "ntuple"

    def solve(
        self, state: State, *, result_only: bool = False, progress: Callable[[int], object] | None = None
    ) -> Analysis:
        """Find the exact score of a position, without a limit of nodes or time.

        Args:
            state: the position.
            result_only: only find the winner, which is faster than finding the score. The analysis's score is then +1,
                0 or -1.
            progress: a function that is called a few times a second with the number of nodes visited so far.

        Raises:
            ValueError: the game is over, or is not Othello.
        """
        position = _playable(state)
        if position.must_pass:
            after = self.solve(position.play(position.pass_action), result_only=result_only, progress=progress)
            return after.before_pass(position)
        with self._lock:
            began = self._begin(position.size)
            searcher = self._prepare(position, NO_LIMIT)
            run(lambda: searcher.solve(result_only=result_only), self._memory, progress=progress)
            nodes, seconds = int(self._memory.control[NODES]), time.perf_counter() - began
            variation = run(searcher.variation, self._memory)
        return self._analysis(position, searcher.found, variation, nodes, seconds)

    def action_values(self, state: State) -> dict[int, float]:
        """The value of each legal action for the player to move: expected or exact discs (see `Analysis.discs`).

        An evaluation in points has no discs: then these are the scores of `Analysis`.
        """
        analysis = self.analyse(state, scores=True)
        values = analysis.scores if analysis.score_discs is None else analysis.score_discs
        assert values is not None
        return values

    def search_values(self, positions: OthelloPositions) -> npt.NDArray[np.float32]:
        """The expected results of N positions for the players to move (N,), from -1 to +1, by searches to `depth`.

        They are what a network learns from its own search. Unlike `act`, the searches have no limit but the depth, and
        go to the end of the game only if this is as near.

        Raises:
            ValueError: the engine has no depth, or its evaluation is not an ``afterstates`` network.
        """
        evaluator = self.evaluator(positions.size)
        if self._depth is None or evaluator.kind != NETWORK:
            raise ValueError(
                f"expected an engine with a depth and a network, such as net.safetensors:depth=3: {self!r}"
            )
        depth, found = np.int64(self._depth), np.empty(len(positions), np.int64)
        with self._lock:
            self._begin(positions.size)
            self._size = positions.size
            self._limit(NO_LIMIT)
            for i in range(len(positions)):
                clear(self._memory)  # deeper results of other searches would be values of another depth
                found[i] = search_from(positions.own[i], positions.opponent[i], depth, evaluator, self._memory)
        return np.where(np.abs(found) >= FINAL, np.sign(found), np.tanh(found / LOGIT)).astype(np.float32)

    def exact_scores(self, positions: OthelloPositions | Iterable[Othello]) -> npt.NDArray[np.float64]:
        """The final scores with perfect play after each action; see `othello_agents.engine.exact_scores`."""
        return exact_scores(positions)

    def evaluator(self, size: int) -> Evaluator:
        """The evaluation that the engine uses on a board of this size.

        Raises:
            ValueError: there are no n-tuple weights for this size, or the packaged weights are damaged.
        """
        if size not in self._evaluators:
            self._evaluators[size] = self._find_evaluator(size)
        return self._evaluators[size]

    def _find_evaluator(self, size: int) -> Evaluator:
        sums = square_sums()
        if isinstance(self._eval, str) and self._eval in sums:
            return square_evaluator(sums[self._eval], size)
        weights = self._packaged(size)
        network = self._network
        if network is not None and network.size != size:
            raise WrongGameError(f"{self!r} has weights for size {network.size}, not {size}")
        if isinstance(network, CompiledAfterstates):
            return network_evaluator(network)
        if network is None:
            try:
                network = shipped_network(size, weights)
            except WrongGameError:  # no weights are packaged for this size
                if self._eval is not None:
                    raise
                return square_evaluator(sums["mobility"], size)
        cuts = shipped_cuts(size, "engine" if network.wide else "ntuple") if self._selective else NO_CUTS
        return ntuple_evaluator(network.tables, cuts)

    @property
    def _memory(self) -> Memory:
        if self._allocated is None:
            self._allocated = new_memory(self._hash)
            clear(self._allocated)
        return self._allocated

    def _begin(self, size: int, *, is_timed: bool = False) -> float:
        """Begin an analysis that `stop` can end, and return its starting time.

        If the time is limited, the kernels are first compiled or loaded, and the weights are read, so that this does
        not count as thinking time.
        """
        self._is_stopped = False
        if is_timed:
            _compile()
            self.evaluator(size)
        return time.perf_counter()

    def _limit(self, nodes: int) -> None:
        """Set the limit of nodes for the next searches of the analysis. After `stop`, the limit is 0."""
        self._memory.control[LIMIT] = nodes
        if self._is_stopped:  # checked last, because the line above may overwrite the 0 that `stop` has written
            self._memory.control[LIMIT] = 0

    def _prepare(self, position: Othello, nodes: int) -> Searcher:
        memory = self._memory
        if self._seconds is None or position.size != self._size:
            clear(memory)
        self._size = position.size  # positions of different sizes may have equal bits, so a new size clears the table
        memory.control[NODES] = 0
        self._limit(nodes)
        searcher = Searcher(position, self.evaluator(position.size), memory)
        searcher.start()
        return searcher

    def _search(self, position: Othello, seconds: float | None, *, to_win: bool = False) -> tuple[Iteration, Searcher]:
        """Search within the limits of depth, nodes and time. `seconds` count from the beginning of this call.

        With `to_win`, the search looks for the winner if the exact score is likely to take too long.
        """
        began = time.perf_counter()
        searcher = self._prepare(position, NO_LIMIT if self._nodes is None else self._nodes)
        unlimited = self._nodes is None and seconds is None
        depth = self._depth or (_DEFAULT_DEPTH if unlimited else _DEEPEST)
        exact = result = 0 if self._exact is None else self._exact
        if self._exact is None and unlimited:
            exact, result = _endgame(depth)
        elif self._exact is None:
            exact = result = _DEFAULT_EXACT
            if seconds is not None:
                exact = _affordable(seconds)
                result = exact + _RESULT_EARLIER
        result = result if to_win else exact
        if to_win and seconds is not None and len(position.legal_actions()) == 1:
            return searcher.found, searcher  # there is no choice, so save the time
        to_end = searcher.empty <= result
        is_quick = searcher.empty <= _QUICK_EMPTY if to_end else depth <= _QUICK_DEPTH
        if seconds is None and (is_quick or (self._nodes or NO_LIMIT) <= _QUICK_NODES):
            searcher.deepen(depth, exact, result)
        else:
            left = None if seconds is None else seconds - (time.perf_counter() - began)
            run(lambda: searcher.deepen(depth, exact, result, timed=left is not None), self._memory, left)
        return searcher.found, searcher


@cache
def _compile() -> None:
    """Let Numba compile the kernels of a search now, so that their compilation does not use up the time for a move."""
    engine = Engine(depth=2, exact=0, eval="weighted", hash=1)
    engine.analyse(Othello(4))
    engine.solve(Othello(4))


def share_of_clock(own: float | None, game: float | None, move: float | None) -> float | None:
    """The seconds for a move: the least of the engine's own limit and its shares of the clocks; None for no limit."""
    limits = [own] if own is not None else []
    if game is not None:
        limits.append(max(_LEAST_SECONDS, _CLOCK_SHARE * game))
    if move is not None:
        limits.append(max(_LEAST_SECONDS, _LATEST * move - _SLACK_SECONDS, move / 2))
    return min(limits, default=None)


def _endgame(depth: int) -> tuple[int, int]:
    """From how many empty squares a search of this depth goes to the end: for the exact score, and for the winner."""
    squares = _DEFAULT_EXACT, _DEFAULT_EXACT
    for least, exact, result in _ENDGAMES:
        if depth >= least:
            squares = exact, result
    return squares


def _affordable(seconds: float) -> int:
    """The greatest number of empty squares for which a search to the end is likely to fit into the time."""
    times = min(seconds, LONGEST_SECONDS) / _EXACT_SECONDS
    return max(_DEFAULT_EXACT, math.floor(_EXACT_EMPTY + math.log(times, _TIMES_A_SQUARE)))


def _playable(state: State) -> Othello:
    position = as_othello(state, "the engine plays")
    check_not_over(position)
    return position


def _network(evaluation: str | NTupleNetwork | None) -> NTupleNetwork | CompiledAfterstates | None:
    """Load the weights from the file that an evaluation names; return None if the evaluation names no file."""
    if isinstance(evaluation, NTupleNetwork):
        return evaluation
    sums = square_sums()
    if evaluation is not None and not isinstance(evaluation, str):
        raise TypeError(f"the engine's evaluation must be a text, such as weighted, not {type(evaluation).__name__}")
    if evaluation is None or evaluation == "ntuple" or evaluation in sums:
        return None
    if Path(evaluation).suffix == ".npz":
        return NTupleNetwork.load(evaluation)
    if Path(evaluation).suffix == ".safetensors":
        return CompiledAfterstates.load(evaluation)
    known = ", ".join(["ntuple", "FILE.npz", "FILE.safetensors", *sums])
    raise ValueError(f"the engine has no evaluation {evaluation!r}; it has {known}")


_MEGABYTES = 4


def exact_scores(positions: OthelloPositions | Iterable[Othello]) -> npt.NDArray[np.float64]:
    """The final score in discs after each action, with perfect play. The winner also gets the empty squares.

    A position with up to 12 empty squares takes milliseconds. Each further empty square about doubles the time.

    Args:
        positions: N positions of one size.

    Returns:
        (N, A) float64 with A = size * size + 1: the scores for the player to move; NaN for illegal actions. If a game
        is over, all scores are NaN.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
        ValueError: the positions differ in size, or are not of exactly the class `Othello`.
    """
    batch = positions if isinstance(positions, OthelloPositions) else OthelloPositions.from_states(list(positions))
    scores = np.full((len(batch), batch.size**2 + 1), np.nan)
    memory = new_memory(_MEGABYTES)
    memory.control[NODES], memory.control[LIMIT] = 0, NO_LIMIT
    clear(memory)
    run(lambda: solve_moves(batch.own, batch.opponent, scores, BOARDS[batch.size], batch.size, memory), memory)
    return scores
