"""Squares, transcripts and boards as text."""

import pytest

from othello_env.games.othello import notation

pytestmark = pytest.mark.nojit


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
