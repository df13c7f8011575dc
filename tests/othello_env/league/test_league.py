"""A league with environments: it counts games, a loaded league goes on as before, and a killed process does no harm."""

import copy
import json
import os
import random
import signal
import subprocess
import sys
import time

import gymnasium
import numpy as np
import pytest

from othello_env import make_agent, make_vec_env, othello_v0, sample_legal
from othello_env.agent import AgentWrapper, ask
from othello_env.envs import OthelloEnv
from othello_env.games.othello.position import Othello
from othello_env.league import League
from othello_env.league.matches import take_matches
from othello_env.league.results import step_results


def first(observations, masks):
    return masks.argmax(axis=1)


def play(league, envs, rng, steps, every=8):
    """Play with random actions. Returns {name of an opponent: the learner's results against it}."""
    seen = {}
    observation, _ = envs.reset(seed=int(rng.integers(1000)))
    begun = np.ones(envs.num_envs, bool)
    for step in range(steps):
        if step % every == 0:
            envs.unwrapped.set_opponents(league.opponents(3))
        observation, rewards, terminated, _, info = envs.step(sample_legal(observation["action_mask"], rng))
        within = "final_info" in info
        for i in np.flatnonzero(terminated & begun):
            number = info["final_info"]["opponent"][i] if within else info["opponent"][i]
            seen.setdefault(envs.unwrapped.opponents[number], []).append((rewards[i] + 1) / 2)
        league.record(envs, rewards, terminated, info)
        if envs.unwrapped.autoreset_mode.value == "Disabled" and terminated.any():
            observation, _ = envs.reset(options={"reset_mask": terminated})
    return seen


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
@pytest.mark.parametrize("reward", ["result", "margin"])
def test_the_games_of_a_batch_are_counted(ranked, mode, reward):
    league = League([ranked(1), "random"], seed=2)
    league.add(first)
    envs = make_vec_env(24, size=4, autoreset_mode=mode, reward=reward)
    seen = play(league, envs, np.random.default_rng(1), 40)
    if reward == "margin":
        seen = {name: [float(np.sign(2 * p - 1) + 1) / 2 for p in points] for name, points in seen.items()}
    league.add(first)  # the learner's results become the results of this snapshot
    payoffs = league.payoffs()
    assert sum(map(len, seen.values())) > 60
    for j, name in enumerate(payoffs.names[:-1]):
        assert payoffs.games[-1, j] == len(seen.get(name, ()))
        assert payoffs.scores[-1, j] == pytest.approx(np.mean(seen[name]))
    assert league.results.learner == {}


def test_games_against_others_do_not_count(ranked):
    league = League([ranked(1)])
    envs = make_vec_env(8, size=4, opponent="random")
    observation, _ = envs.reset(seed=1)
    counted = ended = 0
    for _ in range(10):
        observation, rewards, terminated, _, info = envs.step(observation["action_mask"].argmax(axis=1))
        counted += league.record(envs, rewards, terminated, info)
        ended += terminated.sum()
    assert ended > 0
    assert counted == 0
    assert league["ranked 1"].games == 0


def test_a_single_environment_changes_its_opponent_at_a_reset(ranked):
    league = League([ranked(k) for k in range(1, 4)], seed=5)
    env = gymnasium.make("othello_env/Othello-v0", size=4)
    rng, met = np.random.default_rng(0), []
    for seed in range(12):
        (player,) = league.draw()
        env.unwrapped.set_opponents(player)
        _, info = env.reset(seed=seed)
        assert env.unwrapped.opponents == (player.name,)
        env.unwrapped.set_opponents("random")  # this opponent plays from the next game on
        over = False
        while not over:
            _, reward, over, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
            assert league.record(env, reward, over, info) == over
        met.append(player.name)
    for member in league:
        assert sum(league.results.learner.get(member.number, [])) == met.count(member.name)
    with pytest.raises(ValueError, match="there is no agent 'nobody'"):
        env.unwrapped.set_opponents("nobody")


