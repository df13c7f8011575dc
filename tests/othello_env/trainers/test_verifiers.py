"""The environment for verifiers: whole episodes with a scripted model behind an endpoint on this machine."""

import asyncio

import pytest
from chat_server import serving
from load_script import SCRIPTS

vf = pytest.importorskip("verifiers.v1", reason="the package needs verifiers, which is not a dependency")

pytestmark = pytest.mark.filterwarnings("ignore")

PACKAGE = SCRIPTS / "environments" / "othello_verifiers"


@pytest.fixture
def model():
    with serving() as server:
        yield server


@pytest.fixture
def play(model, monkeypatch, tmp_path):
    """`play(settings, numbers)` plays the tasks with these numbers, and returns the finished episodes.

    With ``at_once=True``, all games are played at the same time.
    """
    monkeypatch.syspath_prepend(PACKAGE)
    monkeypatch.setenv("HOME", str(tmp_path))

    async def run(settings, numbers, at_once=False, **env):
        taskset = {"id": "othello-verifiers", "legal_moves": True, **settings}
        config = vf.resolve_env_config({"taskset": taskset, **env})
        table = vf.load_environment(config)
        client = vf.EvalClientConfig(base_url=model.url, api_key_var="NO_KEY")
        tasks = list(table.taskset.take(max(numbers) + 1))
        async with table.serving():
            slots = [slot for number in numbers for slot in table.slots(tasks[number])]
            games = [table.run_slot(slot, vf.ModelContext(model="m", client=client)) for slot in slots]
            return await asyncio.gather(*games) if at_once else [await game for game in games]

    return lambda *args, **env: asyncio.run(run(*args, **env))


def test_the_tasks_take_the_opponents_in_turn(monkeypatch):
    monkeypatch.syspath_prepend(PACKAGE)
    taskset = vf.load_taskset(
        vf.taskset_config_type("othello-verifiers")(id="othello-verifiers", game="othello:size=4")
    )
    tasks = list(taskset.take(9))
    names = [task.data.settings["opponent"] for task in tasks]
    assert names[:4] == taskset.config.opponents == names[4:8]
    assert [task.data.settings["seed"] for task in tasks] == list(range(9))
    assert len({task.key for task in tasks}) == 9


@pytest.mark.parametrize("wrong_every", [0, 3, 1])
def test_one_seat(play, model, wrong_every):
    model.wrong_every = wrong_every
    episodes = play({"game": "othello:size=4", "openings": "random:2"}, [0, 1, 5])
    faults = 0
    for episode in episodes:
        assert episode.ok, episode.errors
        (trace,) = episode.traces
        assert trace.ok
        assert trace.agent.name == "player"
        assert 0 <= trace.reward <= 1
        assert (trace.reward > 0.1) == (wrong_every != 1)
        assert trace.metrics["illegal"] == 0
        faults += trace.metrics["unreadable"]
        said = [node.message.content for node in trace.nodes if node.message.role == "user"]
        assert said[0].startswith("This is Othello on a board of 4 rows")
        assert sum("This is Othello" in text for text in said) == 1
    assert faults == (model.asked // wrong_every if wrong_every else 0)
    if wrong_every == 1:
        assert [episode.traces[0].reward for episode in episodes] == [0, 0, 0]


def test_games_at_the_same_time_are_played_to_their_ends(play, model):
    episodes = play({"game": "othello:size=6", "openings": "random:16"}, range(12), at_once=True)
    assert len(episodes) == 12
    for episode in episodes:
        assert episode.ok, episode.errors
        assert 0.1 < episode.traces[0].reward <= 1


def test_both_seats(play, model):
    for episode in play(
        {"game": "othello:size=6", "openings": "random:20", "reward": "result"}, [0, 1, 2], both_seats=True
    ):
        assert episode.ok, episode.errors
        rewards = {trace.agent.name: trace.reward for trace in episode.traces}
        assert set(rewards) == {"player", "second"}
        assert sum(rewards.values()) == pytest.approx(1.2)  # a win is 1, a loss 0.2, a draw 0.6


def test_of_both_seats_the_one_that_answers_wrongly_loses(play, model):
    model.wrong_every = 1
    (episode,) = play({"game": "checkers", "openings": None, "reward": "result"}, [0], both_seats=True)
    assert episode.ok, episode.errors
    rewards = {trace.agent.name: trace.reward for trace in episode.traces}
    assert rewards == {"player": 0, "second": 1}


@pytest.mark.parametrize("both_seats", [False, True])
def test_an_error_of_the_endpoint_voids_the_game_for_all_seats(play, model, both_seats):
    model.fails_at = 4
    (episode,) = play({"game": "othello:size=4", "openings": None}, [0], both_seats=both_seats)
    assert not episode.ok
    assert len(episode.traces) == 1 + both_seats
    for trace in episode.traces:
        assert not trace.ok
        assert trace.rewards == {}
