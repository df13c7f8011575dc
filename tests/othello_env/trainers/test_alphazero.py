"""AlphaZero by self-play: it learns, wins count for the right player, and a resumed run equals an uninterrupted one."""

import json
import re
import signal
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="AlphaZero needs PyTorch, an optional extra")

from othello_agents.network.neural import load_network, read_tensors, write_tensors  # noqa: E402
from othello_env import Othello, make_agent  # noqa: E402
from othello_env.arena.match import play_match  # noqa: E402
from othello_env.games.othello.positions import OthelloPositions  # noqa: E402

SMALL = {"size": 4, "channels": 4, "blocks": 1, "games": 8, "simulations": 4, "window": 150, "minibatch": 32}

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def alphazero(recipe):
    return recipe("train_alphazero")


def options(settings):
    return [text for name, value in settings.items() for text in (f"--{name.replace('_', '-')}", str(value))]


def run(alphazero, out, iterations, *more, settings=None):
    arguments = ["--out", str(out), "--iterations", str(iterations), "--every", "100", "--match", "2"]
    return alphazero.main([*arguments, "--device", "cpu", *options(settings or SMALL), *more])


def test_it_learns_to_beat_random_play(alphazero):
    learner = alphazero.Learner(
        alphazero.Settings(size=4, channels=12, blocks=1, games=48, simulations=12, minibatch=128, rate=3e-3)
    )

    def score():
        return learner.measure(100, 12, ("random",))["random"].score

    before = score()
    for _ in range(12):
        seen = learner.iterate()
    assert before < 0.6
    assert score() > 0.7
    assert seen["value"] < 0.7  # a value that is always 0 has the error 1 minus the share of draws
    assert learner.games == 12 * 48


def test_few_positions_are_learned_from_as_often_as_many(alphazero):
    learner = alphazero.Learner(alphazero.Settings(**SMALL | {"games": 1, "window": 1000}, reuse=0.7))
    learn, changes = learner.learn, []
    learner.learn = lambda number, rng: changes.append(number) or learn(number, rng)
    for _ in range(12):
        learner.iterate()
    assert 0 in changes
    assert sum(changes) == int(learner.replay.added * 0.7 / SMALL["minibatch"]) > 0


def test_a_won_games_positions_are_worth_a_win_to_the_winner_alone(alphazero):
    # The result of a position is minus the result of the next position, because there the other player is to move. So
    # one of the positions that can follow must have the opposite result. If that position is the end of a game, the
    # rules give its result. Otherwise the records do.
    learner = alphazero.Learner(alphazero.Settings(**SMALL | {"games": 30, "random_plies": 40}, seed=3))
    found = alphazero.play(learner.settings, {"newest": learner.network}, 0, np.random.default_rng(1))
    own, opponent, value = (found[name].tolist() for name in ("own", "opponent", "value"))
    successors = {}  # {(own, opponent): the results that were recorded for this position}

    def results(state):
        """The possible results for the player to move: by the rules if the game is over, otherwise by the records."""
        if state.is_over:
            return {state.returns()[state.to_move]}
        if state.must_pass:
            return {-result for result in results(state.play(state.pass_action))}
        return successors.get((state.own, state.opponent), set())

    for mine, other, worth in zip(own[::-1], opponent[::-1], value[::-1], strict=True):
        state = Othello.from_bits(mine, other, 0, 4)
        next_results = set().union(*(results(state.play(action)) for action in state.legal_actions()))
        assert -worth in next_results, state
        successors.setdefault((mine, other), set()).add(worth)
    assert set(value) >= {-1.0, 1.0}


def test_what_is_learned_from_is_a_policy_over_legal_actions(alphazero):
    learner = alphazero.Learner(alphazero.Settings(**SMALL))
    for _ in range(3):
        learner.iterate()
    assert learner.replay.added > len(learner.replay) == 150
    kept = learner.replay.arrays
    boards = OthelloPositions(kept["own"], kept["opponent"], np.zeros(150, np.int8), kept["own"], 4)
    assert ((kept["policy"] > 0) <= (boards.masks() > 0)).all()
    np.testing.assert_allclose(kept["policy"].sum(axis=1), 1, atol=1e-5)
    assert not boards.masks()[:, -1].any()  # no position with a forced pass is kept