def test_an_opponent_that_was_set_is_as_one_from_the_constructor(ranked):
    one, other = OthelloEnv(size=4, opponent=ranked(3)), OthelloEnv(size=4)
    other.set_opponents(ranked(3))
    for seed in range(5):
        (_, a), (_, b) = one.reset(seed=seed), other.reset(seed=seed)
        while a["winner"] == -2:
            action = int(a["action_mask"].argmax())
            a, b = one.step(action)[4], other.step(action)[4]
            assert one.position == other.position
            assert a["winner"] == b["winner"]


def test_a_loop_of_pettingzoo(ranked):
    league = League([ranked(1), ranked(2)], seed=1)
    env = othello_v0.env(size=4)
    for game in range(6):
        (player,) = league.draw()
        env.reset(seed=game)
        learner = env.agents[game % 2]
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            if over and agent == learner:
                league.record_game(player.name, (reward + 1) / 2)
            if over:
                env.step(None)
            elif agent == learner:
                env.step(int(observation["action_mask"].argmax()))
            else:
                env.step(ask(player, env.unwrapped.position))
    assert sum(sum(counts) for counts in league.results.learner.values()) == 6


def test_games_of_three_and_self_play_are_refused():
    league = League(["random"])
    ended = np.array([False, True])
    for opponents in (np.zeros((2, 2), np.int64), np.full(2, -1)):
        with pytest.raises(ValueError, match="a league is for games of a learner against one opponent"):
            league.record(None, np.ones(2), ended, {"opponent": opponents})
    with pytest.raises(ValueError, match="two players; tribolo has 3"):
        league.complete(game="tribolo")


def test_results_from_elsewhere_count_like_those_of_an_environment():
    here, there = (League(["random", "maximizer:eval=count"], half_life=3) for _ in range(2))
    envs, rng = make_vec_env(8, size=4), np.random.default_rng(1)
    observation, _ = envs.reset(seed=1)
    envs.set_opponents(here.opponents() | {first: 1.0})
    games = 0
    for _ in range(60):
        observation, rewards, terminated, _, info = envs.step(sample_legal(observation["action_mask"], rng))
        counted = here.record(envs, rewards, terminated, info)
        found = step_results(envs, rewards, terminated, info)
        assert sum(there.record_results(name, results) for name, results in found) == counted
        assert sum(sum(results) for _, results in found) == terminated.sum()
        games += terminated.sum() - counted
    assert games > 0, "no game was against somebody who is not a member"
    there.opponents()
    assert here.state() == there.state()
    for wrong in ([1, 2], [0, -1, 1], [0.5, 0, 0]):
        with pytest.raises(ValueError, match="expected the numbers of games lost, drawn and won"):
            there.record_results("random", wrong)


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
        return League(["random", "maximizer:eval=count"], keep=3, forget="beaten", freeze_every=4, seed=7)

    whole, part = made(), made()
    expected = train(whole, weights, range(8))
    trace = train(part, weights, range(3))
    part.save(tmp_path / "a")
    part = League.load(tmp_path / "a")
    trace += train(part, weights, range(3, 6))
    policies = {member.name: getattr(member.source, "spec", member.source) for member in part}
    part = League.from_state(json.loads(json.dumps(part.state())), policies)
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


def test_a_snapshots_file_is_not_in_an_option(weights, tmp_path):
    path = tmp_path / "best.npz"
    path.write_bytes(weights(1).read_bytes())
    spec = f"ntuple:weights={path}"
    league = League([spec])  # a fixed opponent, whose file does not change
    with pytest.raises(ValueError, match=r"names the file '.*best\.npz' in an option, and a league does not keep"):
        league.add(spec)
    assert len(league) == 1


def test_a_changed_agent_is_not_saved_as_the_agent_inside(ranked, weights, tmp_path):
    class Saved(ranked):
        def save(self, stem):
            stem.with_suffix(".npz").write_bytes(weights(self.number).read_bytes())
            return f"{stem}.npz"

    class Changed(AgentWrapper):
        """Might play other moves."""

    member = League([Saved(1)]).members[0]
    League([member.player]).save(tmp_path / "a")  # a member of another league is saved as its agent
    assert len(League.load(tmp_path / "a")) == 1
    with pytest.raises(ValueError, match="cannot be saved: it is neither a spec nor a file"):
        League([Changed(Saved(1))]).save(tmp_path / "b")


