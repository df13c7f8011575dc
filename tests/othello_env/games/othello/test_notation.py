"""Squares, transcripts and boards as text."""

import pytest

from othello_env.games.othello import notation

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize("size", [4, 6, 8])
def test_squares_round_trip(size):
    names = [notation.square_to_text(action, size) for action in range(size * size + 1)]
    assert names[0] == "a1"
    assert names[1] == "b1"
    assert names[size] == "a2"
    assert names[-2] == f"{'abcdefgh'[size - 1]}{size}"
    assert names[-1] == "pass"
    assert len(set(names)) == size * size + 1
    for action, name in enumerate(names):
        assert notation.square_from_text(name, size) == action
        assert notation.square_from_text(f" {name.upper()} ", size) == action


@pytest.mark.parametrize("text", ["pass", "PASS", "pa", "ps", "--"])
def test_passes(text):
    assert notation.square_from_text(text, 8) == 64


@pytest.mark.parametrize(
    ("transcript", "moves"),
    [
        ("", []),
        ("f5d6c3", ["f5", "d6", "c3"]),
        ("f5 d6,c3;d3", ["f5", "d6", "c3", "d3"]),
        ("1. f5 d6 2. c3 pass", ["f5", "d6", "c3", "pass"]),
        ("1.f5d6 2.c3", ["f5", "d6", "c3"]),
        ("1. f5 1... d6 2. c3", ["f5", "d6", "c3"]),
        ("10. f5\n11. d6\t12. c3", ["f5", "d6", "c3"]),
        ("f5passd6PASS--c3", ["f5", "pass", "d6", "PASS", "--", "c3"]),
        ("f5d6c", ["f5", "d6", "c"]),
    ],
)
def test_transcripts_are_cut_into_moves(transcript, moves):
    assert list(notation.tokens(transcript)) == moves


@pytest.mark.parametrize("size", [4, 6, 8])
def test_boards_round_trip(size):
    owners = [(None, 0, 1)[square % 3] for square in range(size * size)]
    text = notation.board_to_text(owners)
    assert text[:4] == "-XO-"
    assert notation.board_from_text(text) == (size, owners)
    loose = "\n".join(text[row * size : (row + 1) * size] for row in range(size)).replace("X", "x ").replace("-", ". ")
    assert notation.board_from_text(loose) == (size, owners)
