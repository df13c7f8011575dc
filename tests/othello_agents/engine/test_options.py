"""The engine's options, the weights that come with the package, and errors."""

import pickle
import re
import shutil
from importlib import resources
from pathlib import Path

import pytest

from othello_agents.engine import Engine, probcut
from othello_agents.ntuple import agent as ntuple_agent
from othello_agents.ntuple import shipped_network
from othello_env import Othello, WrongGameError, make_agent
from othello_env.agent import SpecError, ask
from othello_env.games.checkers.position import Checkers


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("engine:depth=0", "depth must be 1 to 60, not 0"),
        ("engine:nodes=0", "nodes must be 1 to"),
        ("engine:ms=0", "ms must be a positive number"),
        ("engine:ms=inf", "ms must be a finite number"),
        ("engine:exact=61", "exact must be 0 to 60"),
        ("engine:hash=0", "hash must be 1 to"),
        ("engine:eval=best", "no evaluation 'best'; it has ntuple"),
        ("engine:depth=1.5", "depth must be a whole number"),
        ("engine:plies=3", "no option plies"),
    ],
)
def test_bad_specs_are_refused(spec, message):
    with pytest.raises(SpecError, match=message):
        make_agent(spec)


@pytest.mark.parametrize("ms", ["nan", "inf", "-inf", "-1", "0"])
def test_a_time_without_end_is_refused(ms):
    with pytest.raises(SpecError, match="ms must be a"):
        make_agent(f"engine:ms={ms}")


def test_weights_that_do_not_fit_are_refused(weights, tmp_path):
    with pytest.raises(ValueError, match="for size 6, not 8"):
        Engine(eval=f"ntuple:weights={weights[6]}").act(Othello())
    with pytest.raises(FileNotFoundError):
        make_agent(f'engine:eval="ntuple:weights={tmp_path / "none.npz"}"')
    with pytest.raises(TypeError, match="depth must be a whole number"):
        Engine(depth=2.5)


def test_specs_are_understood(weights):
    spec = f'engine:depth=3,exact=5,eval="ntuple:weights={weights[6]}"'
    engine = make_agent(spec)
    assert repr(engine) == spec
    assert ask(engine, Othello(6)) in Othello(6).legal_actions()
    assert repr(make_agent("engine:ms=100")) == "engine:ms=100"
    assert repr(make_agent("engine")) == repr(make_agent("engine:hash=16")) == "engine"
    assert repr(make_agent("engine:depth=3,hash=1")) == "engine:depth=3,hash=1"


def test_a_file_is_named_whatever_its_name(weights, tmp_path):
    odd = tmp_path / 'a "b", c.npz'
    odd.write_bytes(weights[6].read_bytes())
    engine = Engine(depth=2, eval=f"ntuple:weights={odd}")
    again = make_agent(repr(engine))
    assert again.__reduce__() == engine.__reduce__()
    assert again.act(Othello(6)) == engine.act(Othello(6))


def test_an_engine_travels_to_another_process():
    engine = pickle.loads(pickle.dumps(Engine(depth=3, eval="weighted")))
    assert repr(engine) == "engine:depth=3,eval=weighted"
    assert engine.act(Othello()) in Othello().legal_actions()


def test_bad_positions_are_refused():
    over = Othello.from_text("X" * 64)
    for call in (Engine().act, Engine().analyse, Engine().solve, Engine().action_values):
        with pytest.raises(ValueError, match="game is over"):
            call(over)
    with pytest.raises(ValueError, match="plays Othello, not Checkers"):
        Engine().act(Checkers())


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """A copy of the folder with the package's weights. The engine reads them from this copy."""
    copy = tmp_path / "weights"
    shutil.copytree(Path(str(resources.files("othello_agents"))) / "weights", copy)
    for module in (ntuple_agent, probcut):
        monkeypatch.setattr(module.resources, "files", lambda _: tmp_path)
    caches = shipped_network, probcut.shipped_cuts
    for cache in caches:
        cache.cache_clear()
    yield copy
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize("name", ["ntuple_8x8.npz", "probcut_8x8.json"])
@pytest.mark.parametrize("damage", ["cut", "empty", "other"])
def test_weights_that_ship_and_are_damaged_are_an_error_that_names_the_file(packaged, name, damage):
    file = packaged / name
    data = file.read_bytes()
    file.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "other": b'{"fits": [[[1, 2]]]}'}[damage])
    for spec in ("engine", "engine:eval=ntuple"):
        with pytest.raises(ValueError, match=re.escape(repr(str(file)))) as caught:
            make_agent(spec).act(Othello())
        assert not isinstance(caught.value, WrongGameError)
    assert make_agent("engine:depth=1").act(Othello(6)) in Othello(6).legal_actions()


@pytest.mark.parametrize("name", ["ntuple_8x8.npz", "probcut_8x8.json"])
def test_weights_that_ship_and_are_gone_are_an_error_that_names_the_file(packaged, name):
    (packaged / name).unlink()
    with pytest.raises(FileNotFoundError, match=name):
        make_agent("engine").act(Othello())


def test_where_no_weights_ship_it_counts_mobility():
    start = Othello(4)
    mobility = Engine(depth=3, exact=0, eval="mobility").analyse(start)
    found = Engine(depth=3, exact=0).analyse(start)
    assert (found.best, found.score) == (mobility.best, mobility.score)
    with pytest.raises(WrongGameError, match="no n-tuple weights come with the package for size 4"):
        Engine(eval="ntuple").check_game(start)


@pytest.mark.parametrize("name", ["hash", "threads"])
def test_options_without_an_automatic_choice_need_a_number(name):
    with pytest.raises(TypeError, match=f"{name} must be a whole number, not None"):
        Engine(**{name: None})
