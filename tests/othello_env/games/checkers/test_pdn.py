"""PDN: printed games can be replayed, written games can be read back, and errors name the bad text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env import IllegalActionError, NotationError
from othello_env.games.checkers import pdn
from othello_env.games.checkers.pdn import PdnGame, move_names
from othello_env.games.checkers.position import DRAWS, Checkers


@pytest.fixture(scope="module")
def printed(data_folder):
    return pdn.loads((data_folder / "checkers-games.pdn").read_text())


def test_printed_games_replay(printed):
    tinsley, dyke = printed
    assert tinsley.tags["Black"] == "M. Tinsley"
    assert tinsley.result == "1-0"
    assert len(list(move_names(tinsley.start, tinsley.actions))) == 91
    assert tinsley.final().to_text() == "W:WK4,K5,12,17:B3,K6,K11,K22"
    assert dyke.tags["Result"] == "1/2-1/2"
    assert len(list(move_names(dyke.start, dyke.actions))) == 48


def test_short_chains_are_written_in_full(printed):
    names = list(move_names(printed[0].start, printed[0].actions))
    assert names[19] == "32x23x14x5"
    assert "32x23x14x5" in pdn.dumps(printed)


@given(st.integers(0, 2**32), st.integers(0, 150), st.sampled_from([4, 6, 8, 10]), st.sampled_from(sorted(DRAWS)))
def test_what_is_written_is_read_back(seed, plies, size, draws):
    state = Checkers(size, draws)
    while not state.is_over and len(state.moves) < plies:
        state = state.play(state.draw_action(seed, state.placed))
    game = PdnGame.from_state(state, White='a "quoted" \\ name', Event="test")
    assert game.result == {1.0: "0-1", -1.0: "1-0", 0.0: "1/2-1/2"}[state.returns()[0]] if state.is_over else "*"
    text = pdn.dumps([game, game])
    assert max(map(len, text.splitlines())) <= 80
    first, second = pdn.loads(text, draws)
    assert first.actions == second.actions == state.moves
    assert first.tags["White"] == 'a "quoted" \\ name'
    assert first.tags["Event"] == "test"
    assert first.result == game.result
    assert first.final() == state


def test_games_from_a_position():
    start = Checkers.from_text("W:WK32,29:BK1,22", draws="40-move")
    game = PdnGame.from_state(start.play_transcript("32-28 1-6 28-32"), start)
    text = pdn.dumps([game])
    assert '[FEN "W:W29,K32:BK1,22"]' in text
    assert '[SetUp "1"]' in text
    assert "1... 32-28 2. 1-6 28-32 *" in text
    (back,) = pdn.loads(text)
    assert back.start == start
    assert back.actions == game.actions


def test_the_ways_of_writing_a_chain():
    start = Checkers.from_text("B:W15,22,23,32:B11,9")
    whole = start.play_transcript("11x18x25")
    for text in ("11x25", "11-25", "11:18:25", "11x18 18x25", "11X18X25"):
        assert start.play_transcript(text) == whole, text
    assert start.play_transcript("11x18").going_square == 17


def test_an_ambiguous_chain_asks_for_every_square():
    start = Checkers.from_text("B:W6,7,14,15,32:B2")
    names = [start.action_to_text(action) for action in start.legal_actions()]
    assert names == ["2x9", "2x11"]
    with pytest.raises(NotationError, match="every square"):
        start.play_transcript("2x18")
    assert start.play_transcript("2x9x18").to_text() == "W:W7,15,32:B18"
    assert start.play_transcript("2x11x18").to_text() == "W:W6,14,32:B18"
    # A king can jump around the full circle in both directions. It captures the same men in both cases.
    king = Checkers.from_text("B:W6,7,14,15,32:BK2")
    assert king.play_transcript("2x2") == king.play_transcript("2x9x18x11x2")


def test_comments_variations_and_annotations_are_skipped():
    text = """
    [Event "x"] {before} ; to the end of the line 11-15
    1. 11-15! {good} $1 (1. 9-13 is (1. 9-14) worse) 22-18?! 2. 15x22 *
    [Event "y"]
    1. 9-13 1/2-1/2
    """
    first, second = pdn.loads(text)
    assert list(move_names(first.start, first.actions)) == ["11-15", "22-18", "15x22"]
    assert second.tags == {"Event": "y", "Result": "1/2-1/2"}
    assert pdn.loads("") == []


def test_repetitions_end_the_game_only_where_the_rule_says_so():
    moves = '[FEN "B:WK32,21:BK1,12"] ' + "1-6 32-28 6-1 28-32 " * 3
    assert len(pdn.loads(moves)[0].actions) == 12
    with pytest.raises(IllegalActionError, match="ply 9"):
        pdn.loads(moves, draws="threefold")
