"""The evaluations, compared with Norvig's tables and rules, which are written out here a second time."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_agents.evaluations import (
    EVALUATIONS,
    count,
    evaluation_name,
    find_evaluation,
    mobility,
    modified,
    swh,
    weighted,
)
from othello_env import Othello
from othello_env.games.game import State

pytestmark = pytest.mark.nojit

TABLE = """
    120 -20  20   5   5  20 -20 120
    -20 -40  -5  -5  -5  -5 -40 -20
     20  -5  15   3   3  15  -5  20
      5  -5   3   3   3   3  -5   5
      5  -5   3   3   3   3  -5   5
     20  -5  15   3   3  15  -5  20
    -20 -40  -5  -5  -5  -5 -40 -20
    120 -20  20   5   5  20 -20 120"""

LEAGUE = """
    1.00 -0.25 0.10 0.05 0.05 0.10 -0.25  1.00
   -0.25 -0.25 0.01 0.01 0.01 0.01 -0.25 -0.25
    0.10  0.01 0.05 0.02 0.02 0.05  0.01  0.10
    0.05  0.01 0.02 0.01 0.01 0.02  0.01  0.05
    0.05  0.01 0.02 0.01 0.01 0.02  0.01  0.05
    0.10  0.01 0.05 0.02 0.02 0.05  0.01  0.10
   -0.25 -0.25 0.01 0.01 0.01 0.01 -0.25 -0.25
    1.00 -0.25 0.10 0.05 0.05 0.10 -0.25  1.00"""


def test_the_leagues_heuristic_is_a_hundred_times_its_table(
    positions: Callable[..., st.SearchStrategy[Othello]],
) -> None:
    @given(positions(8), st.sampled_from([0, 1]))
    def check(state: Othello, player: int) -> None:
        sign = {"-": 0, "XO"[player]: 1, "OX"[player]: -1}
        table = zip(state.to_text(), map(float, LEAGUE.split()), strict=True)
        assert swh(state, player) == round(100 * sum(sign[cell] * weight for cell, weight in table))

    check()


def slow_weighted(state: Othello, player: int, *, modify: bool) -> int:
    size, cells, weights = state.size, state.to_text(), TABLE.split()
    total = 0
    for square, cell in enumerate(cells):
        row, column = divmod(square, size)
        weight = int(weights[8 * min(row, size - 1 - row) + min(column, size - 1 - column)])
        corner = size * (0 if row < size / 2 else size - 1) + (0 if column < size / 2 else size - 1)
        beside = abs(corner // size - row) <= 1 and abs(corner % size - column) <= 1 and square != corner
        if modify and beside and cells[corner] != "-":
            weight = 5
        total += {"-": 0, "XO"[player]: weight}.get(cell, -weight)
    return total


def test_evaluations_agree_with_the_tables_on_any_board(positions: Callable[..., st.SearchStrategy[Othello]]) -> None:
    @given(positions(), st.sampled_from([0, 1]))
    def check(state: Othello, player: int) -> None:
        assert weighted(state, player) == slow_weighted(state, player, modify=False)
        assert modified(state, player) == slow_weighted(state, player, modify=True)
        cells = state.to_text()
        assert count(state, player) == cells.count("XO"[player]) - cells.count("XO"[1 - player])

    check()


def test_mobility_counts_moves_of_either_player_and_no_pass() -> None:
    start = Othello()
    assert (mobility(start, 0), mobility(start, 1)) == (4, 4)
    state = Othello.from_text("XXO-" + "-" * 12, to_move="O")  # white has no move, black has d1
    assert state.must_pass
    assert (mobility(state, 0), mobility(state, 1)) == (1, 0)


def test_count_takes_the_best_other_player() -> None:
    class Three(Othello):
        player_names = ("a", "b", "c")

        def scores(self) -> tuple[int, ...]:
            return (5, 9, 7)

    assert [count(Three(), player) for player in range(3)] == [-4, 2, -2]


def test_standard_is_weighted_in_othello_and_count_elsewhere(double_step: type[State]) -> None:
    standard = EVALUATIONS["standard"]
    state = Othello.from_moves("f5d6c3")
    assert standard(state, 0) == weighted(state, 0) != count(state, 0)
    assert standard(double_step(), 0) == count(double_step(), 0)


def test_evaluations_are_found_by_name_and_named_as_they_are_found() -> None:
    for name, evaluate in EVALUATIONS.items():
        assert find_evaluation(name) is evaluate
        assert evaluation_name(evaluate) == name
    outside = find_evaluation("bisect:bisect_left")
    assert outside([1, 3, 5], 3) == 1
    assert find_evaluation(evaluation_name(outside)) is outside


def test_an_evaluation_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "evaluation_of_mine.py"
    file.write_text("def corners(state, player):\n    return 7\n", encoding="utf-8")
    assert find_evaluation(f"{file}:corners")(Othello(), 0) == 7
    with pytest.raises(ValueError, match=r"there is no 'edges' in .*known are count"):
        find_evaluation(f"{file}:edges")
    with pytest.raises(FileNotFoundError, match=r"there is no file 'gone\.py'"):
        find_evaluation("gone.py:corners")


@pytest.mark.parametrize("name", ["wieghted", "", "no_such_module:f", "math:no_such_function", "a b:c"])
def test_unknown_names_are_told_the_right_ones(name: str) -> None:
    with pytest.raises(
        ValueError,
        match=r"no evaluation .*known are count, iago, material, mobility, modified, positional, standard, swh, we",
    ):
        find_evaluation(name)
