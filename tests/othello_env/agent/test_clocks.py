"""The time of agents: clocks as text, and how an agent's thinking is measured."""

import pytest

from othello_env import Othello, make_agent
from othello_env.agent.clock import TimeControl
from othello_env.agent.wrapper import Timed
from othello_env.games.othello.batch import OthelloPositions


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("30m", TimeControl(1800)),
        ("100ms/move", TimeControl(0.1, per_move=True)),
        ("2.5s", TimeControl(2.5)),
        ("1h", TimeControl(3600)),
    ],
)
def test_a_clock_is_read_and_written(text, clock):
    assert TimeControl.parse(text) == clock
    assert TimeControl.parse(str(clock)) == clock


@pytest.mark.parametrize("text", ["", "30", "m", "-1s", "1s/game", "0s", "1 day"])
def test_no_clock(text):
    with pytest.raises(ValueError, match=r"expected a time such as|more than 0 and at most"):
        TimeControl.parse(text)


def test_first_answers_do_not_count():
    timed, batch = Timed(make_agent("maximizer:eval=weighted", 0)), OthelloPositions.from_states([Othello()] * 5)
    expected = make_agent("maximizer:eval=weighted", 0).act_batch(batch).tolist()
    for decisions in (0, 1, 2):
        assert timed.act(Othello()) == expected[0]
        assert timed.decisions == decisions
    for decisions in (2, 7, 12):
        assert timed.act_batch(batch).tolist() == expected
        assert timed.decisions == decisions
    assert timed.seconds > 0
