"""Tribolo: compared with a slow twin, by properties, and by named examples."""

import copy
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env.envs import GameVectorEnv
from othello_env.games.tribolo.position import Tribolo

DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


class Twin:
    """Tribolo by its rules, on rows of letters. It shares no code or encoding with the package."""

    def __init__(self, rows, to_move):
        self.rows = [list(row) for row in rows]
        self.to_move = to_move

    @classmethod
    def from_state(cls, state):
        return cls(state.to_text().split("/"), state.to_move)

    def at(self, row, column):
        return self.rows[row][column] if 0 <= row < len(self.rows) and 0 <= column < len(self.rows[0]) else "#"

    def converted(self, row, column, player):
        if self.rows[row][column] != "-":
            return []
        mine = "BRG"[player]
        found = []
        for down, right in DIRECTIONS:
            line, r, c = [], row + down, column + right
            while self.at(r, c) in "BRG" and self.at(r, c) != mine:
                line.append((r, c))
                r, c = r + down, c + right
            if self.at(r, c) == mine and len({self.at(*cell) for cell in line}) == 1:
                found += line
        return found

    def moves(self, player):
        width = len(self.rows[0])
        cells = [(r, c) for r in range(len(self.rows)) for c in range(width)]
        return [r * width + c for r, c in cells if self.converted(r, c, player)]

    def legal_actions(self):
        return tuple(self.moves(self.to_move))

    def play(self, action):
        row, column = divmod(action, len(self.rows[0]))
        for r, c in [*self.converted(row, column, self.to_move), (row, column)]:
            self.rows[r][c] = "BRG"[self.to_move]
        following = [(self.to_move + k) % 3 for k in (1, 2, 3)]
        self.to_move = next((player for player in following if self.moves(player)), following[0])

    def count(self, letter):
        return sum(row.count(letter) for row in self.rows)


def check_against_twin(state, twin):
    assert state.to_text() == "/".join("".join(row) for row in twin.rows), state
    assert state.to_move == twin.to_move
    legal = twin.legal_actions()
    assert state.legal_actions() == legal, state
    assert state.is_over == (not legal)
    assert np.flatnonzero(state.action_mask()).tolist() == list(legal)
    assert state.action_mask().dtype == np.int8
    assert state.scores() == tuple(map(twin.count, "BRG"))
    assert state.placed == sum(state.scores())
    for player in range(3):
        assert state.mobility(player) == len(twin.moves(player))
        letters = [*"BRG"[player:], *"BRG"[:player], "#"]
        planes = np.array([[[cell == letter for cell in row] for row in twin.rows] for letter in letters])
        assert (state.observation(player) == planes).all()
        assert state.observation(player).dtype == np.int8


@pytest.mark.parametrize(
    "options",
    [{}, {"width": 5, "height": 4, "cells": 2, "walls": 2}, {"width": 26, "height": 3, "cells": 6, "walls": 0},
     {"width": 1, "height": 9, "cells": 2, "walls": 0}, {"width": 9, "height": 1, "cells": 2, "walls": 1}],
    ids=str,
)  # fmt: skip
def test_random_games_are_the_twins(options):
    rng = random.Random(1)
    skipped = repeated = 0
    for seed in range(3 if not options else 20):
        state = Tribolo(seed, **options)
        twin = Twin.from_state(state)
        walls = state.walls()
        while not state.is_over:
            check_against_twin(state, twin)
            assert state.walls() == walls
            action = rng.choice(state.legal_actions())
            before = state
            twin.play(action)
            state = state.play(action)
            assert sum(state.scores()) == sum(before.scores()) + 1
            skipped += state.to_move != (before.to_move + 1) % 3 and not state.is_over
            repeated += state.to_move == before.to_move and not state.is_over
        check_against_twin(state, twin)
        assert sum(state.returns()) == sum(state.margins()) == 0.0
        assert max(state.margins()) <= state.largest_margin
    if options and options["width"] == 5:
        assert skipped > repeated > 0


@st.composite
def boards(draw):
    width, height = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    letters = draw(st.sampled_from(["BRG-#", "BRG-", "BR-", "BBRRG--", "BRG"]))
    rows = draw(st.lists(st.text(letters, min_size=width, max_size=width), min_size=height, max_size=height))
    return "/".join(rows), draw(st.integers(0, 2))


@pytest.mark.nojit
@given(boards())
def test_any_board_is_the_twins(board):
    text, first = board
    state = Tribolo.from_text(text, first)
    twin = Twin(text.split("/"), first)
    # A player without a move is skipped.
    movers = [(first + k) % 3 for k in range(3) if twin.moves((first + k) % 3)]
    twin.to_move = movers[0] if movers else first
    check_against_twin(state, twin)
    for action in state.legal_actions():
        after = copy.deepcopy(twin)
        after.play(action)
        check_against_twin(state.play(action), after)
        assert state.action_from_text(state.action_to_text(action)) == action
    assert pickle.loads(pickle.dumps(state)) == state
    assert eval(repr(state), {"Tribolo": Tribolo}) == state
    assert hash(copy.deepcopy(state)) == hash(state)


@pytest.mark.nojit
def test_starts():
    states = [Tribolo(seed) for seed in range(300)]
    for state in states:
        assert state.scores() == (12, 12, 12)
        assert len(state.walls()) == 12
        assert (state.width, state.height, state.num_actions) == (16, 11, 176)
        assert state.observation_shape == (4, 11, 16)
        assert state.legal_actions()
    assert {state.to_move for state in states} == {0, 1, 2}
    assert len(set(states)) == 300
    assert Tribolo(7) == Tribolo(7) == Tribolo(7 + 2**64)
    assert Tribolo() != Tribolo()
    # All cells are equally likely: each has a piece or a wall in 300 * 48 / 176 = 82 of the starts, with a standard
    # deviation of 7.7.
    taken = sum((state.observation(0).any(axis=0)).astype(int) for state in states)
    assert taken.min() > 45
    assert taken.max() < 120


def test_a_batch_has_no_boards_whose_actions_are_too_large_for_its_arrays():
    assert GameVectorEnv("tribolo", 1, width=7, height=4681, cells=3000).single_action_space.n == 32767
    with pytest.raises(ValueError, match="at most 32,767 cells, not 32,768"):
        GameVectorEnv("tribolo", 1, width=16, height=2048, cells=3000)


def test_a_start_in_which_nobody_can_move_is_drawn_again():
    for seed in range(200):
        assert not Tribolo(seed, width=4, height=2, cells=1, walls=1).is_over


@pytest.mark.nojit
class TestRules:
    @pytest.mark.parametrize(
        ("text", "returns", "margins"),
        [
            ("BBB/RR#/G##", (1.0, -0.5, -0.5), (1.5, 0.0, -1.5)),
            ("BB/RR/G#", (0.25, 0.25, -0.5), (0.5, 0.5, -1.0)),
            ("B#/RR/GG", (-0.5, 0.25, 0.25), (-1.0, 0.5, 0.5)),
            ("B/R/G", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        ],
    )
    def test_returns(self, text, returns, margins):
        over = Tribolo.from_text(text)
        assert over.is_over
        assert over.returns() == returns
        assert over.margins() == margins
