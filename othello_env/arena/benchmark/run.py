"""The benchmark of an agent: the parts that its game has, measured one after the other.

A part is a file of this folder with `ORDER` (a number, the smallest is measured first) and three functions:
``applies(game, limits)`` says whether it is measured in a game, ``expected_moves(game, limits)`` about how many moves
the agent is asked for, and ``measure(agent, game, seed, limits, progress)`` returns a
`othello_env.arena.report.Part`. During the measurement, it may call `progress` with such a part of the results so far.
With ``games_ahead(game, seed)``, an agent that can be asked ahead may begin this part during an earlier one.
"""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from othello_env.agent import Agent, AgentLeftError, Policy, file_hashes, make_agent, name_of
from othello_env.arena import benchmark
from othello_env.arena.benchmark.ladder import Ladder
from othello_env.arena.number import Number
from othello_env.arena.play.games import ahead
from othello_env.arena.report import Found, Limits, Part, Report, game_name
from othello_env.games.game import check_seed, check_text
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import check_type, check_whole, named_arguments

__all__ = ["benchmark_parts", "expected_moves", "run_benchmark"]


def benchmark_parts(game: GameSpec, limits: Limits) -> list[Any]:
    """The modules of the parts that are measured in a game, in order."""
    found = [
        import_module(f"{benchmark.__name__}.{module.name}") for module in pkgutil.iter_modules(benchmark.__path__)
    ]
    parts = sorted((module for module in found if hasattr(module, "ORDER")), key=lambda module: int(module.ORDER))
    return [part for part in parts if part.applies(game, limits)]


def expected_moves(game: GameSpec, limits: Limits) -> int:
    """About how many moves a benchmark asks for."""
    return sum(part.expected_moves(game, limits) for part in benchmark_parts(game, limits))


@named_arguments
def run_benchmark(
    agent: str | Agent | Policy,
    game: GameLike | None = None,
    *,
    ladder: Ladder | None = None,
    name: str | None = None,
    half_width: float = Limits.half_width,
    games: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[Report], object] | None = None,
) -> Report:
    """Measure an agent by all that the package has for a game.

    In Othello on 8x8 this is its rating on the ladder and its moves in endgames; on 6x6 its rating, its moves in all
    stages and its games against perfect play; on 4x4 its moves, its exploitability and its games against perfect play.
    In other games it is a rating on a ladder.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        game: the game, such as ``"othello:size=6"``; by default that of `ladder`, or Othello on 8x8.
        ladder: the opponents of the rating; by default the packaged ladder for this game.
        name: the agent's name in the results; by default its spec or `repr`.
        half_width: the games on the ladder end when half the width of the rating's 95% interval is at most this many
            Elo points.
        games: the greatest number of games of each part, a multiple of the number of players; 0 for no games, None for
            no limit.
        seconds: after this number of seconds no new opening on the ladder begins; None for no limit.
        seed: the same seed gives the same results if the limit `seconds` was not reached.
        progress: called with the results so far, before each part and after each of its games or pairs of games; the
            setting ``measuring`` is then the part's name. If a part fails or is interrupted, `progress` is called once
            more, with what was measured and the setting ``failed`` or ``interrupted``, and the error is raised.

    Raises:
        AgentError, TypeError, ValueError, WrongGameError: an argument is wrong, nothing is measured in this game, or a
            part failed. See `place`, `measure_positions`, `exploitability` and `play_perfect`.
    """
    usual = "othello" if ladder is None else check_type("ladder", ladder, Ladder).game
    seed, spec, began = (
        check_seed(seed),
        GameSpec.parse(game_name(usual if game is None else game)),
        time.perf_counter(),
    )
    limits = Limits(half_width, None if games is None else check_whole("games", games, 0), seconds, ladder)
    player = make_agent(agent, seed)
    name = check_text(name or name_of(agent, player), "the name of an agent")
    settings: dict[str, Any] = {"seed": seed, "half_width": half_width, "games": games, "seconds": seconds}
    settings |= {} if ladder is None else {"ladder": ladder.name}
    settings |= {"files": hashes} if (hashes := file_hashes(player)) else {}
    if not (modules := benchmark_parts(spec, limits)):
        raise ValueError(f"there is no benchmark for {spec}; give a ladder, which Ladder.from_tournament makes")
    done: list[Part] = []

    newest: list[Part] = []  # the results so far of the part that is being measured

    def so_far(state: Mapping[str, str]) -> Report:
        taken = {"seconds_taken": round(time.perf_counter() - began, 2)}
        said = () if "measuring" in state else _answers(player, str(spec))
        return Report(name, str(spec), (*done, *newest, *said), {**settings, **taken, **state})

    def tell(state: Mapping[str, str]) -> None:
        if progress is not None:
            progress(so_far(state))

    later = (game for module in modules if hasattr(module, "games_ahead") for game in module.games_ahead(spec, seed))
    with ahead([player], later):
        for module in modules:
            part = str(module.__name__).rpartition(".")[2]

            def take(found: Part, state: Mapping[str, str] = MappingProxyType({"measuring": part})) -> None:
                newest[:] = [found]
                tell(state)

            tell({"measuring": part})
            try:
                measured = module.measure(player, spec, seed, limits, take)
            except BaseException as error:
                is_failure = isinstance(error, Exception) and not isinstance(error, AgentLeftError)
                tell({"failed" if is_failure else "interrupted": part})
                raise
            newest.clear()
            done.append(measured)
    return so_far({})


def _answers(agent: Agent, game: str) -> Iterator[Part]:
    """What the agent says about its answers so far; see `othello_env.agent.Agent.report` and `summary`."""
    notes = tuple(getattr(agent, "report", tuple)())
    summary: Mapping[str, Any] = getattr(agent, "summary", dict)()
    if not summary and not notes:
        return
    numbers = []
    for name, key, form in (
        ("legal answers", "legal_rate", "share"),
        ("prompt tokens a move", "prompt_tokens_a_move", "count"),
        ("tokens a move", "tokens_a_move", "count"),
        ("s a move", "seconds_a_move", "seconds"),
        ("cost", "cost", "cost"),
    ):
        if summary.get(key) is not None:
            ends = summary.get(f"{key}_interval95", (None, None))
            numbers.append(Number(name, game, summary[key], form, *ends))
    yield Found("answers", tuple(numbers), notes=notes, details={"summary": summary} if summary else {})
