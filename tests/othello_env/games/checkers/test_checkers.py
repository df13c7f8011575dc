"""Checkers, compared with published counts, a slow twin, OpenSpiel and named examples."""

import copy
import csv
import random

import numpy as np
import pyspiel
import pytest

from othello_env import IllegalActionError
from othello_env.games.checkers import kernels
from othello_env.games.checkers.position import DRAWS, Checkers

BOARD = np.uint64(4), np.uint64(kernels.BOARDS[8])
DIRECTIONS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


class Twin:
    """Checkers by the rule book, on rows of '.', 'r', 'R', 'w', 'W'. It shares no code or encoding with the package."""

    def __init__(self, size):
        rows_of_men = size // 2 - 1
        self.size = size
        self.rows = [["."] * size for _ in range(size)]
        for row in range(size):
            for column in range(size):
                if (row + column) % 2 == 1 and (row < rows_of_men or row >= size - rows_of_men):
                    self.rows[row][column] = "r" if row < rows_of_men else "w"
        self.mover, self.chain = "r", None
        self.seen = []

    def number(self, row, column):
        """The square's standard number. The function counts dark squares to find it."""
        dark = [(r, c) for r in range(self.size) for c in range(self.size) if (r + c) % 2 == 1]
        return dark.index((row, column)) + 1

    def at(self, row, column):
        return self.rows[row][column] if 0 <= row < self.size and 0 <= column < self.size else "#"

    def moves(self):
        """The legal moves by the rule book: {action: (from, over, to)}.

        For a step (a move without a jump), `over` is None. If a jump is possible, steps are illegal.
        """
        steps, jumps = {}, {}
        other = "w" if self.mover == "r" else "r"
        for row in range(self.size):
            for column in range(self.size):
                piece = self.rows[row][column]
                if piece.lower() != self.mover or (self.chain and self.chain != (row, column)):
                    continue
                for d, (down, right) in enumerate(DIRECTIONS):
                    if piece.islower() and down != (1 if self.mover == "r" else -1):
                        continue
                    action = 4 * (self.number(row, column) - 1) + d
                    near, far = (row + down, column + right), (row + 2 * down, column + 2 * right)
                    if self.at(*near) == ".":
                        steps[action] = ((row, column), None, near)
                    elif self.at(*near).lower() == other and self.at(*far) == ".":
                        jumps[action] = ((row, column), near, far)
        return jumps or ({} if self.chain else steps)

    def play(self, action):
        before = ("".join(map("".join, self.rows)), self.mover)
        (row, column), over, (to_row, to_column) = self.moves()[action]
        piece = self.rows[row][column]
        self.rows[row][column] = "."
        crowned = piece.islower() and to_row in (0, self.size - 1)
        self.rows[to_row][to_column] = piece.upper() if crowned else piece
        self.chain = None
        if over:
            self.rows[over[0]][over[1]] = "."
            self.chain = (to_row, to_column)
        self.seen = [*self.seen, before] if over is None and piece.isupper() else []
        if over is None or crowned or not any(moved[1] for moved in self.moves().values()):
            self.chain = None
            self.mover = "w" if self.mover == "r" else "r"

    def drawn(self, rule):
        if not self.moves():
            return False
        now = ("".join(map("".join, self.rows)), self.mover)
        return {
            "repetition": now in self.seen,
            "threefold": self.seen.count(now) >= 2,
            "40-move": len(self.seen) >= 80,
        }[rule]

    def planes(self, me):
        other = "w" if me == "r" else "r"
        planes = np.zeros((6, self.size, self.size), np.int8)
        for row in range(self.size):
            for column in range(self.size):
                piece = self.rows[row][column]
                if piece != ".":
                    planes[[me, me.upper(), other, other.upper()].index(piece), row, column] = 1
        if self.chain:
            planes[(4, *self.chain)] = 1
        planes[5] = self.mover == "r"
        return planes


