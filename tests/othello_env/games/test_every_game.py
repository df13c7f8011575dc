"""What every game promises, for the package's games and the toy games: random games to their ends, from a few seeds."""

import copy
import pickle
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from othello_env import Checkers, IllegalActionError, NotationError, Othello, Tribolo
from othello_env.games import registry
from othello_env.games.hashing import draw
from othello_env.games.registry import GameSpec
from othello_env.support.imports import import_object

pytestmark = pytest.mark.nojit

TOYS = Path(__file__).parents[2] / "toy"
OWN = {
    "othello": Othello(),
    "othello 6x6": Othello(6),
    "othello 4x4": Othello(4),
    "checkers": Checkers(),
    "checkers 40-move": Checkers(6, "40-move"),
    "checkers threefold": Checkers(10, "threefold"),
    "tribolo": Tribolo(1),
    "tribolo 5x4": Tribolo(3, width=5, height=4, cells=2, walls=2),
}
TOY = {"fewest": "Fewest", "nomidflip": "NoMidFlip", "nim": "Nim"}


@pytest.fixture(scope="module")
def toys():
    yield {name: import_object(f"{TOYS}/{name}.py:{cls}")() for name, cls in TOY.items()}
    for name in TOY:
        del registry._GAMES[name]  # other tests know only the package's own games
        sys.modules.pop(name)


@cache
def states_of(start):
    """The positions of random games that begin at `start`, to their ends."""
    found, rng = [], np.random.default_rng(1)
    for _ in range(4):
        states = [start]
        while not states[-1].is_over:
            states.append(states[-1].play(int(rng.choice(states[-1].legal_actions()))))
        found += states
    return found


@pytest.fixture(params=[*OWN, *TOY])
def states(request, toys):
    return states_of((OWN | toys)[request.param])


def test_moves(states):
    start = states[0]
    for state in states:
        legal = state.legal_actions()
        assert legal == tuple(sorted(legal))
        assert state.is_over == (not legal)
        assert [state.is_legal(action) for action in range(-1, state.num_actions + 1)] == [
            action in legal for action in range(-1, state.num_actions + 1)
        ]
        assert state.action_mask().tolist() == [action in legal for action in range(state.num_actions)]
        assert not state.must_pass or len(legal) == 1
        assert start.positions(state.moves)[-1] == state
        for action in legal:
            after = state.play(action)
            assert (type(after), after.moves) == (type(state), (*state.moves, action))
            assert after.placed == state.placed + (not state.must_pass)
            assert state.play(np.int16(action)) == after
        if legal:
            key, n = hash(state) & 2**64 - 1, len(legal)
            assert state.draw_action(key, 3) == legal[draw(key, 3, n)]


def test_results(states):
    for state in states:
        returns, margins = state.returns(), state.margins()
        assert len(returns) == len(margins) == len(state.scores()) == state.num_players
        assert state.is_over or not any(returns + margins)
        assert sum(returns) == sum(margins) == 0.0
        assert max(margins) <= state.largest_margin
        if state.is_over:
            assert state.winners() == tuple(np.flatnonzero(np.array(returns) == max(returns)))
            assert [player for player in range(state.num_players) if margins[player] == max(margins)] == [
                *state.winners()
            ]


def test_observations(states):
    for state in states[::3]:
        for player in range(state.num_players):
            planes = state.observation(player)
            assert (planes.shape, planes.dtype) == (state.observation_shape, np.int8)
            assert set(planes.ravel().tolist()) <= {0, 1}
            planes[:] = 7
            assert state.observation(player).max() <= 1  # the array belongs to the caller
        planes, mask = state.encode()
        assert (planes == state.observation(state.to_move)).all()
        assert (mask == state.action_mask()).all()
        assert mask.dtype == np.int8
        mask[:] = 7
        assert state.action_mask().max(initial=0) <= 1