def test_the_newest_positions_are_kept(alphazero):
    replay = alphazero.Replay(5, 3)

    def add(*numbers):
        array = np.array(numbers)
        replay.add({"own": array, "opponent": array, "policy": np.repeat(array[:, None], 3, axis=1), "value": array})
        return sorted(replay.arrays["value"][: len(replay)].tolist())

    assert add(1, 2, 3) == [1, 2, 3]
    assert add(4, 5, 6, 7) == [3, 4, 5, 6, 7]
    assert replay.arrays["own"].tolist() == replay.arrays["policy"][:, 2].tolist()


def same(a, b):
    assert a.iteration == b.iteration
    assert a.replay.added == b.replay.added
    for name, array in a.replay.arrays.items():
        np.testing.assert_array_equal(array, b.replay.arrays[name])
    for name, weight in a.network.weights.items():
        assert torch.equal(weight, b.network.weights[name]), name
    for ours, theirs in zip(a.parameters, b.parameters, strict=True):
        for name, value in a.optimizer.state[ours].items():
            assert torch.equal(value, b.optimizer.state[theirs][name])


def test_a_resumed_run_equals_an_uninterrupted_one(alphazero, tmp_path):
    whole = run(alphazero, tmp_path / "whole.safetensors", 4)
    first = run(alphazero, tmp_path / "parts.safetensors", 2)
    assert first.iteration == 2
    parts = run(alphazero, tmp_path / "parts.safetensors", 4, "--resume")
    same(whole, parts)
    assert not torch.equal(first.parameters[0], parts.parameters[0])
    curve = json.loads((tmp_path / "parts.json").read_text())["curve"]
    assert [point["iteration"] for point in curve] == [0, 2, 4]
    other = run(alphazero, tmp_path / "other.safetensors", 4, settings=SMALL | {"seed": 2})
    assert not torch.equal(whole.parameters[0], other.parameters[0])


def test_an_interrupt_ends_a_run_that_can_go_on(alphazero, tmp_path, monkeypatch):
    out = tmp_path / "a.safetensors"
    iterate = alphazero.Learner.iterate

    def interrupted(learner):
        if learner.iteration == 1:
            signal.raise_signal(signal.SIGINT)
        return iterate(learner)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(alphazero.Learner, "iterate", interrupted)
    stopped = run(alphazero, out, 3)
    monkeypatch.undo()
    assert stopped.iteration == 2
    assert signal.getsignal(signal.SIGINT) is before
    same(run(alphazero, out, 3, "--resume"), run(alphazero, tmp_path / "b.safetensors", 3))


def test_what_a_run_writes(alphazero, tmp_path):
    out = tmp_path / "deep" / "a.safetensors"
    learner = run(alphazero, out, 1)
    names = sorted(path.name for path in out.parent.iterdir())
    assert names == ["a.json", "a.png", "a.safetensors", "a.state.safetensors"]
    for spec in (str(out), f"{out}:simulations=4"):
        match = play_match(make_agent(spec), "random", games=4, openings=None, new_game=lambda _: Othello(4))
        assert not match.faults(0)
    assert learner.network.training["settings"]["size"] == 4
    for point in json.loads(out.with_suffix(".json").read_text())["curve"]:
        assert set(point["scores"]) == set(alphazero.LADDER)
    with pytest.raises(SystemExit, match=r"^--resume: --channels was 4, not 5, --rate was 0\.00\d+, not 0\.5$"):
        run(alphazero, out, 2, "--resume", settings=SMALL | {"channels": 5, "rate": 0.5})
    with pytest.raises(SystemExit, match=r"none\.state\.safetensors"):
        run(alphazero, tmp_path / "none.safetensors", 2, "--resume")


