"""The searches, compared with each other and with a list of all lines; kernels compared with Python."""

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_agents.evaluations import EVALUATIONS, Evaluate
from othello_agents.search.alphabeta import AlphaBeta, alphabeta
from othello_agents.search.maximizer import Maximizer, maximize
from othello_agents.search.minimax import Minimax, minimax
from othello_env import Othello, make_agent
from othello_env.agent import ask
from othello_env.games.game import State
from othello_env.games.hashing import draw
from othello_env.games.othello.batch import OthelloPositions

NAMED = ("count", "mobility", "modified", "swh", "weighted")


def random_games(n: int, size: int = 8) -> list[Othello]:
    """Every unfinished position of n random games, including forced passes."""
    found = []
    for key in range(n):
        state = Othello(size)
        while not state.is_over:
            found.append(state)
            legal = state.legal_actions()
            state = state.play(legal[draw(key, len(state.moves), len(legal))])
    return found


def games() -> list[dict[str, str]]:
    file = Path(__file__).parents[2] / "data" / "games.csv"
    rows = csv.DictReader(line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return [row for row in rows if row["black"]]


class FewerDiscsWin(Othello):
    """Othello with another rule: the player with fewer discs wins."""

    __slots__ = ()

    def returns(self) -> tuple[float, ...]:
        black, white = super().returns()
        return (white, black)


@pytest.mark.parametrize("spec", ["minimax:depth=3", "alphabeta:depth=3", "maximizer"])
def test_a_subclass_with_other_rules_is_searched_by_its_own_rules(spec: str) -> None:
    agent: Any = make_agent(spec)
    agent.act(Othello(4))  # now Othello's kernel is ready
    state = FewerDiscsWin(4)
    agent.check_game(state)
    while not state.is_over:
        found = agent.python(state, 3, agent._evaluate)
        assert agent.search(state) == found
        values = agent.action_values(state)
        assert agent.act(state) == found.action == max(values, key=values.__getitem__)
        state = state.play(found.action)


@pytest.mark.parametrize("row", games(), ids=lambda row: row["name"])
def test_printed_games_reproduce_move_by_move(row: dict[str, str]) -> None:
    players = [make_agent(row["black"]), make_agent(row["white"])]
    state = Othello()
    while not state.is_over:
        state = state.play(ask(players[state.to_move], state))
    assert state.transcript() == row["moves"]
    assert state.discs() == (int(row["black_discs"]), int(row["white_discs"]))


def value_of(state: State, depth: int, evaluate: Evaluate, player: int) -> float:
    """The value for a player by a search that keeps this player's point of view, so no sign changes between plies."""
    if depth == 0:
        return evaluate(state, state.to_move) * (1 if state.to_move == player else -1)
    if state.is_over:
        result = state.returns()[player]
        return math.inf * result if result else 0
    values = [value_of(state.play(action), depth - 1, evaluate, player) for action in state.legal_actions()]
    return max(values) if state.to_move == player else min(values)


@pytest.mark.nojit
def test_searches_where_a_player_moves_twice_find_the_value_of_all_lines(double_step: Any) -> None:
    doubled = 0
    for seed in range(30):
        game = type("Game", (double_step,), {"seed": seed, "__slots__": ()})
        doubled += any(game().play(action).to_move == 0 for action in game().legal_actions())
        for depth in range(1, 8):
            state = game()
            evaluate = EVALUATIONS["count"]
            full, pruned = minimax(state, depth, evaluate), alphabeta(state, depth, evaluate)
            assert full.value == pruned.value == value_of(state, depth, evaluate, 0)
            assert full.action == pruned.action
            assert pruned.nodes <= full.nodes
            below = [value_of(state.play(action), depth - 1, evaluate, 0) for action in state.legal_actions()]
            assert full.action == below.index(max(below))  # the first of several best actions
    assert doubled > 5


@pytest.mark.parametrize("name", NAMED)
def test_kernels_do_what_the_searches_in_python_do(
    positions: Callable[..., st.SearchStrategy[Othello]], name: str
) -> None:
    evaluate = EVALUATIONS[name]

    @settings(max_examples=100)
    @given(positions().filter(lambda state: not state.is_over), st.integers(1, 3))
    def check(state: Othello, depth: int) -> None:
        assert Maximizer(name).search(state) == maximize(state, evaluate)
        assert Minimax(min(depth, 2), name).search(state) == minimax(state, min(depth, 2), evaluate)
        assert AlphaBeta(depth, name).search(state) == alphabeta(state, depth, evaluate)

    check()


@pytest.mark.nojit
def test_a_function_serves_as_evaluation_and_is_searched_in_python() -> None:
    def corners_and_discs(state: State, player: int) -> float:
        return EVALUATIONS["weighted"](state, player) + 0.0

    for state in random_games(1, size=6)[::4]:
        by_function = AlphaBeta(depth=2, eval=corners_and_discs).search(state)
        assert by_function == AlphaBeta(depth=2, eval="weighted").search(state)
        batch = OthelloPositions.from_states([state, state])
        assert AlphaBeta(depth=2, eval=corners_and_discs).act_batch(batch).tolist() == [by_function.action] * 2


@pytest.mark.parametrize(
    "spec",
    ["maximizer:eval={}", "minimax:depth=1,eval={}", "minimax:depth=2,eval={}"]
    + [f"alphabeta:depth={depth},eval={{}}" for depth in (1, 2, 3)],
)
def test_single_positions_and_batches_are_answered_as_searched(spec: str) -> None:
    for name, size in zip(NAMED, (4, 6, 8, 8, 6), strict=True):
        agent, states = make_agent(spec.format(name)), random_games(2, size)
        expected = [agent.search(state).action for state in states]
        assert [make_agent(spec.format(name)).act(state) for state in states[:3]] == expected[:3]
        assert [agent.act(state) for state in states] == expected
        assert agent.act_batch(OthelloPositions.from_states(states)).tolist() == expected
    assert agent.act_batch(OthelloPositions.from_states([])).shape == (0,)


def test_only_what_a_kernel_answers_is_answered_in_batches() -> None:
    """An agent without a kernel searches in Python, which is slow.

    So such an agent is asked in one game at a time, and a time limit can end a match between two games.
    """
    for name, evaluate in EVALUATIONS.items():
        for agent in (f"maximizer:eval={name}", f"minimax:eval={name}", f"alphabeta:eval={name}"):
            for spec in (agent, f"{agent},epsilon=0.5"):
                assert make_agent(spec).answers_batches(Othello()) == (evaluate.squares is not None), spec
    assert not Maximizer(lambda state, player: 0).answers_batches(Othello())


def test_the_maximizer_plays_for_three_players(three_step: type[State]) -> None:
    state = three_step()
    values = [EVALUATIONS["count"](state.play(action), 0) for action in state.legal_actions()]
    found = Maximizer("count").search(state)
    assert (found.value, found.action) == (max(values), values.index(max(values)))
