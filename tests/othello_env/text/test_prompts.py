"""The question for a move: its parts, templates, and what no question can be asked about."""

import pytest

from othello_env import AgentError, Othello, Tribolo, WrongGameError
from othello_env.games.openings import random_opening
from othello_env.text import ChatAgent


def question(state, **options):
    (message,) = ChatAgent(str, **options).question(state)
    return message["content"]


def test_the_usual_question_has_what_is_asked_for():
    state = Othello.from_moves("f5 d6 c3")
    usual = question(state)
    assert str(state) in usual
    assert usual.endswith("You are white. It is your move.")
    assert "Moves so far" not in usual
    assert "Moves so far: f5, d6, c3.\n" in question(state, history=True)
    legal = " ".join(map(state.action_to_text, state.legal_actions()))
    assert question(state, legal_moves=True).endswith(f"It is your move.\nLegal moves: {legal}")
    blind = question(state, board=False)
    assert str(state) not in blind
    assert "Moves so far: f5, d6, c3.\nYou are white." in blind


def test_passes_are_moves_so_far():
    state = random_opening(Othello(4), 6, 13)
    assert state.must_pass
    after = state.play(state.legal_actions()[0])
    assert ", pass." in question(after, board=False)


@pytest.mark.parametrize(
    "state", [Tribolo(seed=1), Othello.from_text("---" + "-" * 24 + "XO------" + "-" * 29)], ids=repr
)
def test_moves_alone_are_not_enough_if_they_do_not_begin_at_the_usual_start(state):
    agent = ChatAgent(lambda messages: "d3", board=False)
    with pytest.raises(WrongGameError, match="must begin at the usual start"):
        agent.check_game(state)


@pytest.mark.parametrize("size", [4, 6, 8])
def test_coordinates_are_explained_by_the_corners_of_the_board(size):
    last = "abcdefgh"[size - 1]
    asked = question(Othello(size))
    assert f"a1 is the top left corner, {last}1 the top right, and a{size} the bottom left" in asked
    assert '{"move": "..."}' in asked
    assert "such as" not in asked


def test_the_template_of_kaggle():
    asked = question(Othello.from_moves("f5 d6 c3"), template="kaggle")
    assert "4 . . . x x . . ." in asked
    assert "  a b c d e f g h" in asked
    assert "Disk counts: black 5, white 2" in asked
    assert "You are white." in asked
    assert "Moves played so far (both players, oldest first): f5, d6, c3\n" in asked
    assert "```json" in asked
    assert '"pass"' in asked
    with pytest.raises(AgentError):  # as the text says, the first wrong answer loses the game
        ChatAgent(lambda messages: "d3" if messages[1:] else "no", template="kaggle").act(Othello())
    with pytest.raises(WrongGameError, match="for Othello, not for Tribolo"):
        question(Tribolo(seed=1), template="kaggle")


def test_a_template_of_ones_own(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("For $$5: $player, $legal_moves, $move_number, $last_move?")
    assert question(Othello(4), template=file) == "For $5: black, b1 a2 d3 c4, 0, none?"


REFUSED = [
    ({"template": "kagle"}, ValueError, r"a template kaggle or a file, got 'kagle' \(did you mean kaggle"),
    ({"template": "kaggle", "history": True}, ValueError, "a template says what it shows"),
    ({"template": "kaggle", "attempts": 2}, ValueError, "kaggle says that a wrong answer loses: attempts is 1, not 2"),
    ({"history": "all"}, ValueError, "conversation"),
    ({"system": 5}, TypeError, "expected a system message as text"),
    ("$bord", ValueError, r"mine.txt: expected \$answer, \$board.* in a template, got \$bord"),
    ("5 $ $board", ValueError, "got a dollar sign without a name"),
]


@pytest.mark.parametrize(("options", "error", "words"), REFUSED)
def test_wrong_options(tmp_path, options, error, words):
    if isinstance(options, str):
        (tmp_path / "mine.txt").write_text(options)
        options = {"template": tmp_path / "mine.txt"}
    with pytest.raises(error, match=words):
        ChatAgent(str, **options)