def test_openings_of_matches_are_a_text(tmp_path):
    league = League(["random", "maximizer:eval=count"])
    with pytest.raises(TypeError, match="expected the openings of a league's matches as a text"):
        league.complete(2, openings=["c3", "d3"], game="othello:size=4")
    league.save(tmp_path / "a")
    assert len(League.load(tmp_path / "a")) == 2


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
    league.add(ranked(3), "mine")
    with pytest.raises(ValueError, match="the member 'mine' cannot be saved: it is neither a spec nor a file"):
        league.save(tmp_path / "a")
    league.forget("mine")
    league.add(ranked(3), "elsewhere", save=lambda stem: "random")
    with pytest.raises(ValueError, match=r"the save of 'elsewhere' must return a spec like .*0003\.safetensors"):
        league.save(tmp_path / "a")
    league.forget("elsewhere")
    league.add(ranked(3), "broken", save=lambda stem: f"{stem}.npz")
    for _ in range(2):  # the second call raises the error again
        with pytest.raises(ValueError, match="the member 'broken' was saved, but cannot be loaded: there is no file"):
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
    (folder / ".league.json.1234.unfinished").touch()
    made(1).save(folder)


MATCHES = {"game": "othello:size=4", "openings": "random:2"}


def test_a_league_does_not_replace_matches_but_can_take_them(weights, tmp_path):
    folder, training = tmp_path / "a", League(["random"], keep=2, seed=3)
    for k in (1, 2):
        training.add(weights(k))
    training.save(folder)
    copied = League.load(folder)
    assert copied.complete(4, **MATCHES) == 12
    copied.save(folder)
    before = (folder / "league.json").read_bytes()
    alone = League.from_state(training.state(), {each.name: first for each in training})
    with pytest.raises(FileExistsError, match=r"has matches that this league lacks; .* adds them"):
        training.save(folder)
    assert (folder / "league.json").read_bytes() == before
    other = League(["random"], keep=2, seed=4)
    assert take_matches(other, folder) == take_matches(training, tmp_path / "none") == 0
    for league in (alone, training):
        league.add(weights(3))  # the first snapshot is forgotten, and its matches, too
    assert take_matches(training, folder) == 4
    assert take_matches(training, folder) == 0
    training.save(folder)
    assert League.load(folder).complete(4, **MATCHES) == 8
    with pytest.raises(ValueError, match="the matches of this league were played with"):
        training.complete(4, game="othello:size=4", openings="random:3")
    assert [str(player) for player in training.draw(9)] == [str(player) for player in alone.draw(9)]


def test_a_league_does_not_replace_one_with_damaged_results(weights, tmp_path):
    league = League(["random"])
    league.save(tmp_path)
    damaged = json.loads((tmp_path / "league.json").read_text()) | {"results": []}
    (tmp_path / "league.json").write_text(json.dumps(damaged))
    assert take_matches(league, tmp_path) == 0
    with pytest.raises(FileExistsError, match="has a league that cannot be read"):
        league.save(tmp_path)


