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
    (Othello(6), "h8", "illegal", "there is no such move on this board"),
    (Othello(), "", "unreadable", "names no move"),
    (Othello(), "\uff44\uff13 or d\N{SUPERSCRIPT THREE}", "unreadable", "names no move"),
    (Othello(), "a9", "illegal", "a9 is not legal: there is no such move on this board"),
    (Othello(), '{"move": "a9", "not": "d3"}', "illegal", "a9 is not legal: there is no such move"),
    (Othello(), '{"move": "pass", "not": "d3"}', "unreadable", "'pass' names no move"),
    (Othello(), "xd3, d3x, d333", "unreadable", "names no move"),
    (Othello(), "\x00\x1b[31m\ud800\u202e", "unreadable", "names no move"),
    (Checkers(), "9-14 but better 9-18", "illegal", "no piece of yours"),
    (Checkers(), "29 - 35", "illegal", "29-35 is not legal: there is no such move"),
    (Checkers(), "square 11", "unreadable", "names no move"),
    (Checkers.from_moves("11-15 22-18"), "9-14", "illegal", "you must jump"),
    (Checkers.from_moves("11-15 22-18"), "15x22x31", "illegal", "you must jump"),
    (Tribolo(seed=3), "a1", "illegal", "it is not empty"),
]


@pytest.mark.parametrize(("state", "answer", "kind", "reason"), WRONG)
def test_a_wrong_answer_is_illegal_or_unreadable_and_the_reason_is_told(state, answer, kind, reason):
    with pytest.raises(WrongAnswerError, match=reason) as caught:
        play_text(state, answer)
    assert caught.value.kind == kind


READ = [  # at the start, d3 c4 f5 e6 are legal in Othello, and 9-13 to 12-16 in checkers
    # Thinking is no answer.
    ("<think>I play c4. Or d3?</think>c4", "c4"),
    ('<think>{"move": "d3"}</think>\nc4', "c4"),
    ("d3 looks good, or e6?</think>c4", "c4"),  # the tag is opened in the prompt
    ("c4 <think>d3", "c4"),  # cut off
    ("<thinking>\nmove: d3\n</thinking>\nc4", "c4"),
    ("<think>I play d3", None),
    # An explicit statement goes before squares that are named after it.
    ("**Move:** d3 (not c4)", "d3"),
    ("<answer>d3</answer> c4", "d3"),
    ("I play d3. White has c4.", "d3"),
    ("I\u2019ll choose d3, not c4", "d3"),
    ("[d3] (instead of c4)", "d3"),
    (r"$\boxed{\text{d3}}$ beats c4", "d3"),
    (r"\boxed{\textbf{D3}} beats c4", "d3"),
    ("{move: d3} and then c4", "d3"),
    ("move: c4\nNo.\nmove: d3\nc4 loses", "d3"),
    ("I'd go with d3. The opponent's best move is c5", "d3"),
    ("I'll pick d3; c4 is worse", "d3"),
    ("I will go for **d3**, not c4", "d3"),
    # These are no statements of the own move: the last square counts.
    ("I would play c4, but it loses the corner. So d3", "d3"),
    ("I'd go with c4 if White could not answer. So d3", "d3"),
    ("White's move: c4. So d3", "d3"),
    ("If I play c4, I lose the corner. So d3", "d3"),
    ("Legal moves: [c4, d3, e6, f5]. Best: d3", "d3"),
    ("I play d3, since the opponent's likely next move is c4", "d3"),
    ("I move to c4... no, d3", "d3"),
    # The outer field of JSON counts.
    ('{"move": "d3", "reply": {"move": "c4"}}', "d3"),
    ('{"lines": [{"move": "c4"}, {"move": "e6"}], "move": "d3"}', "d3"),
    ('{"name": "play", "arguments": {"move": "d3"}}', "d3"),
    ('{"move": "c4"} No: {"move": "d3"}', "d3"),
    # The text of another field does not count, whatever it quotes.
    ('{"move": "d3", "reason": "c4 gives \\"move\\": \\"f5\\" later"}', "d3"),
    ("""{"move": "d3", "reason": "c4 gives {'move': 'f5'} later"}""", "d3"),
    ('{"reason": "my move: c4, or [f5]", "move": "d3"} I play c4', "d3"),
    ('{"move": "", "answer": "d3"}', "d3"),
    ('{"move": "\\"d3\\" not c4"}', "d3"),
    # Other spellings.
    ("D-3", "d3"),
    ("D\u20113", "d3"),
    (r"{\"move\": \"d3\"} or c4", "d3"),
    ("d3, as the model o3 said", "d3"),  # a name off the board counts only alone
    ("11 \u2014 15", "11-15"),
    ("move: 11-15, then 22-18", "11-15"),
    ("[11-15] and not 9-13", "11-15"),
]


@pytest.mark.parametrize(("answer", "move"), READ)
def test_what_is_read(answer, move):
    state = Checkers() if move and "-" in move else Othello()
    if move is None:
        with pytest.raises(WrongAnswerError, match="the answer names no move"):
            play_text(state, answer)
    else:
        assert play_text(state, answer) == state.play_move(move)


def test_all_signs_for_a_jump():
    state = Checkers.from_moves("11-15 22-18")
    for answer in ("15x22", "15 x 22", "15X22", "15\u00d722", "15-22", "15\u201322"):
        assert play_text(state, answer) == state.play_move("15x22")


def test_the_prompt_itself_is_no_answer():
    for state in (Othello(), Othello(4), Checkers(), Tribolo(seed=3)):
        with pytest.raises(WrongAnswerError) as caught:
            play_text(state, f"{rules_text(state, 2)}\n{position_text(state)}")
        assert caught.value.kind in ("unreadable", "illegal")


UNITS = ["'move': '", "{'move': 'd4'", '"move":::::', "move: ", "I play ", "[", "white's a ", "<think>", "</think>"]
UNITS += ["\\", "\\u006", "11-", "11-15x", "a1", "((((", "\n", "1. d4 ", "{}[]\\"]


@pytest.mark.parametrize("unit", UNITS)
def test_megabytes_are_a_wrong_answer(unit):
    for state in (Othello(), Checkers()):
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


def test_the_rules_name_the_board_the_draws_and_what_a_wrong_answer_costs():
    for size, last in ((4, "d"), (8, "h")):
        corners = f"a1 is the top left corner, {last}1 the top right, and a{size} the bottom left"
        assert corners in rules_text(Othello(size), 2)
    assert "6 rows and 6 columns" in rules_text(Othello(6), 2)
    assert "11 rows and 16 columns" in rules_text(Tribolo(seed=1), 2)
    assert "third time" in rules_text(Checkers(draws="threefold"), 2)
    assert "Legal moves: d3 c4 f5 e6" in position_text(Othello(), legal_moves=True)
    for state in (Othello(), Tribolo(seed=1), Checkers()):
        assert "The sign - is an empty" in rules_text(state, 2)
        assert "3 wrong answers in a row lose the game" in rules_text(state, 3)
        assert "A wrong answer loses the game" in rules_text(state, 1)