def test_where_nothing_can_be_written_nothing_is_learned(alphazero, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()
    monkeypatch.setattr(alphazero.Learner, "measure", None)
    with pytest.raises(SystemExit) as stop:
        run(alphazero, tmp_path / "file" / "a.safetensors", 1)
    assert stop.value.code == 2
    assert str(tmp_path / "file") in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("rate", [1e6, 1e9])
def test_a_run_that_diverges_ends_and_keeps_what_was_good(alphazero, tmp_path, rate):
    out = tmp_path / "a.safetensors"
    with pytest.raises(SystemExit, match=r"^iteration \d+: the training has diverged"):
        run(alphazero, out, 30, settings=SMALL | {"rate": rate})
    assert [point["iteration"] for point in json.loads(out.with_suffix(".json").read_text())["curve"]] == [0]
    assert make_agent(str(out)).act(Othello(4)) in Othello(4).legal_actions()
    kept, _ = alphazero.Learner.load(
        out.with_suffix(".state.safetensors"), alphazero.Settings(**SMALL | {"rate": rate})
    )
    assert kept.iteration == 0
    for name, weight in alphazero.Learner(kept.settings).network.weights.items():
        assert torch.equal(kept.network.weights[name], weight)


def test_a_trained_agent_is_not_overwritten(alphazero, tmp_path, capsys):
    out = tmp_path / "a.safetensors"
    out.write_bytes(b"trained")
    with pytest.raises(SystemExit) as stop:
        run(alphazero, out, 1)
    assert stop.value.code == 2
    assert capsys.readouterr().err.endswith(f"{out} exists; --resume continues it\n")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"trained"]


def test_each_point_is_a_line_and_a_terminal_shows_what_goes_on_between(alphazero, tmp_path, capsys, monkeypatch):
    run(alphazero, tmp_path / "a.safetensors", 1)
    told = capsys.readouterr()
    scores = "random #  maximizer #  alphabeta #  without search #  perfect moves #"
    assert re.sub(r"\d+ s|\d\.\d\d", "#", told.out).splitlines() == [
        f"iteration 0  0 games  #  {scores}",
        f"iteration 1  8 games  #  {scores}",
    ]
    assert told.err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run(alphazero, tmp_path / "b.safetensors", 1)
    shown = re.sub(r"\d+ s", "#", capsys.readouterr().err).replace("\x1b[K", "").split("\r")
    first, second = "iteration 0  0 games  #", "iteration 1  8 games  #"
    assert shown == ["", f"{first}  measuring", "", first, f"{second}  measuring", ""]


def test_the_curve_has_the_rating_on_the_ladder(alphazero, tmp_path):
    out = tmp_path / "a.safetensors"
    run(alphazero, out, 1, "--match", "40", settings=SMALL | {"size": 8, "window": 1000})
    curve = json.loads(out.with_suffix(".json").read_text())["curve"]
    assert len(curve) == 2
    for point in curve:
        assert point["elo95"][0] < point["elo"] < point["elo95"][1]
    assert load_network(out).training["elo"] == curve[-1]["elo"]


