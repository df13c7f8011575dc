"""How an agent's thinking is timed."""

from othello_env import Othello, make_agent
from othello_env.arena.play.timed import Timed
from othello_env.games.othello.positions import OthelloPositions


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
