"""Runs of PPO: a resumed run equals an uninterrupted one, and what a run writes, prints and refuses."""

import json
import re
import signal
import sys

import pytest
from ppo_settings import SMALL

torch = pytest.importorskip("torch", reason="PPO needs PyTorch, an optional extra")

from othello_agents.network.neural import load_network, read_tensors, write_tensors  # noqa: E402
from othello_env import Othello, make_agent  # noqa: E402
from othello_env.arena import measure_regret  # noqa: E402
from othello_env.arena.match import play_match  # noqa: E402
from othello_env.league import League  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def options(settings):
    return [text for name, value in settings.items() for text in (f"--{name.replace('_', '-')}", str(value))]


def run(ppo, out, iterations, *more, settings=None):
    arguments = [
        "--out",
        str(out),
        "--iterations",
        str(iterations),
        "--every",
        "100",
        "--match",
        "2",
        "--device",
        "cpu",
    ]
    return ppo.main([*arguments, *options(settings or SMALL), *more])


def test_the_state_is_also_saved_between_two_points_of_the_curve(ppo, tmp_path, monkeypatch):
    saved, save = [], ppo.Learner.save
    monkeypatch.setitem(ppo.run.__globals__, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(ppo.Learner, "save", lambda self, *more: saved.append(self.iteration) or save(self, *more))
    out = tmp_path / "a.safetensors"
    run(ppo, out, 3)
    assert {1, 2} <= {*saved}
    curve = (tmp_path / "a.json").read_bytes()
    (tmp_path / "a.json").unlink()  # as if the process had been killed before it wrote the last files
    run(ppo, out, 3, "--resume")
    assert (tmp_path / "a.json").read_bytes() == curve


def same(a, b):
    assert a.iteration == b.iteration
    assert a.plies == b.plies
    assert a.league.state() == b.league.state()
    assert [*a.past] == [*b.past]
    networks = [[each.network, each.average, *each.past.values()] for each in (a, b)]
    for ours, theirs in zip(*networks, strict=True):
        for name, weight in ours.weights.items():
            assert torch.equal(weight, theirs.weights[name]), name
    for ours, theirs in zip(a.parameters, b.parameters, strict=True):
        for name, value in a.optimizer.state[ours].items():
            assert torch.equal(value, b.optimizer.state[theirs][name])


def test_a_resumed_run_equals_an_uninterrupted_one(ppo, tmp_path):
    whole = run(ppo, tmp_path / "whole.safetensors", 4)
    first = run(ppo, tmp_path / "parts.safetensors", 2)
    assert first.iteration == 2
    parts = run(ppo, tmp_path / "parts.safetensors", 4, "--resume")
    same(whole, parts)
    assert not torch.equal(first.parameters[0], parts.parameters[0])
    curve = json.loads((tmp_path / "parts.json").read_text())["curve"]
    assert [point["iteration"] for point in curve] == [0, 2, 4]
    other = run(ppo, tmp_path / "other.safetensors", 4, settings=SMALL | {"seed": 2})
    assert not torch.equal(whole.parameters[0], other.parameters[0])


def test_a_resumed_run_keeps_the_matches_of_its_league(ppo, tmp_path):
    whole = run(ppo, tmp_path / "whole.safetensors", 3)
    out, folder = tmp_path / "parts.safetensors", tmp_path / "parts.league"
    run(ppo, out, 2)
    league = League.load(folder)
    games = league.complete(2, game="othello:size=4", openings="random:2")
    league.save(folder)
    parts = run(ppo, out, 3, "--resume")
    kept = League.load(folder)
    assert kept.state()["matches"] == league.state()["matches"]
    assert 0 < 2 * kept.results.all_pairs < games  # a snapshot was added, and another one was forgotten
    assert parts.league.results.pairs(0, 1) == kept.results.pairs(0, 1) == 1
    for one, other in zip(whole.parameters, parts.parameters, strict=True):
        assert torch.equal(one, other)


def test_a_run_is_refused_if_its_folder_has_another_league(ppo, tmp_path):
    League(["random"]).save(tmp_path / "a.league")
    with pytest.raises(SystemExit, match=r"^iteration 0: .*a\.league' has another league"):
        run(ppo, tmp_path / "a.safetensors", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.league"]


def test_a_run_says_between_its_points_how_it_goes(ppo, tmp_path, capsys, monkeypatch):
    import _run

    monkeypatch.setattr(_run, "LINE_SECONDS", 0.0)
    run(ppo, tmp_path / "a.safetensors", 2)
    lines = re.sub(r"[\d,.]+", "#", capsys.readouterr().out).splitlines()
    assert len(lines) == 4  # two points of the curve, and a line after each of two iterations
    scores = "random # maximizer # alphabeta # perfect moves #"
    for line in lines[1:3]:
        assert line.replace("-", "") == (
            "iteration #  # plies  # s  # plies a second  policy #  value #  entropy #  last scores: " + scores
        )


def test_an_interrupt_ends_a_run_that_can_go_on(ppo, tmp_path, monkeypatch):
    out = tmp_path / "a.safetensors"
    iterate = ppo.Learner.iterate

    def interrupted(learner):
        if learner.iteration == 1:
            signal.raise_signal(signal.SIGINT)
        return iterate(learner)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(ppo.Learner, "iterate", interrupted)
    stopped = run(ppo, out, 3)
    monkeypatch.undo()
    assert stopped.iteration == 2
    assert signal.getsignal(signal.SIGINT) is before
    same(run(ppo, out, 3, "--resume"), run(ppo, tmp_path / "b.safetensors", 3))


def test_an_interrupt_in_a_measurement_ends_the_run_there(ppo, tmp_path, monkeypatch):
    measure = ppo.Learner.measure

    def interrupted(learner, *arguments):
        signal.raise_signal(signal.SIGINT)
        return measure(learner, *arguments)

    monkeypatch.setattr(ppo.Learner, "measure", interrupted)
    assert run(ppo, tmp_path / "a.safetensors", 3).iteration == 0


def test_a_second_interrupt_in_the_last_measurement_loses_nothing(ppo, tmp_path, monkeypatch):
    out, measure = tmp_path / "a.safetensors", ppo.Learner.measure

    def interrupted(learner, *arguments):
        if learner.iteration:
            raise KeyboardInterrupt
        return measure(learner, *arguments)

    monkeypatch.setattr(ppo.Learner, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(ppo, out, 2)
    monkeypatch.undo()
    monkeypatch.setattr(ppo.Learner, "iterate", None)  # the resumed run has no iteration left
    resumed = run(ppo, out, 2, "--resume")
    monkeypatch.undo()
    same(resumed, run(ppo, tmp_path / "b.safetensors", 2))
    points = [json.loads((tmp_path / f"{name}.json").read_text())["curve"][-1] for name in "ab"]
    losses = [{name: point[name] for name in ("policy", "value", "entropy")} for point in points]
    assert losses[0] == losses[1]


def test_what_a_run_writes(ppo, tmp_path):
    out = tmp_path / "deep" / "a.safetensors"
    learner = run(ppo, out, 1)
    assert sorted(path.name for path in out.parent.iterdir()) == [
        "a.json",
        "a.league",
        "a.png",
        "a.safetensors",
        "a.state.safetensors",
    ]
    agent = make_agent(str(out))
    match = play_match(agent, "random", games=4, seed=1, openings=None, new_game=lambda _: Othello(4))
    assert not match.faults(0)
    assert learner.average.training["settings"]["size"] == 4
    for point in json.loads(out.with_suffix(".json").read_text())["curve"]:
        assert set(point["scores"]) == set(ppo.LADDER)
    with pytest.raises(SystemExit, match=r"^--resume: --channels was 4, not 5, --rate was 0\.00\d+, not 0\.5$"):
        run(ppo, out, 2, "--resume", settings=SMALL | {"channels": 5, "rate": 0.5})
    with pytest.raises(SystemExit, match=r"none\.state\.safetensors"):
        run(ppo, tmp_path / "none.safetensors", 2, "--resume")


def test_where_nothing_can_be_written_nothing_is_learned(ppo, tmp_path, monkeypatch):
    (tmp_path / "a.state.safetensors").mkdir()
    monkeypatch.setattr(ppo.Learner, "measure", None)
    with pytest.raises(SystemExit, match=r"^iteration 0: .*a\.state\.safetensors' is not a regular file"):
        run(ppo, tmp_path / "a.safetensors", 1)


@pytest.mark.parametrize("rate", [1e3, 1e9])
def test_a_run_that_diverges_ends_and_keeps_what_was_good(ppo, tmp_path, rate):
    out = tmp_path / "a.safetensors"
    with pytest.raises(SystemExit, match=r"^iteration \d+: the training has diverged"):
        run(ppo, out, 30, settings=SMALL | {"rate": rate})
    assert [point["iteration"] for point in json.loads(out.with_suffix(".json").read_text())["curve"]] == [0]
    assert make_agent(str(out)).act(Othello(4)) in Othello(4).legal_actions()
    kept, _ = ppo.Learner.load(out.with_suffix(".state.safetensors"), ppo.Settings(**SMALL | {"rate": rate}))
    assert kept.iteration == 0
    for name, weight in ppo.Learner(kept.settings).network.weights.items():
        assert torch.equal(kept.network.weights[name], weight)


def test_a_trained_agent_is_not_overwritten(ppo, tmp_path, capsys):
    out = tmp_path / "a.safetensors"
    out.write_bytes(b"trained")
    with pytest.raises(SystemExit) as stop:
        run(ppo, out, 1)
    assert stop.value.code == 2
    assert capsys.readouterr().err.endswith(f"{out} exists; --resume continues it\n")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"trained"]
    state = out.rename(tmp_path / "a.state.safetensors")
    with pytest.raises(SystemExit) as stop:
        run(ppo, out, 1)
    assert stop.value.code == 2
    assert capsys.readouterr().err.endswith(f"{state}, the state of a run, exists; --resume continues this run\n")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"trained"]
    curve = state.rename(tmp_path / "a.json")  # for example of an n-tuple network a.npz
    with pytest.raises(SystemExit) as stop:
        run(ppo, out, 1)
    assert stop.value.code == 2
    assert f"{curve}, where this run would write its curve, exists" in capsys.readouterr().err
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"trained"]


