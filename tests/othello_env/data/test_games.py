"""Arrays of games: they are compared, move by move, with a slow second implementation."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env import Checkers, IllegalActionError, Othello, Tribolo
from othello_env.data import Games, GamesError, examples, random_games
from othello_env.data.games import random_games_of
from othello_env.games.hashing import CHOICE, mix_int
from othello_env.games.othello import symmetries
from othello_env.games.registry import GameSpec


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
    full = Othello.from_text("XXXXXXXXXXXXXXXX", "black")
    assert Games([[0]], [1], "othello:size=4", [full]).illegal().tolist() == [0]


STARTS = {
    "othello:size=4": [Othello(4), Othello(4).play_transcript("b1"), Othello.from_text("XXXXXXXXXXXXXXXX", "black")],
    "othello": [Othello(), Othello.from_moves("f5d6c3"), Othello.from_text("XO------" + "-" * 56)],
    "checkers:size=6": [Checkers(6), Checkers(6, "40-move").play_transcript("5-8")],
    "tribolo": [Tribolo(seed=1), Tribolo(seed=2)],
}


@pytest.mark.parametrize("game", STARTS)
def test_games_of_states_are_these_states_and_the_first_illegal_action_is_found(game):
    """From several starts. Each third game is not finished."""
    starts = [start for start in STARTS[game] for _ in range(4)]
    finals = [some(start, 1, 9 if k % 3 == 0 else 200, seed=k)[0] for k, start in enumerate(starts)]
    games = Games.from_states(finals, starts, game=game)
    assert len(games.starts) == len(STARTS[game])
    for i, final in enumerate(finals):
        assert (games.state(i), games.state(i).moves) == (final, final.moves)
    np.testing.assert_array_equal(games.outcomes.over, [state.is_over for state in finals])
    np.testing.assert_array_equal(games.outcomes.returns, [state.returns() for state in finals])
    np.testing.assert_array_equal(games.outcomes.margins, [state.margins() for state in finals])
    found = next(examples(games, 10**6))
    states = [games.state(i, ply) for i in range(len(games)) for ply in range(games.lengths[i])]
    np.testing.assert_array_equal(found.observation, [state.observation(state.to_move) for state in states])
    np.testing.assert_array_equal(found.action_mask, [state.action_mask() for state in states])
    assert found.to_move.tolist() == [state.to_move for state in states]
    assert (games.illegal() == -1).all()
    actions, expected = games.actions.copy(), np.full(len(games), -1)
    for i in range(1, len(games), 2):
        if games.lengths[i]:
            expected[i] = games.lengths[i] // 2
            state = games.state(i, expected[i])
            actions[i, expected[i]] = state.action_mask().argmin()
    assert Games(actions, games.lengths, game, games.starts, games.start).illegal().tolist() == expected.tolist()


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


@pytest.mark.parametrize("game", ["checkers", "tribolo:width=9,height=7,walls=3,cells=5"])
def test_random_games_of_other_games(game):
    spec = GameSpec.parse(game)
    games, more = random_games_of(spec, 300, 4, 5), random_games_of(spec, 3, 4, 7)
    ends = [games.state(i) for i in range(300)]
    assert all(state.is_over for state in ends)
    assert [state.moves for state in ends[2:5]] == [more.state(i).moves for i in range(3)]
    assert len({state.moves for state in ends}) == 300
    if game == "checkers":  # each of the seven first moves about equally often
        counts = Counter(state.moves[0] for state in ends)
        assert len(counts) == 7
        assert sum((count - 300 / 7) ** 2 for count in counts.values()) / (300 / 7) < 22.5  # chi-square, p = .001