def test_tensorboard_shows_the_curve(alphazero, tmp_path):
    pytest.importorskip("tensorboard", reason="TensorBoard is an optional package")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    out, logs = tmp_path / "a.safetensors", tmp_path / "logs"
    run(alphazero, out, 1, "--tensorboard", str(logs))
    run(alphazero, out, 1, "--tensorboard", str(logs), "--resume")  # the run is complete, so nothing is added
    curve = json.loads(out.with_suffix(".json").read_text())["curve"]
    shown = EventAccumulator(str(logs))
    shown.Reload()
    for opponent in alphazero.LADDER:
        scores = [event.value for event in shown.Scalars(f"score/{opponent}")]
        assert scores == [point["scores"][opponent] for point in curve]
    assert len(shown.Scalars("train/policy")) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "a.npz"], "--out: expected a .safetensors file, got 'a.npz'"),
        (["--out", "a.safetensors", "--every", "0"], "--every: expected a whole number from 1 to"),
        (["--out", "a.safetensors", "--match", "3"], "--match: expected an even number from 2 to"),
        (["--out", "a.safetensors", "--size", "7"], "--size: expected 4, 6 or 8, got '7'"),
        (["--out", "a.safetensors", "--games", "0"], "--games: expected a whole number from 1 to"),
        (["--out", "a.safetensors", "--rate", "nan"], "--rate: expected a number from 1e-09 to 1e+09, got 'nan'"),
        (["--out", "a.safetensors", "--rate", "inf"], "--rate: expected a number from 1e-09 to 1e+09, got 'inf'"),
        (["--out", "a.safetensors", "--iterations", "-1"], "--iterations: expected a whole number from 0 to"),
        (["--out", "a.safetensors", "--seconds", "-1"], "--seconds: expected a number from 0 to 1e+09, got '-1'"),
        (["--out", "a.safetensors", "--seconds", "nan"], "--seconds: expected a number from 0 to 1e+09, got 'nan'"),
        (
            ["--out", "a.safetensors", "--random-plies", "6000"],
            "--random-plies: expected a whole number from 0 to 48, got '6000'",
        ),
        (
            ["--out", "a.safetensors", "--simulations", "100001"],
            "--simulations: expected a whole number from 1 to 100000, got '100001'",
        ),
        (
            ["--out", "a.safetensors", "--size", "4", "--window", "1535"],
            "--window must be at least 1536, the positions of 128 games, but it is 1535",
        ),
        (["--out", "a.safetensors", "--precision", "half"], "--precision: expected float32 or bfloat16, got 'half'"),
        (["--out", "a.safetensors", "--device", "cuda:99"], "--device: there is no cuda:99 that PyTorch can use"),
    ],
)
def test_mistakes_in_the_command_are_told(alphazero, capsys, arguments, message):
    with pytest.raises(SystemExit):
        alphazero.main(arguments)
    assert message in capsys.readouterr().err.splitlines()[-1]


@pytest.fixture(scope="module")
def state(alphazero, tmp_path_factory):
    """What a run of two iterations saves so that it can be resumed: its tensors and its card."""
    out = tmp_path_factory.mktemp("state") / "a.safetensors"
    run(alphazero, out, 2)
    return read_tensors(out.with_suffix(".state.safetensors"))


@pytest.mark.parametrize(
    ("tensors", "card", "message"),
    [
        ({}, {"format": "other"}, "is not a run of this recipe"),
        ({}, {"settings": None}, "is not a run of this recipe"),
        ({}, {"settings": {"size": 4}}, "is not a run of this recipe"),
        ({}, {"iteration": 2.0}, "wrong iteration: 2.0"),
        ({}, {"iteration": 10**200}, "wrong iteration: 1000"),
        ({}, {"added": 10**9}, "positions, but (own|policy|value) does not hold them"),
        ({}, {"progress": None}, "wrong curve: None"),
        ({}, {"progress": {"seconds": "1", "curve": []}}, "wrong curve"),
        ({}, {"progress": {"seconds": 1.0, "curve": [{"iteration": 1}]}}, "wrong curve"),
        ({"weights.first.bias": None}, {}, r"expected weights\.first\.bias as floats of shape \(4,\), got nothing"),
        ({"weights.first.bias": torch.zeros(1)}, {}, r"got torch\.float32 of shape \(1,\)"),
        ({"weights.first.bias": torch.full((4,), torch.nan)}, {}, "not all finite"),
        ({"adam.first.bias.exp_avg": torch.zeros(4, 4)}, {}, r"expected adam\.first\.bias\.exp_avg"),
        ({"adam.first.bias.step": torch.tensor(3)}, {}, r"expected adam\.first\.bias\.step"),
        ({"replay.own": None}, {}, "positions, but (own|policy|value) does not hold them"),
        ({"replay.policy": torch.zeros(3, 17)}, {}, "positions, but (own|policy|value) does not hold them"),
        (
            {"replay.value": torch.zeros(1, dtype=torch.bfloat16)},
            {},
            "positions, but (own|policy|value) does not hold them",
        ),
    ],
    ids=str,
)
def test_a_damaged_run_is_told(alphazero, state, tmp_path, tensors, card, message):
    out = tmp_path / "a.safetensors"
    changed = {name: tensor for name, tensor in (state[0] | tensors).items() if tensor is not None}
    write_tensors(out.with_suffix(".state.safetensors"), changed, state[1] | card)
    with pytest.raises(SystemExit, match=rf"^--resume: .*{message}"):
        run(alphazero, out, 3, "--resume")