def test_each_point_is_a_line_and_a_terminal_shows_what_goes_on_between(ppo, tmp_path, capsys, monkeypatch):
    run(ppo, tmp_path / "a.safetensors", 1)
    told = capsys.readouterr()
    scores = "random #  maximizer #  alphabeta #  perfect moves #"
    assert re.sub(r"\d+ s|\d\.\d\d", "#", told.out).splitlines() == [
        f"iteration 0  0 plies  #  {scores}",
        f"iteration 1  192 plies  #  {scores}",
    ]
    assert told.err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run(ppo, tmp_path / "b.safetensors", 1)
    shown = re.sub(r"\d+ s", "#", capsys.readouterr().err).replace("\x1b[K", "").split("\r")
    first, second = "iteration 0  0 plies  #", "iteration 1  192 plies  #"
    assert shown == ["", f"{first}  measuring", "", first, f"{second}  measuring", ""]


def test_the_curve_has_the_rating_on_the_ladder(ppo, tmp_path):
    out = tmp_path / "a.safetensors"
    run(ppo, out, 1, "--match", "40", settings=SMALL | {"size": 8})
    curve = json.loads(out.with_suffix(".json").read_text())["curve"]
    assert len(curve) == 2
    for point in curve:
        assert point["elo95"][0] < point["elo"] < point["elo95"][1]
    assert load_network(out).training["elo"] == curve[-1]["elo"]


