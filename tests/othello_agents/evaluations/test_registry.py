"""An evaluation that another package adds: it is described once, and every search can use it."""

import pickle

import pytest

from othello_agents.evaluations import EVALUATIONS, evaluation, find_evaluation, register, registry
from othello_agents.evaluations.registry import Quarter, SquareSum
from othello_agents.search.alphabeta import AlphaBeta, alphabeta
from othello_agents.search.maximizer import Maximizer, maximize
from othello_agents.search.minimax import Minimax, minimax
from othello_env import Checkers, Othello, WrongGameError, make_agent
from othello_env.agent import SpecError

CORNERS: Quarter = ((9, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))


@evaluation(Othello, squares=SquareSum(CORNERS))
def toy(state: Othello, player: int) -> int:
    """Othello: nine points for each corner."""
    black, white = (sum(state.owners()[corner] == p for corner in (0, 7, 56, 63)) for p in (0, 1))
    return 9 * (black - white) * (1 if player == 0 else -1)


@evaluation(Othello, squares=EVALUATIONS["swh"].squares)
def twin(state: Othello, player: int) -> int:
    """Othello: the evaluation `swh` with the name `twin`. The kernels know the weights of `swh`."""
    raise AssertionError("the kernel computes it")


@pytest.fixture(autouse=True)
def registered():
    register(toy)
    register(twin)
    yield
    for each in (toy, twin):
        del registry._registered[each.name]


@pytest.fixture
def state():
    return Othello.from_moves("f5d6c3d3c4f4c5b3c2b4")


def test_every_search_plays_by_it(state):
    for spec, expected in (
        ("maximizer:eval=toy", maximize(state, toy)),
        ("minimax:depth=2,eval=toy", minimax(state, 2, toy)),
        ("alphabeta:depth=3,eval=toy", alphabeta(state, 3, toy)),
    ):
        agent = make_agent(spec)
        assert repr(agent) == spec
        assert agent.search(state) == expected
        assert pickle.loads(pickle.dumps(agent)).search(state) == expected
    assert make_agent("paranoid:depth=2,eval=toy").act(state) in state.legal_actions()


def test_a_kernel_plays_by_it_where_it_has_the_weights(state):
    for kind, depth in ((Minimax, (2,)), (AlphaBeta, (3,)), (Maximizer, ())):
        assert kind(*depth, "twin").search(state) == kind(*depth, "swh").search(state)
        assert not kind(*depth, "toy").answers_batches(state)
    assert make_agent("engine:depth=3,eval=twin").act(state) == make_agent("engine:depth=3,eval=swh").act(state)


def test_it_is_named_with_the_others_and_says_which_game_it_is_for():
    with pytest.raises(ValueError, match=r"known are count, iago, .*, swh, toy, twin, weighted"):
        find_evaluation("toys")
    with pytest.raises(SpecError, match=r"it has ntuple, .*, swh, twin, weighted"):
        make_agent("engine:eval=toy")
    with pytest.raises(WrongGameError, match="'toy' is for Othello, not for Checkers"):
        make_agent("alphabeta:eval=toy").act(Checkers())
    assert toy.__doc__ == "Othello: nine points for each corner."


def test_evaluations_travel_to_another_process():
    for each in EVALUATIONS.values():
        assert pickle.loads(pickle.dumps(each)) is each
