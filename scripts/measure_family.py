"""How fast checkers and Tribolo are: compiled random games, the same in Python on States, alpha-beta of depth 6.

Prints plies a second of one core and their ratios, measured in one run.
"""

import time
from collections.abc import Callable

from othello_env import Checkers, State, Tribolo, make_agent
from othello_env.games import checkers, tribolo
from othello_env.games.hashing import mix_int


def rate(run: Callable[[], int], repeats: int = 5) -> float:
    """The best of some runs, in the units that a run returns, a second."""
    best = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        units = run()
        best = max(best, units / (time.perf_counter() - start))
    return best


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
    return sorted(seconds)


def main() -> None:
    compiled = {
        "checkers": lambda: int(checkers.random_playouts(5000, 1)[1].sum()),
        "tribolo": lambda: int(tribolo.random_playouts(300, 1)[1].sum()),
    }
    on_states: dict[str, Callable[[], int]] = {
        "checkers": lambda: play_states(lambda _: Checkers(), 20),
        "tribolo": lambda: play_states(Tribolo, 5),
    }
    for game in compiled:
        compiled[game]()  # compiles
        fast, slow = rate(compiled[game]), rate(on_states[game])
        print(f"{game}: {fast:,.0f} plies/s compiled, {slow:,.0f} on States, ratio {fast / slow:.0f}")
    search_moves(6, 1)
    seconds = search_moves(6, 5)
    median, worst = seconds[len(seconds) // 2], seconds[-1]
    print(f"checkers, alpha-beta 6: median {1e3 * median:.2f} ms a move, worst of {len(seconds)} {1e3 * worst:.2f} ms")


if __name__ == "__main__":
    main()
