"""What checkers does with wrong arguments, texts and actions."""

import pytest

from othello_env import IllegalActionError, NotationError
from othello_env.games.checkers.position import Checkers


@pytest.mark.nojit
class TestBadInput:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "expected a position"),
            ("B:W21:W1", "expected a position"),
            ("X:W21:B1", "expected a position"),
            ("B:W33:B1", "squares from 1 to 32"),
            ("B:W0:B1", "squares from 1 to 32"),
            ("B:W5-3:B1", "squares from 1 to 32"),
            ("B:W5:B5", "two pieces"),
            ("B:W1:B5", "last row"),
            ("B:W21:B32", "last row"),
            ("B:W10-22:B1", "at most 12"),
        ],
    )
    def test_positions(self, text, message):
        with pytest.raises(NotationError, match=message):
            Checkers.from_text(text)

    @pytest.mark.parametrize("going", [11, 18, 99, -1])
    def test_a_chain_that_does_not_go_on(self, going):
        with pytest.raises(NotationError, match="continue jumping"):
            Checkers.from_text("B:W21:B11", going=going)

    def test_illegal_actions_show_the_board_and_the_moves(self):
        with pytest.raises(IllegalActionError, match=r"(?s)1-NW .action 0. is not legal for red.*9-13 9-14.*r . r"):
            Checkers().play(0)
        with pytest.raises(TypeError, match="integer"):
            Checkers().play(1.5)
