"""The folder of a league: a loaded league goes on as before, nothing is replaced, and damage is named."""

import json
import os
import re

import numpy as np
import pytest
from league_games import MATCHES, play

from othello_env import make_vec_env
from othello_env.games.othello.position import Othello
from othello_env.league import League


def train(league, weights, iterations):
    """A run whose actions depend only on the number of the iteration and on the league's draws."""
    trace = []
    for k in iterations:
        league.add(str(weights(k)), played=100 * k)
        play(league, make_vec_env(16, size=4), np.random.default_rng(k), 24)
        trace.append([repr(player) for player in league.draw(5)])
    return trace


def test_a_resumed_league_equals_one_that_was_never_stopped(weights, tmp_path):
    def made():
        return League(["random", "maximizer:eval=count"], keep=3, seed=7)

    whole, part = made(), made()
    expected = train(whole, weights, range(8))
    trace = train(part, weights, range(3))
    part.save(tmp_path / "a")
    part = League.load(tmp_path / "a")
    trace += train(part, weights, range(3, 6))
    part.save(tmp_path / "a")
    part = League.load(tmp_path / "a")
    trace += train(part, weights, range(6, 8))
    assert trace == expected
    for league in (whole, part):
        league.save(tmp_path / "b")
        assert (tmp_path / "b" / "league.json").read_bytes() == _saved(whole, tmp_path / "c")


def _saved(league, folder):
    league.save(folder)
    return (folder / "league.json").read_bytes()


def test_a_saved_league_has_the_files_of_its_members_only(weights, tmp_path):
    league = League(["random", f"{weights(1)}:epsilon=0.5"], keep=2)
    for k in range(2, 6):
        league.add(weights(k), f"after {k}")
        league.save(tmp_path / "a")
    assert sorted(path.name for path in (tmp_path / "a" / "members").iterdir()) == ["0001.npz", "0004.npz", "0005.npz"]
    (tmp_path / "a").rename(tmp_path / "moved")
    loaded = League.load(tmp_path / "moved")
    assert repr(loaded.members[1].player.agent).endswith("0001.npz:epsilon=0.5")
    assert [member.name for member in loaded] == [member.name for member in league]
    loaded.save(tmp_path / "copy")
    assert (tmp_path / "copy" / "members" / "0004.npz").read_bytes() == weights(4).read_bytes()


def test_a_file_may_change_after_it_was_added(weights, tmp_path):
    path = tmp_path / "newest.npz"
    league = League()
    for k in (1, 2):
        path.write_bytes(weights(k).read_bytes())
        league.add(path)
    path.unlink()
    league.save(tmp_path / "a")
    found = [(tmp_path / "a" / "members" / name).read_bytes() for name in ("0000.npz", "0001.npz")]
    assert found == [weights(k).read_bytes() for k in (1, 2)]


def test_policies_save_themselves_or_are_saved(ranked, weights, tmp_path):
    class Saved(ranked):
        def save(self, stem):
            stem.with_suffix(".npz").write_bytes(weights(self.number).read_bytes())
            return f"{stem}.npz:epsilon=0.25"

    league = League()
    league.add(Saved(1))
    league.add(ranked(2), save=Saved(2).save)
    league.save(tmp_path / "a")
    assert [repr(member.player.agent)[-12:] for member in League.load(tmp_path / "a")] == ["epsilon=0.25"] * 2
    before = (tmp_path / "a" / "league.json").read_bytes()
    more = League.load(tmp_path / "a")
    more.add(ranked(3), "mine")
    with pytest.raises(ValueError, match="the member 'mine' cannot be saved: it is neither a spec nor a file"):
        more.save(tmp_path / "a")
    assert (tmp_path / "a" / "league.json").read_bytes() == before
    with pytest.raises(ZeroDivisionError):  # an error of the function itself
        league.add(ranked(3), "zero", save=lambda stem: 1 / 0)
    assert [member.name for member in league] == ["snapshot 1", "snapshot 2"]
    league.save(tmp_path / "a")
    before = (tmp_path / "a" / "league.json").read_bytes()
    works = [True]
    league.add(ranked(3), "later", save=lambda stem: Saved(3).save(stem) if works else f"{stem}.npz")
    works.clear()
    for _ in range(2):  # the second call raises the error again
        with pytest.raises(ValueError, match="the member 'later' was saved, but cannot be loaded: there is no file"):
            league.save(tmp_path / "a")
    assert (tmp_path / "a" / "league.json").read_bytes() == before


