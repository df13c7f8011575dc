"""Hostile arguments: each public function takes a value as documented, or raises a TypeError or ValueError.

The calls are generated from the signatures. One argument of a valid call is replaced by values that its annotation does
not allow. Such a number, flag, name, seed or opening must be refused. A value of the right type, and any object where
the annotation names a class, may be refused or accepted, but no other error may come out, such as an IndexError or an
AttributeError.
"""

import inspect
from contextlib import suppress
from decimal import Decimal
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

from othello_agents.engine import Engine
from othello_agents.mcts.agent import Mcts
from othello_agents.perfect import Perfect
from othello_agents.search.alphabeta import AlphaBeta
from othello_agents.training import Trainer
from othello_env import Othello, make_agent, make_vec_env, self_play_advantages
from othello_env.arena import Sprt, Tournament
from othello_env.league import League

NAN, INF = float("nan"), float("inf")


class Strange:
    """An object that is no number. Its text is the same in each process, so that tests have the same names."""

    def __repr__(self):
        return "Strange()"


WRONG = {
    "int": [True, 2.5, NAN, INF, Decimal(2), "2", "٣", b"2", {2}, {2: 1}, [2], (), np.float64(2), 1j, Strange()],
    "float": [True, NAN, -INF, Decimal(1), "0.5", {0.5}, {0.5: 1}, [0.5], 1j, Strange()],
    "bool": [0, 1, 2.5, NAN, "no", "", [], {True}, {}, np.array([True, False]), Strange()],
    "str": [5, NAN, True, b"black", {"black"}, {"black": 1}, ["black"], "no such choice"],
    "openings": [
        {"f5d6"},
        {"f5d6": 0},
        {"f5d6": -1, "f5f6": 2},
        {"f5d6": NAN},
        frozenset(["f5"]),
        "random:٣",
        5,
        b"f5",
    ],
    "object": [
        *(-1, 5, 2**63, -(10**30), 10**400, 2.5, INF, "no such thing", b"2", {2}, {2: 1}, {1: 10**400, "a": 10**400}),
        *([], ["x"], np.zeros((2, 2)), np.ones(65), Strange()),
    ],
    "seed": [True, 1.0, NAN, "1", -1, -(10**30), {1}, {1: 1}],
}
NEGATIVE = [-(10**30), -1]  # of the right type, so they may be refused or accepted
PACKAGES = [
    *("othello_env", "othello_env.arena", "othello_env.data", "othello_env.review", "othello_env.sequences"),
    *("othello_env.league", "othello_env.envs", "othello_env.text", "othello_env.drawing"),
    *(("othello_env.jax",) if find_spec("jax") else ()),
]
POINT = {"seconds": 1.0, "plies": 1, "scores": {"random": 0.5}, "intervals": {"random": (0.4, 0.6)}}


@cache
def played():
    return import_module("othello_env").play_match("random", "random", games=2)


@cache
def games():
    return import_module("othello_env.data").random_games(2, size=4)


def unsure(tokens):
    """A sequence model for 4x4."""
    return np.zeros((*tokens.shape, 13))


WITH_DEFAULTS = "Checkers Othello OthelloText Tribolo League balanced_openings make_env make_vec_env"