def test_a_league_is_not_saved_among_other_files(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(FileExistsError, match=r"has no league, but other files \(notes\.txt\); give a new folder"):
        League(["random"]).save(tmp_path)
    with pytest.raises(FileExistsError, match=r"notes\.txt' is not a folder"):
        League(["random"]).save(tmp_path / "notes.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("fixed", ["random", 5, make_agent("random")], ids=repr)
def test_fixed_members_are_a_list(fixed):
    with pytest.raises(TypeError, match=r"expected a list of specs, Agents or callables, such as \['random'\], not "):
        League(fixed)


KILLED = """
import sys
from othello_env.league import League
folder, source = sys.argv[1:]
league = League(["random"], keep=3)
for number in range(10**9):
    league.add(source, played=number)
    league.record_game("random", 1.0)
    league.save(folder)
    print(number, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_kill_while_saving_loses_nothing(weights, tmp_path):
    wait = random.Random(4)
    for attempt in range(4):
        folder = tmp_path / str(attempt)
        command = [sys.executable, "-c", KILLED, str(folder), str(weights(1))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for _ in range(3 + attempt):
                process.stdout.readline()
            time.sleep(wait.random() / 100)
            os.kill(process.pid, signal.SIGKILL)
            told = process.stdout.read().split()
        league = League.load(folder)
        last = league.snapshots[-1].played
        assert last >= int(told[-1] if told else 2 + attempt)
        assert len(league.snapshots) == min(3, last + 1)
        assert league.results.pairs(0, 1) == 0
        start = Othello(4)
        assert all(member.player.act(start) in start.legal_actions() for member in league)
        # The league continues in the same folder, and the folder has no other files.
        league.save(folder)
        assert len([*(folder / "members").glob("0*")]) == len(league.snapshots)


@pytest.fixture
def state(weights):
    league = League(["random"], keep=2, seed=3)
    for k in (1, 2):
        league.add(weights(k))
        league.record_game("random", 0.5)
    league.complete(2, game="othello:size=4", openings="random:2")
    return league.state()


DAMAGE = [
    ((), None, "expected the state of a league"),
    (("format",), "x", "expected the state of a league"),
    (("more",), 1, "expected a state with format, settings"),
    (("added",), 1, "each below the state's count of added members"),
    (("added",), 10**30, "expected a count of added"),
    (("drawn",), -1, "expected a count of drawn"),
    (("drawn",), 1.0, "expected a count of drawn"),
    (("settings",), {}, "expected the settings matchmaking"),
    (("settings", "keep"), "2", "keep must be a whole number"),
    (("settings", "half_life"), 1e308, "half_life must be"),
    (("matches",), {"game": 1, "openings": None}, "expected the game and the openings"),
    (("members",), {}, "expected members with numbers"),
    (("members", 0), 5, "expected members with numbers"),
    (("members", 1, "number"), 2, "ascending numbers"),
    (("members", 1, "number"), True, "expected members with numbers"),
    (("members", 1, "name"), "random", "different names"),
    (("members", 1, "name"), "nobody", "no policy for the member 'nobody'"),
    (("members", 1, "name"), ["x"], "different names"),
    (("members", 1, "points"), 1e9, "contradicts itself"),
    (("members", 1, "games"), None, "a wrong games: None"),
    (("members", 1, "played"), -1, "a wrong played: -1"),
    (("members", 0, "frozen"), False, "contradicts itself"),
    (("members", 0, "frozen"), 1, "a wrong frozen: 1"),
    (("results",), [], "expected meetings as a list"),
    (("results", "meetings", 0, 0), 9, "expected two members"),
    (("results", "meetings", 0, 2), [1, 2], "expected 3 counts"),
    (("results", "meetings", 0, 3, 0), -1, "expected 5 counts"),
    (("results", "meetings", 0, 3, 0), 2**60, "expected 5 counts"),
    (("results", "learner", 0, 0), [0], "expected a member"),
    (("results", "learner", 0, 0), 7, "expected a member"),
]


@pytest.mark.parametrize(("path", "value", "text"), DAMAGE, ids=str)
def test_a_damaged_state_is_refused(state, path, value, text):
    damaged = {"": copy.deepcopy(state)}
    inner, name = damaged, ""
    for step in path:
        inner, name = inner[name], step
    inner[name] = value
    policies = {member["name"]: first for member in state["members"]}
    assert len(League.from_state(state, policies)) == 3
    with pytest.raises(ValueError, match=text):
        League.from_state(damaged[""], policies)


@pytest.mark.parametrize("file", ["../0001.npz", "/etc/passwd", "0001.npz/../../x.npz", "0001", "", 3])
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


@pytest.mark.parametrize("frozen", [np.True_, 1])
def test_frozen_may_be_any_kind_of_truth(frozen, tmp_path):
    league = League(["random"])
    league.add("maximizer", frozen=frozen)
    league.add("minimax:depth=1")
    league.freeze("snapshot 2", frozen)
    league.save(tmp_path)
    assert [member.frozen for member in League.load(tmp_path)][1:] == [True, True]


def test_a_league_without_matches_may_play_any_game():
    league = League(["random", "maximizer"])
    assert league.complete(2, **MATCHES) == 2
    with pytest.raises(ValueError, match="were played with the game"):
        league.complete(4, game="othello:size=6", openings="random:4")
    league.forget("maximizer")
    league.add("minimax:depth=2")
    assert league.complete(2, game="othello:size=6", openings="random:4") == 2
