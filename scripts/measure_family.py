"""Measure the speed of random games of checkers and Tribolo, and the time of alpha-beta's moves in checkers.

    python scripts/measure_family.py

The random games are played with `State` objects and in the vector environment. Their speeds are in plies a second on
one core. Each speed is the median of several windows of time, and is divided by the speed of perft for Othello. The
lowest and the highest ratio are shown, too. Perft counts all move sequences of a given length. In checkers, alpha-beta
searches to depth 6, and its times are in milliseconds a move.
"""

import statistics
import time
from collections.abc import Callable

from _arguments import parse
from _measure import Windows, Work, machine, report, timed
from _works import VectorWork, perft_work

from othello_env import Checkers, State, Tribolo, make_agent
from othello_env.games.hashing import mix_int

NEW_GAMES: dict[str, Callable[[int], State]] = {"Checkers": lambda _: Checkers(), "Tribolo": Tribolo}
"""For each game, a function that makes the start position. For Tribolo, the function's argument is a random seed."""
AT_ONCE = 4096
"""The number of games in the vector environment."""


def states_work(new_game: Callable[[int], State], games: int = 10) -> Work:
    """Random games with `State` objects. A unit of work is a ply."""

    def run() -> int:
        plies = 0
        for game in range(games):
            key = mix_int(1, game)
            state = new_game(key)
            while not state.is_over:
                state = state.play(state.draw_action(key, state.turn))
            plies += len(state.moves)
        return plies

    return timed(run)


def search_moves(depth: int, games: int) -> list[float]:
    """The seconds that alpha-beta takes for each of its moves in games of checkers against random play."""
    agent, seconds = make_agent(f"alphabeta:depth={depth},eval=positional"), []
    for game in range(games):
        state = Checkers()
        while not state.is_over:
            if state.to_move == 0:
                start = time.perf_counter()
                action = agent.act(state)
                seconds.append(time.perf_counter() - start)
            else:
                action = state.draw_action(mix_int(2, game), state.turn)
            state = state.play(action)
    return seconds


def main() -> None:
    args = parse(__doc__, Windows)
    print(machine())
    bench = args.bench(perft_work())
    for game, new_game in NEW_GAMES.items():
        report(f"{game}, States", bench.measure(states_work(new_game)))
        report(f"{game}, vector env, self-play, N={AT_ONCE}", bench.measure(VectorWork(AT_ONCE, game=game)))
    search_moves(6, 1)  # not measured: the first game compiles code
    seconds = search_moves(6, 5)
    median, worst = statistics.median(seconds), max(seconds)
    print(f"checkers, alpha-beta 6: median {1e3 * median:.2f} ms a move, worst of {len(seconds)} {1e3 * worst:.2f} ms")


if __name__ == "__main__":
    main()