def valid():
    """The arguments of valid calls, for the parameters without a default and where the default takes long."""
    random = {"agent": "random"}
    zeros = np.zeros((2, 2))
    match = {"a": "random", "b": "random", "games": 2}
    state = {"state": Othello(4)}
    states = {"states": [Othello(4)]}
    return {name: {} for name in WITH_DEFAULTS.split()} | {
        **{name: {"games": games()} for name in ("sequences", "tokens")},
        **dict.fromkeys(("pixels", "scene", "svg", "text"), state),
        **dict.fromkeys(("gif", "html"), states),
        "Games": {"actions": [[1]], "lengths": [1]},
        "Window": {"fps": 30},
        "agent_labels": {"games": games(), "agent": "maximizer:eval=count"},
        "games_of_records": {"records": played().records},
        "SequenceStream": {"game": "othello:size=4"},
        "draw_cases": {"count": 2, "game": "othello:size=4"},
        "fit_probe": {"activations": np.zeros((3, 1, 1)), "labels": np.zeros((3, 1, 1), int)},
        "alpha_scores": {"model": unsure, "sequences": [[1]], "games": ("othello:size=4",)},
        "legal_tokens": {"sequences": [[1]]},
        "measure_probes": {"model": SimpleNamespace(layers=lambda rows: [rows[..., None]]), "game": "othello:size=4"},
        "measure_sequences": {"model": unsure, "games": 1, "pairs": 1, "game": "othello:size=4"},
        "learning_curve": {"path": "curve.png", "title": "", "curve": [POINT]},
        "mean_interval": {"values": [1.0, 2.0]},
        "positions": {**state, "start": Othello(4)},
        "progress_text": {"point": POINT},
        "scalars": {"point": POINT},
        "from_tokens": {"tokens": np.zeros((1, 60), int)},
        "mean_over_seeds": {"results": []},
        "sample_legal": {"masks": np.ones((2, 17), np.int8)},
        "rate": {"comparisons": [], "fixed": {"a": 0.0}},
        "rate_tournament": {"result": Tournament(("a", "b"), ())},
        "write_games": {"path": "games.npz", "games": games()},
        "jax.DeviceVectorEnv": {"num_envs": 2, "size": 4},
        "jax.Othello": {"size": 4},
        "jax.legal_moves": {"observations": np.zeros((1, 4, 4, 2), bool)},
        "ChatAgent": {"chat": str},
        "GameAEC": {"game": "tribolo"},
        "GameEnv": {"game": "checkers"},
        "GameVectorEnv": {"game": "othello"},
        "OthelloPositions": dict.fromkeys(("own", "opponent", "to_move", "key"), np.zeros(1, np.int8)),
        "Schedule": {"agents": ("a", "b")},
        "Sprt": {"elo0": 0, "elo1": 10},
        "TimeControl": {"seconds": 1.0},
        "exact_labels": {"games": games(), "empties": 0},
        "exact_scores": {"positions": []},
        "examples": {"games": games()},
        "exploitability": random,
        "game_reward": {"quality": 0.5, "legal": 3, "wrong": 1},
        "make_agent": {"x": "random"},
        "match_games": {"a": "random", "count": 2},
        "measure_positions": random,
        "measure_progress": {**random, "games": 2, "rating": False},
        "paired_test": {"a": [1.0], "b": [0.5]},
        "place": {**random, "games": 2},
        "play_match": match,
        "play_tournament": {"agents": {}, "schedule": None},
        "random_games": {"count": 2},
        "review_game": {"final": Othello(4), "agent": "engine:depth=1"},
        "run_benchmark": {**random, "games": 2},
        "play_perfect": {**random, "games": 2},
        "self_play_advantages": {"rewards": zeros, "values": zeros, "players": zeros.astype(int)}
        | {"terminated": zeros > 0, "last_values": zeros[0], "last_players": zeros[0].astype(int)},
        "summarise": {"moves": []},
    }


# Plain results that the package makes itself, and functions of files: their numbers are not options of a call.
NO_CALLS = """
    Accuracy Exploitability GameRecord Member MoveReview Number Part PerfectGames Placement PlayerReview Report Table
    Statistics Ratings MatchResult Answer ChatMove Sequences SequenceReport Share Cases Interventions Probe
    ProbeReport measure_interventions Game read_games OthelloVecEnv TorchRLEnv SelfPlayGAE jax.Gymnax jax.Network
    jax.OnePlayer jax.agent jax.find_opponent payoff_chart Mean PairedTest Agent Dataset Examples
    MoveLabels Outcomes Payoffs Scene State Tournament read_names read_records register_game step_results jax.State
    jax.sample_legal
"""
OTHERS = {  # methods, and the agents behind the specs
    "League.add": (lambda **more: League().add("random", "a", **more), League.add),
    "League.draw": (lambda **more: League(["random"]).draw(**more), League.draw),
    "League.opponents": (lambda **more: League(["random"]).opponents(**more), League.opponents),
    "League.complete": (lambda **more: two_members().complete(**{"games": 2} | more), League.complete),
    "AlphaBeta": (AlphaBeta, AlphaBeta),
    "Engine": (Engine, Engine),
    "Mcts": (Mcts, Mcts),
    "Perfect": (Perfect, Perfect),
    "Trainer": (Trainer, Trainer),
}


def two_members():
    return League(["random", "maximizer:eval=count"])


