"""What is read from answers: the texts of moves read back to the same moves, and hostile texts name none or few."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_env import Checkers, Othello, Tribolo
from othello_env.games.openings import random_opening
from othello_env.text.wording import WrongAnswerError, play_text, position_text, rules_text

STARTS = [Othello(4), Othello(6), Othello(), Checkers(), Checkers(size=10), Tribolo(seed=3), Tribolo(seed=1, width=26)]
WAYS = [
    "{}",
    '{{"move": "{}"}}',
    "```json\n{{'move' : '{}', 'why': 'it is good'}}\n```",
    "I looked at {other} and 12 lines.\nMy move: **{}**.",
    "{other}, {other} - no. <answer>{}</answer>",
    "我选{}。",
    '{{"move": "{other}"}} - wait, no: {{"move": "{}"}}',
    "{board}\n\nHere I play {}",
    '{{"move": "{}"}}\n{board}',
]


@given(st.sampled_from(STARTS), st.integers(0, 60), st.integers(0, 2**32), st.sampled_from(WAYS), st.booleans())
def test_the_text_of_each_legal_move_reads_back_to_this_move(start, plies, key, way, upper):
    state = random_opening(start, plies, key)
    if state is None or state.must_pass:
        return
    legal = state.legal_actions()
    for action in legal:
        name, other = state.action_to_text(action), state.action_to_text(legal[key % len(legal)])
        text = way.format(name, other=other, board=position_text(state))
        assert play_text(state, text.upper() if upper else text) == state.play(action), text


def chains():
    """Positions of checkers in which a piece can jump twice, with both jumps."""
    for key in range(400):
        state = random_opening(Checkers(), 20 + key % 20, key)
        for first in state.legal_actions() if state else ():
            after = state.play(first)
            if after.going_square is not None:
                yield state, first, after, after.legal_actions()[0]


def test_a_chain_of_jumps_is_one_answer():
    found = 0
    for state, first, after, second in chains():
        name = f"{state.action_to_text(first)}x{after.action_to_text(second).partition('x')[2]}"
        both = play_text(state, f'{{"move": "{name}"}}')
        assert both.moves == (*state.moves, first, second)
        assert play_text(state, state.action_to_text(first).upper()) == after
        with pytest.raises(WrongAnswerError, match=f"the piece on {after.going_square + 1} must jump on"):
            play_text(after, "1-5 or 5-1")
        found += 1
    assert found > 10


WRONG = [
    (Othello(), "d4", "illegal", "it is not empty"),
    (Othello(), "a1", "illegal", "no line"),
    (Othello(), "I first thought of d3, but no: a1", "illegal", "no line"),
    (Othello(6), "h8", "unreadable", "names no move"),
    (Othello(), "", "unreadable", "names no move"),
    (Othello(), "I pass.", "unreadable", "names no move"),
    (Othello(), "\uff44\uff13 or d\N{SUPERSCRIPT THREE}", "unreadable", "names no move"),
    (Othello(), '{"move": "z9", "not": "d3"}', "unreadable", "'z9' is no move"),
    (Othello(), '{"move": null}', "unreadable", "names no move"),
    (Othello(), "GPT-d33, xd3, d3x", "unreadable", "names no move"),
    (Othello(), "\x00\x1b[31m\ud800\u202e", "unreadable", "names no move"),
    (Checkers(), "9-14 but better 9-18", "illegal", "no piece of yours"),
    (Checkers(), "squares 5-8 and 29-32", "unreadable", "names no move"),
    (Checkers.from_moves("11-15 22-18"), "9-14", "illegal", "you must jump"),
    (Checkers.from_moves("11-15 22-18"), "15x22x31", "illegal", "you must jump"),
    (Tribolo(seed=3), "p12", "unreadable", "names no move"),
    (Tribolo(seed=3), "a1", "illegal", "it is not empty"),
]


@pytest.mark.parametrize(("state", "answer", "kind", "reason"), WRONG)
def test_a_wrong_answer_is_illegal_or_unreadable_and_the_reason_is_told(state, answer, kind, reason):
    with pytest.raises(WrongAnswerError, match=reason) as caught:
        play_text(state, answer)
    assert caught.value.kind == kind


def test_the_prompt_itself_is_no_answer():
    for state in (Othello(), Othello(4), Checkers(), Tribolo(seed=3)):
        with pytest.raises(WrongAnswerError) as caught:
            play_text(state, f"{rules_text(state)}\n{position_text(state)}")
        assert caught.value.kind in ("unreadable", "illegal")


@pytest.mark.parametrize(
    "unit", ["'move': '", '"move"' + ":" * 5, "11-", "11-15x", "a1", "((((", "\n", "1. d4 ", "{}[]\\"]
)
@pytest.mark.parametrize("state", [Othello(), Checkers()], ids=["othello", "checkers"])
def test_megabytes_are_a_wrong_answer(state, unit):
    with pytest.raises(WrongAnswerError):  # patterns that go back and forth would take minutes here
        play_text(state, unit * (4_000_000 // len(unit)))


def test_the_end_of_a_long_answer_counts():
    assert play_text(Othello(), "c4 " + "." * 1_000_000 + " d3").moves == (19,)
    with pytest.raises(WrongAnswerError):
        play_text(Othello(), "c4" + "." * 1_000_000)


@settings(max_examples=50)
@given(st.text() | st.builds(json.dumps, st.recursive(st.text(), st.lists)))
def test_any_text_is_a_move_or_a_wrong_answer(text):
    for state in (Othello(), Checkers(), Tribolo(seed=3)):
        after = [state.play(action) for action in state.legal_actions()]
        with suppress(WrongAnswerError):
            assert play_text(state, text) in after


def test_the_rules_name_the_board_and_the_draws():
    assert "6 rows and 6 columns" in rules_text(Othello(6))
    assert "11 rows and 16 columns" in rules_text(Tribolo(seed=1))
    assert "third time" in rules_text(Checkers(draws="threefold"))
    assert "Legal moves: d3 c4 f5 e6" in position_text(Othello(), legal_moves=True)