def check_against_twin(state, twin):
    over = twin.drawn(state.draws) or not twin.moves()
    legal = () if over else tuple(sorted(twin.moves()))
    assert state.legal_actions() == legal, state
    assert state.is_over == over
    assert state.player_names[state.to_move][0] == twin.mover
    assert np.flatnonzero(state.action_mask()).tolist() == list(legal)
    assert state.action_mask().dtype == state.observation(0).dtype == np.int8
    for player, letter in enumerate("rw"):
        assert (state.observation(player) == twin.planes(letter)).all(), state
        assert state.scores()[player] == sum(row.count(letter) + row.count(letter.upper()) for row in twin.rows)
    if state.going == 0:
        waiting = copy.deepcopy(twin)
        waiting.mover = "w" if twin.mover == "r" else "r"
        assert state.mobility(1 - state.to_move) == len(waiting.moves())
    assert state.mobility(state.to_move) == len(twin.moves())
    if not over or twin.drawn(state.draws):
        assert state.returns() == state.margins() == (0.0, 0.0)
    else:
        winner = 1 - state.to_move
        assert state.returns()[winner] == 1.0
        assert state.margins()[winner] == state.scores()[winner] > 0
        assert sum(state.returns()) == sum(state.margins()) == 0.0
        assert state.margins()[winner] <= state.largest_margin


@pytest.mark.nojit
@pytest.mark.parametrize("size", kernels.SIZES)
@pytest.mark.parametrize("draws", DRAWS)
def test_random_games_are_the_twins(size, draws):
    rng = random.Random(f"{size} {draws}")
    for _ in range(4 if size < 10 else 1):
        state, twin = Checkers(size, draws), Twin(size)
        pieces = state.scores()
        while not state.is_over:
            check_against_twin(state, twin)
            assert all(now <= before for now, before in zip(state.scores(), pieces, strict=True))
            pieces = state.scores()
            action = rng.choice(state.legal_actions())
            assert state.is_legal(action)
            twin.play(action)
            state = state.play(action)
        check_against_twin(state, twin)


def of(state):
    return *map(np.uint64, state.board()), state.to_move == 0


def truth(data_folder):
    with (data_folder / "checkers-perft.csv").open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def perft(position, depth, whole_chains):
    """The number of sequences of `depth` plies from (own, opponent, kings, going, red); a lost game is no sequence."""
    moves = kernels.legal_moves(*position, *BOARD)
    if depth == 1 and not (whole_chains and moves[4]):
        return sum(int(movers).bit_count() for movers in moves[:4])
    leaves = 0
    for direction, movers in enumerate(map(int, moves[:4])):
        while movers:
            piece = movers & -movers
            movers ^= piece
            *sets, red, _ = kernels.step(*position[:3], np.uint64(piece), direction, position[4], *BOARD)
            left = depth if whole_chains and sets[3] else depth - 1
            leaves += perft((*map(np.uint64, sets), red), left, whole_chains) if left else 1
    return leaves


@pytest.mark.parametrize("column", ["whole_chains", "single_jumps"])
def test_published_counts(column, data_folder):
    start = Checkers()
    for row in truth(data_folder)[:8]:  # the ninth takes a minute in Python
        depth = int(row["depth"])
        counts = {
            start.action_to_text(a): perft(of(start.play(a)), depth - 1, column == "whole_chains") if depth > 1 else 1
            for a in start.legal_actions()
        }
        assert sum(counts.values()) == int(row[column]), f"depth {depth}: {counts}\n{start}"


def test_open_spiel_agrees_in_all_moves_and_results_under_its_rule_for_draws():
    # OpenSpiel's first player starts at the bottom, so OpenSpiel's board is our board rotated by 180 degrees. In
    # OpenSpiel, a game is a draw after 40 actions without a capture, whoever else can or cannot move. The rule 40-move
    # never ends a game earlier, so with OpenSpiel's rule counted here the games must be equal to their ends.
    game = pyspiel.load_game("checkers")
    rng = random.Random(5)
    directions = {0: 3, 1: 2, 2: 0, 3: 1}  # OpenSpiel's up-left, up-right, down-right, down-left
    ends = []
    for _ in range(60):
        theirs, ours, since = game.new_initial_state(), Checkers(draws="40-move"), 0
        while not theirs.is_terminal():
            moves = {}
            for action in theirs.legal_actions():
                row, column, direction = action // 64, action // 8 % 8, action // 2 % 4
                square = (7 - row) * 4 + (7 - column) // 2
                moves[4 * square + directions[direction]] = action
            assert ours.legal_actions() == tuple(sorted(moves)), f"{theirs}\n{ours}"
            assert ours.to_move == theirs.current_player()
            choice = rng.choice(ours.legal_actions())
            since = 0 if "x" in ours.action_to_text(choice) else since + 1
            ours = ours.play(choice)
            theirs.apply_action(moves[choice])
            assert theirs.is_terminal() == (ours.is_over or since == 40), f"{theirs}\n{ours}"
        assert theirs.returns() == ([0, 0] if since == 40 else list(ours.returns()))
        ends.append(since == 40)
    assert any(ends)
    assert not all(ends)