def test_on_a_small_board_the_curve_has_the_share_of_perfect_moves(ppo, tmp_path):
    out = tmp_path / "a.safetensors"
    learner = run(ppo, out, 1)
    last = json.loads(out.with_suffix(".json").read_text())["curve"][-1]
    regret = measure_regret(learner.agent, size=4)
    assert (last["perfect moves"], last["discs lost"]) == (round(regret.rate, 4), round(regret.loss, 3))
    assert "elo" not in last


def test_tensorboard_shows_the_curve(ppo, tmp_path):
    pytest.importorskip("tensorboard", reason="TensorBoard is an optional package")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    out, logs = tmp_path / "a.safetensors", tmp_path / "logs"
    run(ppo, out, 1, "--tensorboard", str(logs))
    run(ppo, out, 1, "--tensorboard", str(logs), "--resume")  # the run is complete, so nothing is added
    curve = json.loads(out.with_suffix(".json").read_text())["curve"]
    shown = EventAccumulator(str(logs))
    shown.Reload()
    for opponent in ppo.LADDER:
        scores = [event.value for event in shown.Scalars(f"score/{opponent}")]
        assert scores == [point["scores"][opponent] for point in curve]
    assert len(shown.Scalars("train/policy")) == 1


@pytest.fixture(scope="module")
def state(ppo, tmp_path_factory):
    """The file for ``--resume`` that a run of two iterations writes: its tensors, and its card (a dict of settings)."""
    out = tmp_path_factory.mktemp("state") / "a.safetensors"
    run(ppo, out, 2)
    return read_tensors(out.with_suffix(".state.safetensors"))