def test_a_league_does_not_replace_another(weights, tmp_path):
    def made(number, **settings):
        league = League(["random"], **settings)
        for k in range(number):
            league.add(str(weights(k + 1)), f"after {k}")
        return league

    folder = tmp_path / "a"
    made(2).save(folder)
    before = (folder / "league.json").read_bytes()
    other = made(1)
    other.add("maximizer", "not after 1")
    for league in (made(1), made(3, seed=1), made(3, keep=5), other, League(["maximizer"])):
        with pytest.raises(FileExistsError, match="has another league, or a later state of this league"):
            league.save(folder)
    assert (folder / "league.json").read_bytes() == before
    for league in (League.load(folder), made(2), made(3)):
        league.save(folder)
    (folder / "league.json").write_text("{}")
    with pytest.raises(FileExistsError, match="has a league that cannot be read"):
        made(9).save(folder)
    (folder / "league.json").unlink()  # as if a kill had ended the first save
    (folder / ".league.json.1234.tmp").touch()
    made(1).save(folder)


def test_a_loaded_league_keeps_its_matches(weights, tmp_path):
    league = League(["random"], keep=2, seed=3)
    for k in (1, 2):
        league.add(weights(k))
    assert league.complete(4, **MATCHES) == 12
    league.save(tmp_path)
    loaded = League.load(tmp_path)
    assert loaded.complete(4, **MATCHES) == 0
    loaded.add(weights(3))  # the first snapshot is forgotten, and its matches, too
    assert loaded.complete(4, **MATCHES) == 8
    with pytest.raises(ValueError, match="the matches of this league were played with"):
        loaded.complete(4, game="othello:size=4", openings="random:3")


@pytest.mark.parametrize("files", [0, 2])
def test_a_save_that_ends_early_keeps_the_earlier_league(weights, tmp_path, monkeypatch, files):
    league = League(["random"], keep=2)
    for k in (1, 2):
        league.add(weights(k), played=k)
    league.save(tmp_path)
    for k in (3, 4):
        league.add(weights(k), played=k)
    synced, left = os.fsync, [None] * files

    def sync(descriptor):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        synced(descriptor)

    monkeypatch.setattr(os, "fsync", sync)
    with pytest.raises(KeyboardInterrupt):
        league.save(tmp_path)
    monkeypatch.undo()
    loaded, start = League.load(tmp_path), Othello(4)
    assert [member.played for member in loaded.snapshots] == [1, 2]
    assert all(member.player.act(start) in start.legal_actions() for member in loaded)
    league.save(tmp_path)
    assert [member.played for member in League.load(tmp_path).snapshots] == [3, 4]
    assert sorted(path.name for path in (tmp_path / "members").iterdir()) == ["0003.npz", "0004.npz"]


@pytest.fixture
def state(weights, tmp_path):
    """The values in the file of a league, whose folder is `tmp_path`."""
    league = League(["random"], keep=2, seed=3)
    for k in (1, 2):
        league.add(weights(k))
        league.record_game("random", 0.5)
    league.complete(2, game="othello:size=4", openings="random:2")
    league.save(tmp_path)
    return json.loads((tmp_path / "league.json").read_text())


DAMAGE = [
    (("more",), 1, "Object contains unknown field `more`"),
    (("added",), 1, "each below the number of added members"),
    (("settings", "keep"), 0, "keep must be 1 to 1000000000, not 0 - at `$.settings`"),
    (("settings", "half_life"), 1e308, "half_life must be"),
    (("members", 1, "number"), 2, "ascending numbers"),
    (("members", 1, "name"), "random", "different names"),
    (("members", 1, "points"), 1e9, "the member 'snapshot 1' contradicts itself"),
    (("results", "meetings", 0, 0), 9, "expected each two members"),
    (("results", "meetings", 0, 3, 0), -1, "got -1 - at `$.results.meetings[0][3][0]`"),
    (("results", "learner", 0, 0), 7, "expected each member at most once in learner"),
]


@pytest.mark.parametrize(("path", "value", "text"), DAMAGE, ids=str)
def test_a_damaged_file_is_refused(state, tmp_path, path, value, text):
    inner, name = {"": state}, ""
    for step in path:
        inner, name = inner[name], step
    assert len(League.load(tmp_path)) == 3
    inner[name] = value
    (tmp_path / "league.json").write_text(json.dumps(state))
    with pytest.raises(ValueError, match=f"league.json' is not the file of a league: .*{re.escape(text)}"):
        League.load(tmp_path)


@pytest.mark.parametrize("file", ["../0001.npz", "/etc/passwd", "0001"])
def test_a_member_is_in_the_leagues_folder(state, tmp_path, file):
    state["members"][1]["source"] = {"file": file, "options": ""}
    (tmp_path / "league.json").write_text(json.dumps(state))
    with pytest.raises(ValueError, match=r"has no league that can be read: the member 'snapshot 1' has no policy"):
        League.load(tmp_path)


def test_a_folder_without_a_league_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"league\.json"):
        League.load(tmp_path)
    (tmp_path / "league.json").write_text("[")
    with pytest.raises(ValueError, match=r"league\.json' is not the file of a league"):
        League.load(tmp_path)
