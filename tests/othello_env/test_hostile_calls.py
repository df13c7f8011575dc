"""Hostile arguments: each public function takes a value as documented, or raises a TypeError or ValueError.

The calls are generated from the signatures. One argument of a valid call is replaced by values that its annotation does
not allow. Such a value must be refused. A value of the right type may be refused or accepted, but no other error may
come out, such as an IndexError or an AttributeError.
"""

import inspect
from contextlib import suppress
from decimal import Decimal
from functools import cache
from importlib import import_module

import numpy as np
import pytest

from othello_agents.engine import Engine
from othello_agents.mcts.agent import Mcts
from othello_agents.ntuple import Trainer
from othello_agents.perfect import Perfect
from othello_agents.search.alphabeta import AlphaBeta
from othello_env import Othello, make_env, make_vec_env
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
        "random:²",
        "random:-1",
        5,
        b"f5",
    ],
    "seed": [True, 1.0, NAN, "1", -1, -(10**30), {1}, {1: 1}],
}
NEGATIVE = [-(10**30), -1]  # of the right type, so they may be refused or accepted
PACKAGES = (
    "othello_env",
    "othello_env.arena",
    "othello_env.data",
    "othello_env.league",
    "othello_env.envs",
    "othello_env.text",
)


@cache
def games():
    return import_module("othello_env.data").random_games(2, size=4)


WITH_DEFAULTS = {
    *("Checkers", "Othello", "OthelloText", "Tribolo", "League", "balanced_openings", "make_env", "make_vec_env"),
}


def valid():
    """The arguments of valid calls, for the parameters without a default and where the default takes long."""
    random = {"agent": "random"}
    zeros = np.zeros((2, 2))
    match = {"a": "random", "b": "random", "games": 2}
    return {name: {} for name in WITH_DEFAULTS} | {
        "ChatAgent": {"chat": str},
        "GameAEC": {"game": "tribolo"},
        "GameEnv": {"game": "checkers"},
        "GameVectorEnv": {"game": "othello"},
        "Schedule": {"agents": ("a", "b")},
        "Sprt": {"elo0": 0, "elo1": 10},
        "TimeControl": {"seconds": 1.0},
        "exact_labels": {"games": games(), "empties": 0},
        "exact_scores": {"positions": []},
        "examples": {"games": games()},
        "exploitability": {**random, "budget": 40},
        "make_agent": {"x": "random"},
        "match_games": {"a": "random", "count": 2},
        "measure_endgame": random,
        "measure_progress": {**random, "games": 2},
        "measure_regret": random,
        "paired_test": {"a": [1.0], "b": [0.5]},
        "place": {**random, "games": 2},
        "play_match": match,
        "play_tournament": {"agents": {}, "schedule": None},
        "random_games": {"count": 2},
        "review_game": {"final": Othello(4), "agent": "engine:depth=1"},
        "run_benchmark": {**random, "games": 2},
        "run_perfection": {**random, "games": 2},
        "self_play_advantages": {
            "rewards": zeros,
            "values": zeros,
            "players": np.zeros((2, 2), int),
            "terminated": np.zeros((2, 2), bool),
            "last_values": np.zeros(2),
            "last_players": np.zeros(2, int),
        },
        "summarise": {"moves": []},
    }


# Plain results that the package makes itself, and functions of files: their numbers are not options of a call.
NO_CALLS = {
    *("Benchmark", "EndgameAccuracy", "Exploitability", "GameRecord", "Member", "MoveReview", "PerfectionBenchmark"),
    *("Placement", "PlayerReview", "Regret", "Statistics", "Overview", "OthelloPositions", "Ratings", "MatchResult"),
    *("read_games", "OthelloVecEnv", "TorchRLEnv", "SelfPlayGAE"),
    *("learning_curve", "payoff_picture", "rating_picture", "Mean", "PairedTest"),
}
OTHERS = {  # methods, and the agents behind the specs
    "League.add": (lambda **more: League().add("random", "a", **more), League.add),
    "League.freeze": (lambda **more: snapshot().freeze("a", **more), League.freeze),
    "League.draw": (lambda **more: League(["random"]).draw(**more), League.draw),
    "League.opponents": (lambda **more: League(["random"]).opponents(**more), League.opponents),
    "League.complete": (lambda **more: two_members().complete(**{"games": 2} | more), League.complete),
    "AlphaBeta": (AlphaBeta, AlphaBeta),
    "Engine": (Engine, Engine),
    "Mcts": (Mcts, Mcts),
    "Perfect": (Perfect, Perfect),
    "Trainer": (Trainer, Trainer),
}