@pytest.mark.parametrize(
    ("tensors", "card", "message"),
    [
        ({}, {"format": "other"}, "is not a run of this recipe"),
        ({}, {"settings": None}, "is not a run of this recipe"),
        ({}, {"settings": {"size": 4}}, "is not a run of this recipe"),
        ({}, {"iteration": 2.0}, "wrong iteration: 2.0"),
        ({}, {"iteration": 10**200}, "wrong iteration: 1000"),
        ({"past.1.first.weight": None}, {}, r"past\.1\.first\.weight"),
        ({}, {"league": None}, "expected the state of a league"),
        ({}, {"league": {"format": "othello-env league 1"}}, "Object missing required field `settings`"),
        ({}, {"progress": None}, "wrong curve: None"),
        ({}, {"progress": {"seconds": "1", "curve": []}}, "wrong curve"),
        ({}, {"progress": {"seconds": 1.0, "curve": [{"iteration": 1}]}}, "wrong curve"),
        ({}, {"progress": {"seconds": 1.0, "curve": [], "losses": []}}, "wrong curve"),
        ({}, {"progress": {"seconds": 1.0, "curve": [], "losses": {"policy": "1"}}}, "wrong curve"),
        ({"weights.first.bias": None}, {}, r"expected weights\.first\.bias as floats of shape \(4,\), got nothing"),
        ({"weights.first.bias": torch.zeros(1)}, {}, r"got torch\.float32 of shape \(1,\)"),
        ({"weights.first.bias": torch.full((4,), torch.nan)}, {}, "not all finite"),
        ({"adam.first.bias.exp_avg": torch.zeros(4, 4)}, {}, r"expected adam\.first\.bias\.exp_avg"),
        ({"adam.first.bias.step": torch.tensor(3)}, {}, r"expected adam\.first\.bias\.step"),
        ({"average.first.bias": None}, {}, r"average\.first\.bias"),
    ],
    ids=str,
)
def test_a_damaged_run_is_told(ppo, state, tmp_path, tensors, card, message):
    out = tmp_path / "a.safetensors"
    changed = {name: tensor for name, tensor in (state[0] | tensors).items() if tensor is not None}
    write_tensors(out.with_suffix(".state.safetensors"), changed, state[1] | card)
    with pytest.raises(SystemExit, match=rf"^--resume: .*{message}"):
        run(ppo, out, 3, "--resume")


def test_a_run_of_an_earlier_version_goes_on_with_the_residual_network(ppo, tmp_path):
    whole = run(ppo, tmp_path / "whole.safetensors", 2)
    out = tmp_path / "a.safetensors"
    run(ppo, out, 1)
    tensors, card = read_tensors(out.with_suffix(".state.safetensors"))
    card["settings"]["network"] = ""  # as earlier versions wrote it
    write_tensors(out.with_suffix(".state.safetensors"), tensors, card)
    same(run(ppo, out, 2, "--resume"), whole)