def kind_of(name, annotation):
    """The kind of hostile values for a parameter."""
    if name in ("seed", "openings"):
        return name
    if name in ("workers", "num_threads", "num_envs"):
        return "int"
    if name in ("side", "reward", "draws", "matchmaking", "render_mode"):
        return "str"
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    first = text.replace(" | None", "").replace("np.", "")
    return first if first in ("int", "float", "bool") else "object"


def parameters(function):
    found = inspect.signature(function).parameters.items()
    return {
        name: kind_of(name, each.annotation)
        for name, each in found
        if name not in ("self", "name", "progress") and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }


def public():
    """The public functions and classes. The names of those for JAX begin with ``jax.``."""
    found = {}
    for package in PACKAGES:
        module = import_module(package)
        for name in module.__all__:
            each = getattr(module, name)
            if callable(each) and not (isinstance(each, type) and issubclass(each, Warning | Exception)):
                found["jax." * package.endswith("jax") + name] = each
    return found


def cases():
    calls = {name: (function, function) for name, function in public().items() if name in valid()} | OTHERS
    return [
        pytest.param(call, name, parameter, kind, id=f"{name}-{parameter}")
        for name, (call, function) in calls.items()
        for parameter, kind in parameters(function).items()
    ]


def call(function, arguments):
    found = function(**arguments)
    return list(found) if inspect.isgenerator(found) else found


def test_every_public_function_is_called():
    assert not set(public()) - {*NO_CALLS.split()} - set(valid())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "name", "parameter", "kind"), cases())
def test_a_hostile_argument_is_refused(function, name, parameter, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = valid().get(name, {})
    for wrong in WRONG[kind]:
        try:
            call(function, {**arguments, parameter: wrong})
        except (TypeError, ValueError):
            continue
        except OSError:
            assert kind == "object"  # a path
            continue
        assert kind == "object", f"{name}({parameter}={wrong!r}) was accepted"
    for negative in NEGATIVE if kind in ("int", "float") else ():
        with suppress(TypeError, ValueError):
            call(function, {**arguments, parameter: negative})


@pytest.mark.parametrize("weight", ["1", True, NAN, INF, Decimal(1), -1.0, None, [1]], ids=repr)
def test_hostile_weights_are_refused(weight):
    with pytest.raises((TypeError, ValueError), match="weights"):
        make_vec_env(2, opponent={"random": weight})
    with pytest.raises((TypeError, ValueError), match="weights"):
        make_vec_env(2, openings={"f5": weight})
    with pytest.raises((TypeError, ValueError), match="weight"):
        League({"random": weight})


def test_a_league_has_an_order_and_a_spec_has_ascii_digits():
    for fixed in ({"random"}, frozenset(["random"]), b"random"):
        with pytest.raises(TypeError, match="expected a list of specs"):
            League(fixed)
    for spec in ("alphabeta:depth=٣", "random:epsilon=٣", "engine:ms=٣"):
        with pytest.raises(ValueError, match="must be a"):
            make_agent(spec)


@pytest.mark.parametrize("pairs", [(1, 2, 3), (0, 0, 0, 0, -1), (0, 0, NAN, 0, 0), (0, 0, 0.5, 0, 0), (2**60,) * 5])
def test_a_sequential_test_takes_only_possible_counts(pairs):
    with pytest.raises((TypeError, ValueError), match="number"):
        Sprt(0, 10).judge(pairs)


@pytest.mark.parametrize(("shape", "wrong"), [((), "rewards"), ((3,), "rewards"), ((2, 2, 2), "values")])
def test_advantages_of_wrong_shapes_are_refused(shape, wrong):
    arrays = [np.zeros(shape, dtype) for dtype in (float, float, int, bool)]
    with pytest.raises(ValueError, match=f"expected {wrong} of shape"):
        self_play_advantages(*arrays, np.zeros(shape[1:]), np.zeros(shape[1:], int))


def test_a_league_that_counts_a_lot_can_be_saved_and_loaded(tmp_path):
    league = League(["random"])
    assert league.record_results("random", [0, 0, 2**53]) == 2**53
    for more in ([0, 0, 1], [0, 0, 2**62], [2**62, 0, 0], [0, 0, -1]):
        before = league.state()
        with pytest.raises(ValueError, match=r"2\*\*53"):
            league.record_results("random", more)
        assert league.state() == before
    league.save(tmp_path / "a")
    assert League.load(tmp_path / "a").state() == league.state()
