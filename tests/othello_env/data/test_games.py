"""Arrays of games: they are compared, move by move, with a slow second implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env import Checkers, IllegalActionError, Othello, Tribolo
from othello_env.data import Games, GamesError, Statistics, examples, random_games
from othello_env.games.hashing import CHOICE, mix_int
from othello_env.games.othello import symmetries


def played(start, choices):
    state = start
    for choice in choices:
        if state.is_over:
            break
        legal = state.legal_actions()
        state = state.play(legal[choice % len(legal)])
    return state


def some(start, count=5, plies=200, seed=0):
    rng = np.random.default_rng(seed)
    return [played(start, rng.integers(1000, size=plies)) for _ in range(count)]


@pytest.mark.parametrize("size", [4, 6, 8])
def test_random_games_are_those_of_the_twin(size, twin):
    games = random_games(40, size=size, seed=3)
    key = mix_int(0, 3)
    for i in range(len(games)):
        state, slow = Othello(size), twin.start(size)
        for action in games.actions[i, : games.lengths[i]].tolist():
            assert action in slow.legal_actions()
            assert action == state.draw_action(mix_int(mix_int(key, i), state.placed), CHOICE)
            state, slow = state.play(action), slow.play(action)
        assert slow.is_over()
        assert games.outcomes.margins[i, 0] == slow.margin()
        assert games.state(i) == state
    assert games.outcomes.over.all()
    assert (games.illegal() == -1).all()


def test_random_games_depend_on_their_number_only():
    whole = random_games(100, seed=5, num_threads=3)
    part = random_games(30, seed=5, first=40)
    width = part.actions.shape[1]
    assert (whole.actions[40:70, :width] == part.actions).all()
    assert (whole.lengths[40:70] == part.lengths).all()
    assert not (random_games(100, seed=6).lengths == whole.lengths).all()
    assert len(random_games(0)) == 0


def test_statistics_of_random_play():
    """The expected numbers are from 2 million games of an independent program."""
    found = random_games(40_000, seed=1).statistics()
    assert found.games == found.finished == 40_000
    assert found.first_wins == pytest.approx(0.4542, abs=0.01)  # four standard errors
    assert found.second_wins == pytest.approx(0.5042, abs=0.01)
    assert found.draws == pytest.approx(0.0416, abs=0.004)
    assert found.margin == pytest.approx(-0.886, abs=0.4)
    assert found.plies - found.passes == pytest.approx(59.97, abs=0.02)
    assert found.passes == pytest.approx(0.447, abs=0.02)


def test_statistics_of_parts_are_those_of_the_whole():
    games = random_games(1000, seed=2)
    parts = [games[:300], games[300:301], games[301:]]
    whole, joined = games.statistics(), Statistics.from_parts(part.statistics() for part in parts)
    assert vars(joined) == pytest.approx(vars(whole))
    nothing = Statistics.from_parts([])
    assert nothing.games == 0
    assert np.isnan(nothing.draws)


@given(st.lists(st.integers(0, 64), max_size=12))
def test_the_first_illegal_action_is_found(actions):
    games = Games([actions], [len(actions)])
    state, wrong = Othello(), -1
    for ply, action in enumerate(actions):
        try:
            state = state.play(action)
        except IllegalActionError:
            wrong = ply
            break
    assert games.illegal().tolist() == [wrong]
    if wrong < 0:
        assert games.state(0) == state
    else:
        for ask in (lambda: games.outcomes, lambda: games.state(0), games.statistics, lambda: list(examples(games))):
            with pytest.raises(GamesError, match=rf"game 1, ply {wrong + 1}: "):
                ask()


def test_an_action_after_the_end_is_illegal():
    moves = (*random_games(1, size=4).state(0).moves, 16)
    assert Games([moves], [len(moves)], "othello:size=4").illegal().tolist() == [len(moves) - 1]


@pytest.mark.parametrize("start", [Othello(6), Checkers(), Tribolo(seed=2)], ids=lambda s: type(s).__name__)
def test_games_of_states_are_these_states(start):
    finals = [*some(start, 4), start, *some(start, 3, plies=7, seed=1)]
    games = Games.from_states(finals, [start])
    assert len(games) == 8
    for i, final in enumerate(finals):
        assert games.state(i) == final
        assert games.state(i).moves == final.moves
    np.testing.assert_array_equal(games.outcomes.over, [state.is_over for state in finals])
    np.testing.assert_array_equal(games.outcomes.returns, [state.returns() for state in finals])
    np.testing.assert_array_equal(games.outcomes.margins, [state.margins() for state in finals])
    assert (games.illegal() == -1).all()
    middle = games.state(0, 3)
    assert middle.moves == finals[0].moves[:3]


def test_games_from_different_starts():
    opening = Othello.from_moves("f5d6c3")
    board = Othello.from_text("XO------" + "-" * 56)
    finals = [*some(opening, 2), *some(board, 1)]
    games = Games.from_states(finals, [opening, opening, board])
    assert len(games.starts) == 2
    assert [games.state(i) for i in range(3)] == finals
    np.testing.assert_array_equal(games.outcomes.margins, [state.margins() for state in finals])


@pytest.mark.parametrize(
    ("start", "options"),
    [
        (Othello(), {}),
        (Othello(6), {"passes": False}),
        (Checkers(), {}),
        (Tribolo(seed=2), {}),
        (Othello(4), {"seed": 3, "batch_size": 7}),
    ],
    ids=str,
)
def test_examples_are_the_positions_of_the_games(start, options):
    finals = some(start, 6)
    games = Games.from_states(finals, [start])
    seen = {}
    for part in examples(games, **{"batch_size": 10, **options}):
        for k in range(len(part)):
            state = games.state(int(part.game[k]), int(part.ply[k]))
            final = finals[part.game[k]]
            np.testing.assert_array_equal(part.observation[k], state.observation(state.to_move))
            np.testing.assert_array_equal(part.action_mask[k], state.action_mask())
            assert part.action[k] == final.moves[part.ply[k]]
            assert part.to_move[k] == state.to_move
            assert part.returns[k] == final.returns()[state.to_move]
            assert part.margin[k] == final.margins()[state.to_move]
            seen[int(part.game[k]), int(part.ply[k])] = True
    skipped = getattr(start, "pass_action", None) if options.get("passes") is False else None
    expected = [(i, t) for i, final in enumerate(finals) for t, a in enumerate(final.moves) if a != skipped]
    assert sorted(seen) == expected
    if "seed" not in options:
        assert list(seen) == expected


def test_shuffled_examples_repeat_with_their_seed():
    games = random_games(30, size=6)
    first, again, other = (next(examples(games, 100, seed=seed)) for seed in (1, 1, 2))
    np.testing.assert_equal(vars(first), vars(again))
    assert not (first.game == other.game).all()


def test_symmetric_examples_are_transformed_together():
    games = random_games(20, size=6, seed=1)
    plain = next(examples(games, 10**6, seed=4))
    turned = next(examples(games, 10**6, seed=4, symmetric=True))
    assert (plain.game == turned.game).all()
    kinds = set()
    for k in range(len(plain)):
        fits = [
            s
            for s in range(symmetries.COUNT)
            if (symmetries.transform_observation(plain.observation[k], s) == turned.observation[k]).all()
            and (symmetries.transform_policy(plain.action_mask[k], s) == turned.action_mask[k]).all()
            and symmetries.transform_actions(plain.action[k], s, 6) == turned.action[k]
        ]
        assert fits
        kinds |= set(fits)
    assert kinds == set(range(8))


def test_unfinished_games_have_no_result():
    part = next(examples(Games.from_states([Othello.from_moves("f5d6")])))
    assert np.isnan(part.returns).all()
    assert np.isnan(part.margin).all()


def test_selecting_games():
    drawn = random_games(10, seed=4)
    games = Games(drawn.actions, drawn.lengths, columns={"year": np.arange(2000, 2010)})
    assert games[2:5].columns["year"].tolist() == [2002, 2003, 2004]
    assert games[games.columns["year"] > 2007].state(0) == games.state(8)
    assert len(games[[]]) == 0
    assert games.state(-1) == games.state(9)
    assert games[[7, 1]].columns["year"].tolist() == [2007, 2001]


def test_joined_games():
    board = Othello.from_moves("f5d6")
    parts = [
        random_games(3, seed=1),
        Games.from_states(some(board, 2), [board], {"year": [1, 2]}),
        random_games(1, seed=2),
    ]
    games = Games.joined(parts)
    assert [games.state(i) for i in range(6)] == [part.state(i) for part in parts for i in range(len(part))]
    assert games.columns == {}
    assert Games.joined([parts[1], parts[1]]).columns["year"].tolist() == [1, 2, 1, 2]