def snapshot():
    league = League()
    league.add("random", "a")
    return league


def two_members():
    return League(["random", "maximizer:eval=count"])


def kind_of(name, annotation):
    """The kind of hostile values for a parameter, or None if there are none."""
    if name in ("seed", "openings"):
        return name
    if name in ("workers", "num_threads", "num_envs"):
        return "int"
    if name in ("side", "reward", "draws", "matchmaking", "render_mode"):
        return "str"
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    first = text.replace(" | None", "").replace("np.", "")
    return first if first in ("int", "float", "bool") else None


def parameters(function):
    found = {name: kind_of(name, each.annotation) for name, each in inspect.signature(function).parameters.items()}
    return {name: kind for name, kind in found.items() if kind is not None}


def public():
    """The public functions and classes with a parameter for which there are hostile values."""
    found = {}
    for package in map(import_module, PACKAGES):
        for name in package.__all__:
            each = getattr(package, name)
            if callable(each) and not (isinstance(each, type) and issubclass(each, Warning | Exception)):
                found[name] = each
    return found


def cases():
    calls = {name: (function, function) for name, function in public().items() if name not in NO_CALLS} | OTHERS
    return [
        pytest.param(call, name, parameter, kind, id=f"{name}-{parameter}")
        for name, (call, function) in calls.items()
        for parameter, kind in parameters(function).items()
    ]


def call(function, arguments):
    found = function(**arguments)
    return list(found) if inspect.isgenerator(found) else found


def test_every_public_function_with_options_is_called():
    missing = {name for name, each in public().items() if name not in NO_CALLS and parameters(each)} - set(valid())
    assert not missing


@pytest.mark.parametrize(("function", "name", "parameter", "kind"), cases())
def test_a_hostile_argument_is_refused(function, name, parameter, kind):
    arguments = valid().get(name, {})
    for wrong in WRONG[kind]:
        try:
            call(function, {**arguments, parameter: wrong})
        except (TypeError, ValueError):
            continue
        pytest.fail(f"{name}({parameter}={wrong!r}) was accepted")
    for negative in NEGATIVE if kind in ("int", "float") else ():
        with suppress(TypeError, ValueError):
            call(function, {**arguments, parameter: negative})


@pytest.mark.parametrize("make", [make_env, lambda: make_vec_env(2), lambda: make_vec_env(2, opponent=None)])
@pytest.mark.parametrize("plies", [value for value in WRONG["int"] if value is not None], ids=repr)
def test_hostile_random_plies_are_refused(make, plies):
    with pytest.raises(TypeError, match="random_plies must be a whole number, not "):
        make().reset(options={"random_plies": plies})


@pytest.mark.parametrize("weight", ["1", True, NAN, INF, Decimal(1), -1.0, None, [1]], ids=repr)
def test_hostile_weights_are_refused(weight):
    with pytest.raises((TypeError, ValueError), match="weights"):
        make_vec_env(2, opponent={"random": weight})
    with pytest.raises((TypeError, ValueError), match="weights"):
        make_vec_env(2, openings={"f5": weight})
    with pytest.raises((TypeError, ValueError), match="weight"):
        League({"random": weight})


@pytest.mark.parametrize("fixed", [{"random"}, frozenset(["random"]), b"random"], ids=repr)
def test_the_fixed_members_of_a_league_have_an_order(fixed):
    with pytest.raises(TypeError, match="expected a list of specs"):
        League(fixed)


@pytest.mark.parametrize("spec", ["alphabeta:depth=٣", "random:epsilon=٣", "engine:ms=٣"])
def test_a_number_in_a_spec_has_ascii_digits(spec):
    with pytest.raises(ValueError, match="must be a"):
        import_module("othello_env").make_agent(spec)


@pytest.mark.parametrize("pairs", [(1, 2, 3), (0, 0, 0, 0, -1), (0, 0, NAN, 0, 0), (0, 0, 0.5, 0, 0), (2**60,) * 5])
def test_a_sequential_test_takes_only_possible_counts(pairs):
    with pytest.raises((TypeError, ValueError), match="number"):
        import_module("othello_env.arena").Sprt(0, 10).judge(pairs)


@pytest.mark.parametrize("shape", [(), (3,), (2, 2, 2)])
def test_advantages_of_wrong_shapes_are_refused(shape):
    arrays = [np.zeros(shape, dtype) for dtype in (float, float, int, bool)]
    with pytest.raises(ValueError, match="expected rewards of shape"):
        import_module("othello_env").self_play_advantages(*arrays, np.zeros(shape[1:]), np.zeros(shape[1:], int))


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
