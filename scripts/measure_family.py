"""How fast checkers and Tribolo are: compiled random games, the same in Python on States, alpha-beta of depth 6.

Prints plies a second of one core and the ratios of both, in turn: the median of several windows, with the lowest and
highest ratio.

    python scripts/measure_family.py
"""

import argparse
import statistics
import time
from collections.abc import Callable

from _arguments import real, whole
from _measure import Bench, machine, timed

from othello_env import Checkers, State, Tribolo, make_agent
from othello_env.games.checkers import position as checkers
from othello_env.games.hashing import mix_int
from othello_env.games.tribolo import position as tribolo


def play_states(new_game: Callable[[int], State], games: int) -> int:
    """Random games on States; the number of plies."""
    plies = 0
    for game in range(games):
        key = mix_int(1, game)
        state = new_game(key)
        while not state.is_over:
            state = state.play(state.draw_action(key, state.turn))
        plies += len(state.moves)
    return plies


def search_moves(depth: int, games: int) -> list[float]:
    """The seconds that alpha-beta takes for each move of games against random play."""
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=real(1e-3), default=1.0, help="of work in each window")
    parser.add_argument("--windows", type=whole(1), default=5, help="for each figure")
    args = parser.parse_args()
    print(machine())
    compiled = {
        "checkers": timed(lambda: int(checkers.random_playouts(5000, 1)[1].sum())),
        "tribolo": timed(lambda: int(tribolo.random_playouts(300, 1)[1].sum())),
    }
    on_states = {
        "checkers": timed(lambda: play_states(lambda _: Checkers(), 20)),
        "tribolo": timed(lambda: play_states(Tribolo, 5)),
    }
    for game, work in compiled.items():
        found = Bench(on_states[game], args.windows, args.seconds).measure(work)
        print(
            f"{game}: {found.rate:,.0f} plies/s compiled, {found.rate / found.ratio:,.0f} on States, ratio "
            f"{found.ratio:.0f} ({found.spread})"
        )
    search_moves(6, 1)  # compiles
    seconds = search_moves(6, 5)
    median, worst = statistics.median(seconds), max(seconds)
    print(f"checkers, alpha-beta 6: median {1e3 * median:.2f} ms a move, worst of {len(seconds)} {1e3 * worst:.2f} ms")


if __name__ == "__main__":
    main()
