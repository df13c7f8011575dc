"""The comparison of leagues continues what was interrupted, and keeps the matches that were played."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch", reason="the recipes need PyTorch, an optional extra")

from othello_agents.ntuple import NTupleNetwork
from othello_env.league import League


@pytest.fixture
def compare(recipe):
    return recipe("compare_leagues")


def write(path, seed):
    network = NTupleNetwork(4)
    network.weights[:] = np.random.default_rng(seed).normal(size=network.weights.shape)
    network.save(path)
    return path


def test_the_matches_of_unchanged_agents_are_kept(compare, tmp_path):
    folder = tmp_path / "league"
    agents = {name: write(tmp_path / f"{name}.npz", seed) for seed, name in enumerate(("a", "b"))}
    compare.gather(agents, folder)
    league = League.load(folder)
    assert [member.name for member in league] == [*compare.LADDER, "a", "b"]
    league.complete(2, game="othello:size=4", openings="random:2")
    league.save(folder)
    compare.gather(agents, folder)
    assert League.load(folder).state() == league.state()
    more = agents | {"c": write(tmp_path / "c.npz", 2)}
    compare.gather(more, folder)
    assert len(League.load(folder)) == len(league) + 1
    assert League.load(folder).results.all_pairs == league.results.all_pairs
    before = (folder / "league.json").read_bytes()
    with pytest.raises(ValueError, match=r"league also has the agents c; move this folder away"):
        compare.gather(agents, folder)
    write(agents["b"], 3)
    with pytest.raises(ValueError, match=r"league has matches of another agent 'b'; move this folder away"):
        compare.gather(more, folder)
    assert (folder / "league.json").read_bytes() == before


@pytest.mark.parametrize("name", ["newest-1.safetensors", "newest-1.state.safetensors", None])
def test_a_training_is_resumed_if_it_has_begun(compare, tmp_path, monkeypatch, name):
    given = []

    def train(words):
        given.append(words)
        return SimpleNamespace(iteration=5, interrupted=False)

    monkeypatch.setattr(compare, "train", train)
    if name:
        (tmp_path / name).touch()
    found = compare.train_all(compare.Arguments(out=tmp_path, iterations=5, seeds=(1,), resume=True))
    assert [*found] == ["league 1", "newest 1", "fixed 1"]
    assert ["--resume" in words for words in given] == [False, bool(name), False]


def test_an_interrupt_in_the_last_iteration_ends_the_script_too(compare, tmp_path, monkeypatch):
    begun = []

    def train(words):
        begun.append(words)
        return SimpleNamespace(iteration=5, interrupted=True)

    monkeypatch.setattr(compare, "train", train)
    with pytest.raises(SystemExit, match="interrupted; --resume continues"):
        compare.train_all(compare.Arguments(out=tmp_path, iterations=5, seeds=(1,)))
    assert len(begun) == 1


def test_a_seed_that_is_given_twice_is_refused_at_once(compare, tmp_path, capsys):
    with pytest.raises(SystemExit):
        compare.main(["--out", str(tmp_path / "c"), "--seeds", "1", "2", "1"])
    assert "--seeds gives a seed twice: 1 2 1" in capsys.readouterr().err