@pytest.mark.nojit
class TestRules:
    @pytest.mark.parametrize(("draws", "times"), [("repetition", 1), ("threefold", 2), ("40-move", 20)])
    def test_a_draw_comes_when_the_rule_says(self, draws, times):
        shuffle = ["1-6", "32-28", "6-1", "28-32"] * times
        game = Checkers.from_text("B:WK32,21:BK1,12", draws=draws)
        assert not game.play_transcript(shuffle[:-1]).is_over
        drawn = game.play_transcript(shuffle)
        assert (drawn.is_over, drawn.returns(), drawn.legal_actions()) == (True, (0.0, 0.0), ())
        with pytest.raises(IllegalActionError, match="over"):
            game.play_transcript([*shuffle, "1-6"])

    def test_a_mans_advance_and_a_capture_wipe_the_history(self):
        game = Checkers.from_text("B:WK32,21:BK1,12", draws="40-move")
        game = game.play_transcript("1-6 32-28 6-1 28-32 12-16")
        assert game.quiet == 0
        assert game.play_transcript("32-28 16-20 28-32").quiet == 1
        quiet = Checkers.from_text("B:WK23,29:BK1,K10").play_transcript("1-6 23-18 6-1 18-15")
        assert (quiet.quiet, len(quiet.earlier)) == (4, 4)
        captured = quiet.play_transcript("10x19")
        assert (captured.quiet, captured.earlier) == (0, ())

    def test_who_has_no_move_loses_even_if_the_position_would_be_drawn(self):
        game = Checkers.from_text("W:WK32:BK20,19,23,27", draws="40-move")
        shuffle = ["32-28", "20-24", "28-32", "24-20"]
        game = game.play_transcript([*shuffle * 19, *shuffle[:3]])
        assert game.quiet == 79
        assert game.play_transcript("24-20").returns() == (0.0, 0.0)
        assert game.play_transcript("24-28").returns() == (1.0, -1.0)


@pytest.mark.nojit
class TestEquality:
    def test_the_history_that_can_still_matter_is_part_of_it(self):
        fresh = Checkers.from_text("B:WK32,21:BK1,12", draws="threefold")
        shuffled = fresh.play_transcript("1-6 32-28 6-1 28-32")
        assert (shuffled.own, shuffled.opponent, shuffled.to_move) == (fresh.own, fresh.opponent, fresh.to_move)
        assert shuffled != fresh
        assert hash(shuffled) == hash(fresh)

    def test_the_order_of_the_past_is_not(self):
        start = Checkers.from_text("B:WK32:BK1,K29", draws="threefold")
        there, back = ["1-6", "32-28", "6-1", "28-32"], ["29-25", "32-28", "25-29", "28-32"]
        one, other = start.play_transcript(there + back), start.play_transcript(back + there)
        assert one.earlier != other.earlier
        assert one == other
        assert start.play_transcript(there + there[:2] + there[2:3] + ["28-24"]) != one

    def test_moves_that_cannot_be_undone_make_paths_equal(self):
        one = Checkers.from_moves("11-16 21-17 10-15 24-20")
        other = Checkers.from_moves("10-15 21-17 11-16 24-20")
        assert one == other
        assert hash(one) == hash(other)
        assert one.moves != other.moves


def test_a_transcript_names_steps_and_jumps_from_the_usual_start():
    assert Checkers().transcript() == ""
    assert Checkers.from_moves("11-15 22-18 15x22 25x18").transcript() == "11-15 22-18 15x22 25x18"
    for text, move in (("B:W18:B15", "15x22"), ("B:W32:B11", "11-15")):  # the second is legal at the start, too
        with pytest.raises(ValueError, match="begins at the usual start"):
            Checkers.from_text(text).play_transcript(move).transcript()