def test_names_and_transcripts(states):
    start = states[0]
    for state in states[::5]:
        for action in state.legal_actions():
            name = state.action_to_text(action)
            assert state.action_from_text(name) == state.action_from_text(f" {name} ") == action
            assert state.play_move(name) == state.play_move(action) == state.play(action)
        names = start.names_of(state.moves)
        assert start.play_names(names) == start.play_transcript(names) == start.play_transcript([*state.moves]) == state
        assert start.play_names(names).moves == state.moves
        illegal = (action for action in range(state.num_actions) if not state.is_legal(action))
        for action in [*illegal][:: state.num_actions // 3]:
            with pytest.raises(ValueError, match=r".+"):
                start.play_names(f"{names} {start.action_to_text(action)}")
        if not getattr(states[states.index(state) - 1], "must_pass", False):  # a pass at the end is left out
            again = start.play_transcript(state.transcript())
            assert (again, again.moves) == (state, state.moves)


def test_a_position_is_a_value(states):
    for state in states[::5]:
        for other in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
            assert (other, hash(other), other.moves, other.is_over) == (state, hash(state), state.moves, state.is_over)
            assert other.legal_actions() == state.legal_actions()
        for name in ("to_move", "moves", "new"):
            with pytest.raises(AttributeError, match="cannot be changed"):
                setattr(state, name, 0)
            with pytest.raises(AttributeError, match="cannot be changed"):
                delattr(state, name)
        assert state != str(state)
    assert states[1] not in (states[0], states[2])


@pytest.mark.parametrize("start", OWN.values(), ids=OWN)
def test_the_text_of_a_game_makes_its_start(start):
    spec = GameSpec.from_state(start)
    assert GameSpec.parse(str(spec)) == spec
    assert spec.num_players == start.num_players
    assert spec.position(start.to_text(), start.player_names[start.to_move]) == start
    seeds = {"tribolo": 1, "tribolo 5x4": 3}
    assert start == spec.start(next((seeds[name] for name, each in OWN.items() if each is start and name in seeds), 0))


@pytest.mark.parametrize("start", OWN.values(), ids=OWN)
def test_a_position_of_a_subclass_is_another_position(start):
    """A subclass may have other rules, so a dict with its positions must not answer for those of the game."""
    subclass = type("Variant", (type(start),), {"__slots__": ()})
    _, arguments = start.__reduce__()[:2]
    same, other = (start.__reduce__()[0](cls, *arguments[1:]) for cls in (type(start), subclass))
    assert type(other) is subclass
    assert start == same != other
    assert other == copy.copy(other)
    assert {start: "game", other: "variant"}[same] == "game"


def test_what_is_not_legal_is_refused(states):
    for state in states[::7]:
        name, legal = state.player_names[state.to_move], " ".join(map(state.action_to_text, state.legal_actions()))
        told = "cannot be played: the game is over" if state.is_over else f"for {name}; the legal moves are: {legal}\n"
        for action in {*range(state.num_actions)} - {*state.legal_actions()}:
            with pytest.raises(IllegalActionError) as caught:
                state.play(action)
            assert str(caught.value).startswith(f"{state.action_to_text(action)} (action {action}) ")
            assert told in str(caught.value)
            assert str(caught.value).endswith(f"\n{state}")
    for action in (state.num_actions, -1, 10**30):
        with pytest.raises(IllegalActionError, match=f"must be 0 to {state.num_actions - 1}, not {action}"):
            state.play(action)
    for action in (1.5, None, "1", np.float32(1)):
        with pytest.raises(TypeError, match="an action must be an integer, not "):
            state.play(action)
    with pytest.raises(NotationError, match="expected one of the players"):
        state.player_index("nobody")
    for call in (lambda: state.action_from_text("?"), lambda: state.play_transcript("?")):
        with pytest.raises(NotationError):
            call()
    for moves in ("1,,1", "1,", ",1", "1; ,1", ","):
        with pytest.raises(NotationError, match="expected moves on both sides of each comma or semicolon, got "):
            state.play_transcript(moves)
    for text in (None, 3.5, b"f5", ["f5"]):
        for read in (state.action_from_text, state.position_from_text, state.play_names):
            with pytest.raises(TypeError, match=r"expected .* as text, not .* of type ") as error:
                read(text)
            assert repr(text) in str(error.value)
