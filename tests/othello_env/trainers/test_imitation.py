"""Imitation: a network learns shown moves in every symmetry, and perfect play near the end of games.

PPO can begin with this network.
"""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="imitation needs PyTorch, an optional extra")

from othello_env import Othello, make_agent  # noqa: E402
from othello_env.arena.match import play_match  # noqa: E402
from othello_env.data import Dataset, Games, match_games, random_games, write_games  # noqa: E402

SMALL = {"size": 4, "network": "residual", "channels": 8, "blocks": 1, "minibatches": 20, "minibatch": 64}

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def imitation(recipe):
    return recipe("train_imitation")


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """A file of games of a player that looks one ply ahead and evaluates positions by weights of the squares.

    Of equally good moves, the player plays the first.
    """
    path = tmp_path_factory.mktemp("games") / "games.npz"
    teacher = "maximizer:eval=weighted"
    write_games(path, match_games(teacher, None, 200, openings="random:3", rules="othello:size=4"))
    return path


def options(settings):
    return [text for name, value in settings.items() for text in (f"--{name.replace('_', '-')}", str(value))]


def run(imitation, games, out, iterations, *more, settings=SMALL):
    always = ["--games-from", str(games), "--out", str(out), "--iterations", str(iterations), "--every", "100"]
    return imitation.main([*always, "--match", "2", "--device", "cpu", *options(settings), *more])


def test_the_positions_and_what_is_right_in_them(imitation, twin, tmp_path):
    played = random_games(25, size=4, seed=3)
    write_games(tmp_path / "a.npz", Games(played.actions, played.lengths, played.rules))
    learned, held = imitation.positions(imitation.Settings(games_from=str(tmp_path / "a.npz"), size=4, empties=5))

    def best(slow):
        return slow.margin() * (1 if slow.to_move == 0 else -1) if slow.is_over() else max(values(slow).values())

    def values(slow):
        return {action: -best(slow.play(action)) for action in slow.legal_actions()}

    expected = {True: [], False: []}
    for i in range(25):
        result = float(np.sign(played.ends.margins[i, 0]))
        for ply in range(played.lengths[i]):
            state, action = played.state(i, ply), int(played.actions[i, ply])
            if action == 16:
                continue
            right, value = {action}, result if state.to_move == 0 else -result
            if state.owners().count(None) <= 5:
                scores = values(twin.of(state))
                right = {a for a, score in scores.items() if score == max(scores.values())}
                value = float(np.sign(max(scores.values())))
            expected[i % 10 == 0].append((state.observation(state.to_move).tolist(), right, value))
    for arrays, rows in ((held, expected[True]), (learned, expected[False])):
        assert arrays["observations"].tolist() == [row[0] for row in rows]
        assert [set(np.flatnonzero(right).tolist()) for right in arrays["right"]] == [row[1] for row in rows]
        assert arrays["results"].tolist() == [row[2] for row in rows]
        assert (arrays["right"] <= arrays["masks"]).all()


def test_it_learns_what_it_was_shown(imitation, games, tmp_path):
    learner = imitation.Learner(imitation.Settings(str(games), **SMALL, rate=5e-3, empties=0))
    before = learner.agreement()
    for _ in range(6):
        losses = learner.iterate()
    assert losses["held-out"] == learner.agreement() > before + 0.1
    match = play_match(learner.agent, "random", games=100, openings="random:3", new_game=lambda _: Othello(4))
    assert match.score > 0.6


def test_a_resumed_run_equals_an_uninterrupted_one(imitation, games, tmp_path):
    whole = run(imitation, games, tmp_path / "whole.safetensors", 3)
    run(imitation, games, tmp_path / "parts.safetensors", 1)
    parts = run(imitation, games, tmp_path / "parts.safetensors", 3, "--resume")
    assert (whole.iteration, whole.positions) == (parts.iteration, parts.positions) == (3, 3 * 20 * 64)
    for ours, theirs in ((whole.network, parts.network), (whole.average, parts.average)):
        for name, weight in ours.weights.items():
            assert torch.equal(weight, theirs.weights[name])
    curve = json.loads((tmp_path / "parts.json").read_text())["curve"]
    assert [point["iteration"] for point in curve] == [0, 1, 3]
    assert 0 <= curve[-1]["held-out"] <= 1


def test_ppo_begins_with_it(imitation, recipe, games, tmp_path):
    ppo, out = recipe("train_ppo"), tmp_path / "a.safetensors"
    learner = run(imitation, games, out, 1)
    small = {"size": 4, "network": "residual", "channels": 8, "blocks": 1, "games": 12, "steps": 8, "minibatch": 64}
    tuned = ppo.Learner(ppo.Settings(**small, init=str(out)))
    for name, weight in learner.average.weights.items():
        assert torch.equal(weight, tuned.network.weights[name].detach())
        assert torch.equal(weight, tuned.average.weights[name])
    tuned.iterate()
    assert not torch.equal(tuned.network.weights["first.weight"].detach(), learner.average.weights["first.weight"])
    assert make_agent(str(out)).act(Othello(4)) in Othello(4).legal_actions()


@pytest.mark.parametrize(
    ("init", "settings", "message"),
    [
        ("none.safetensors", {}, "--init: there is no file"),
        ("games.npz", {}, "games.npz' cannot be read"),
        (
            "a.safetensors",
            {"channels": 9},
            "--init is <NeuralNetwork 4x4, 8 channels, 1 blocks, ",
        ),
        (
            "a.safetensors",
            {"network": "afterstates"},
            "the settings make <CustomNetwork 4x4 of afterstates, ",
        ),
    ],
)
def test_a_wrong_network_to_begin_with(imitation, recipe, games, tmp_path, capsys, init, settings, message):
    run(imitation, games, tmp_path / "a.safetensors", 0)
    (tmp_path / "games.npz").write_bytes(games.read_bytes())
    small = {"size": 4, "network": "residual", "channels": 8, "blocks": 1} | settings
    with pytest.raises(SystemExit):
        recipe("train_ppo").main(
            ["--out", str(tmp_path / "b.safetensors"), "--init", str(tmp_path / init), *options(small)]
        )
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_games_that_do_not_fit(imitation, games, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run(imitation, tmp_path / "none", tmp_path / "a.safetensors", 1)
    assert "expected a dataset or a file of games" in capsys.readouterr().err
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit):
        run(imitation, games, tmp_path / "file" / "a.safetensors", 1)
    assert "--out: expected a path in a folder, got " in capsys.readouterr().err.splitlines()[-1]
    with pytest.raises(
        SystemExit, match=r"^--games-from: expected games of othello:size=6, got games of othello:size=4"
    ):
        run(imitation, games, tmp_path / "a.safetensors", 1, settings=SMALL | {"size": 6})
    unfinished = random_games(4, size=4)
    write_games(tmp_path / "cut.npz", Games(unfinished.actions, unfinished.lengths - 2, unfinished.rules))
    with pytest.raises(SystemExit, match=r"^--games-from: there is no finished game"):
        run(imitation, tmp_path / "cut.npz", tmp_path / "a.safetensors", 1)
    made = Dataset.make(tmp_path / "d", {}, 20, 10, lambda first, count: random_games(count, size=4, first=first))
    assert len(list(imitation.parts(imitation.Settings(str(made.folder), size=4)))) == 2
