"""The recipes with PyTorch alone: they run, write agents and go on from them; what they learn from, by slow twins."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the recipes need PyTorch, an optional extra")
pytest.importorskip("tyro", reason="the recipes read their options with tyro")

from events import read_events  # noqa: E402
from load_script import SCRIPTS, load_script  # noqa: E402

from othello_agents.engine import Engine  # noqa: E402
from othello_agents.engine.evaluator import LOGIT  # noqa: E402
from othello_agents.network import load_network, make_network  # noqa: E402
from othello_env import Othello, WrongGameError, make_agent, make_vec_env, self_play_advantages  # noqa: E402
from othello_env.arena import Schedule, play_match, play_tournament  # noqa: E402
from othello_env.data import Games, match_games, random_games, write_games  # noqa: E402
from othello_env.envs import GameVectorEnv  # noqa: E402
from othello_env.games.registry import GameSpec  # noqa: E402
from othello_env.league import League  # noqa: E402

RECIPES = SCRIPTS / "train"
RESIDUAL = "--network residual --channels 4 --blocks 1"
SMALL = {
    "ppo": "--network residual --games 13 --league 0.4",
    "alphazero": f"{RESIDUAL} --games 8 --simulations 4 --window 150 --minibatch 32",
    "imitation": f"{RESIDUAL} --minibatches 5 --minibatch 32",
    "self_play": "--games 8 --steps 8 --minibatch 32",
    "dqn": "--games 8 --moves 2400 --batch 16",
}
SMALL_PPO = {"CHANNELS": 4, "BLOCKS": 1, "STEPS": 16, "MINIBATCH": 64, "SNAPSHOT": 1, "PAST": 2}
NAMED = ("ppo", "alphazero", "imitation")  # an option of these names the network

pytestmark = pytest.mark.usefixtures("one_thread")


def load(name):
    """The recipe as a module, with small numbers in place of large constants."""
    module = load_script(f"train/{name}")
    if name == "ppo":
        vars(module).update(SMALL_PPO)
    return module


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """A file of games of a greedy player on 4x4."""
    path = tmp_path_factory.mktemp("games") / "games.npz"
    teacher = "maximizer:eval=weighted"
    write_games(path, match_games(teacher, None, 60, openings="random:3", game="othello:size=4"))
    return path


@pytest.fixture
def run(games):
    """`run(name, out, more)` runs a recipe on 4x4 with the small settings, and more options."""

    def main(name, out, more, module=None):
        first = "--every 100 --match 2 --device cpu" if name in NAMED else ""
        first += f" --games-from {games}" if name == "imitation" else ""
        (module or load(name)).main(f"--size 4 {first} {SMALL[name]} --out {out} {more}".split())

    return main


def same(a, b):
    assert a.keys() == b.keys()
    for name, tensor in a.items():
        assert torch.equal(tensor, b[name]), name


NETWORKS = {"ppo": "own", "alphazero": "afterstates", "imitation": "residual"}
POINTS = {name: [0, 2, 3] for name in NAMED} | {"self_play": [2, 3]}  # of the curve
NOTHING = dict.fromkeys(NAMED, "--iterations 0") | {"self_play": "--iterations 1 --rate 0", "dqn": "--moves 8 --rate 0"}


@pytest.mark.parametrize("name", SMALL)
def test_a_run_writes_its_agent_its_curve_and_events_and_another_run_goes_on(run, name, capsys):
    own = f"{RECIPES / name}.py:Network" if NETWORKS.get(name, "own") == "own" else None
    more = f" --network {own or NETWORKS[name]}" if name in NAMED else ""
    run(name, "a.safetensors", ("--iterations 3 --every 2" if name in POINTS else "") + more)
    out = capsys.readouterr().out
    assert "4x4" in out.splitlines()[0]
    spec = out.partition("othello-env benchmark ")[2].split()[0]
    assert not play_match(spec, "random", games=4, openings="random:3", game="othello:size=4").faults(0)
    events = read_events(Path("a"))
    if name in POINTS:
        curve = json.loads(Path("a.json").read_text())["curve"]
        assert [point["iteration"] for point in curve] == POINTS[name]
        assert [value for _, value in events["scores/random"]] == pytest.approx([p["scores"]["random"] for p in curve])
        assert len(events["losses/policy"]) == 3
        assert events["losses/policy"][-1][0] == events["scores/random"][-1][0]
        assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    if name in NAMED:
        assert events["losses/policy"][-1][1] == pytest.approx(curve[-1]["policy"])
        assert load_network("a.safetensors", own).training["iteration"] == 3

    before = {file: file.read_bytes() for file in Path().glob("a.*") if file.is_file()}
    with pytest.raises(SystemExit, match=r"^a\.safetensors exists; give another --out"):
        run(name, "a.safetensors", "")
    assert {file: file.read_bytes() for file in Path().glob("a.*") if file.is_file()} == before
    run(name, "b.safetensors", f"{NOTHING[name]} --init a.safetensors --threads 2{more}")
    assert torch.get_num_threads() == 2
    same(load_network("a.safetensors", own).weights, load_network("b.safetensors", own).weights)


@pytest.mark.parametrize("name", NAMED)
def test_a_seed_repeats_a_run(run, name):
    for out in ("a.safetensors", "b.safetensors"):
        run(name, out, "--iterations 2")
    same(load_network("a.safetensors").weights, load_network("b.safetensors").weights)


@pytest.mark.parametrize("name", NAMED)
def test_seconds_are_those_of_training_and_measurements_do_not_count(run, name, monkeypatch):
    module, now = load(name), [0.0]
    learn, measure = module.learn, module.measure_progress

    def timed_learn(*arguments):
        now[0] += 1
        return learn(*arguments)

    def timed_measure(*arguments, **options):
        now[0] += 1000
        return measure(*arguments, **options)

    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(module, "learn", timed_learn)
    monkeypatch.setattr(module, "measure_progress", timed_measure)
    run(name, "a.safetensors", "--seconds 2 --every 1", module)
    assert 2 <= json.loads(Path("a.json").read_text())["curve"][-1]["seconds"] <= 5  # an iteration may take five


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ("--network nowhere.py:Net", FileNotFoundError, "there is no file 'nowhere.py'"),
        ("--init none.safetensors", FileNotFoundError, "none.safetensors"),
        ("--init a.safetensors --network afterstates", ValueError, r"of afterstates.*: got \[\('block0a.bias', 4, "),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(run, name, options, error, words):
    make_network("residual", 4, 1, channels=4, blocks=1).save("a.safetensors")
    with pytest.raises(error, match=words):
        run(name, "none.safetensors", options)
    if name == "alphazero":
        with pytest.raises(SystemExit, match="--window must be at least 96, the positions of 8 games, but it is 95"):
            run(name, "none.safetensors", "--window 95")
    assert [*Path().iterdir()] == [Path("a.safetensors")]


@pytest.mark.parametrize("name", NAMED)
def test_a_run_that_diverges_ends_and_keeps_what_was_good(run, name):
    with pytest.raises(SystemExit, match="the training has diverged; a lower --rate may help"):
        run(name, "a.safetensors", "--iterations 30 --rate 1e9")
    assert [point["iteration"] for point in json.loads(Path("a.json").read_text())["curve"]] == [0]
    assert make_agent("a.safetensors").act(Othello(4)) in Othello(4).legal_actions()


def results_of(players, rewards, terminated):
    """The result for the player who acted, by a slow loop: (T, N), NaN in games that do not end."""
    found = np.full(rewards.shape, np.nan)
    for game in range(rewards.shape[1]):
        for end in np.flatnonzero(terminated[:, game]):
            for step in range(end, -1, -1):
                if step < end and terminated[step, game]:
                    break
                sign = 1 if players[step, game] == players[end, game] else -1
                found[step, game] = sign * rewards[end, game]
    return found


@pytest.mark.parametrize("opponent", [None, "random"])
def test_ppo_learns_from_what_was_played_and_praises_a_won_games_moves(opponent):
    # If all values are 0 and lambda is 1, an advantage is the result of the game for the player that acted.
    ppo = load("ppo")
    ppo.STEPS = 30
    network = make_network("residual", 4, 1, channels=4, blocks=1)
    with torch.no_grad():
        network.weights["value.weight"].zero_()
    env = make_vec_env(40, opponent=opponent, size=4, strict=True)  # strict: a wrong symmetry raises an error
    args = ppo.Args(size=4, device="cpu", games=40, gae_lambda=1.0)
    data = ppo.play(args, network, env, np.random.default_rng(1), League(["random"]))
    expected = results_of(data["players"], data["rewards"], data["terminated"])
    known = np.isfinite(expected)
    assert min((expected[known] == result).sum() for result in (1, -1)) > 100
    np.testing.assert_array_equal(data["advantages"][known], expected[known])
    observations, masks = data["observations"].reshape(-1, 2, 4, 4), data["masks"].reshape(-1, 17)
    policy, _ = network.answers(observations, masks)
    chosen = policy[np.arange(len(policy)), data["actions"].ravel()]
    np.testing.assert_allclose(np.log(chosen), data["log_probabilities"].ravel(), atol=1e-4)
    for planes, mask in zip(observations, masks, strict=True):  # each mask belongs to its position
        own, opponent = (sum(1 << (8 * (i // 4 + 2) + i % 4 + 2) for i in np.flatnonzero(plane)) for plane in planes)
        np.testing.assert_array_equal(Othello.from_bits(own, opponent, 0, 4).action_mask(), mask)


def test_ppos_advantages_are_those_of_the_library():
    rng = np.random.default_rng(1)
    rollout = {"values": rng.normal(size=(30, 9)), "players": rng.integers(2, size=(30, 9))}
    rollout |= {"terminated": rng.random((30, 9)) < 0.1, "rewards": rng.normal(size=(30, 9))}
    last, to_move = rng.normal(size=9), rng.integers(2, size=9)
    acted = (rollout[name] for name in ("rewards", "values", "players", "terminated"))
    expected, _ = self_play_advantages(*acted, last, to_move, gae_lambda=0.7)
    np.testing.assert_array_equal(load("ppo").advantages(rollout, last, to_move, 0.7), expected)


def start(count):
    """The starting position `count` times, as tensors."""
    state = Othello(4)
    return (np.repeat(each[None], count, axis=0) for each in (state.observation(0), state.action_mask()))


THREE = "tribolo:cells=4,height=6,walls=2,width=7"


@pytest.mark.parametrize("game", ["othello:size=4", THREE])
def test_self_play_praises_each_player_by_its_own_result_and_the_turns_until_the_end(game):
    # If all values are 0, an advantage is the result times 0.95 for each later turn of the same player.
    module = load("self_play")
    torch.manual_seed(1)
    network = module.Network(8, game)
    with torch.no_grad():
        network.value.weight.zero_()
        network.value.bias.zero_()
    envs = GameVectorEnv(game, 20, opponent=None, strict=True)
    data, _, _ = module.play(network, envs, *envs.reset(seed=1), 60)
    players, ends, results = data["players"], data["terminated"], data["rewards"]
    known = {}
    for step, game_ in np.ndindex(players.shape):
        end = next((t for t in range(step, 60) if ends[t, game_]), None)
        if end is not None:
            own, turns = players[step, game_], (players[step + 1 : end + 1, game_] == players[step, game_]).sum()
            sign = 1 if own == players[end, game_] else -1
            result = results[end, game_, own] if results.ndim == 3 else sign * results[end, game_]
            assert data["gains"][step, game_] == pytest.approx(result * 0.95**turns)
            known[result] = known.get(result, 0) + 1
    assert sum(known.values()) > 400
    assert len([count for count in known.values() if count > 50]) >= 2


@pytest.mark.parametrize("game", ["checkers:size=6", THREE])
def test_self_play_learns_other_games(game, capsys):
    load("self_play").main(f"--game {game} {SMALL['self_play']} --iterations 1 --out a.safetensors".split())
    out = capsys.readouterr().out
    assert out.splitlines()[-1].endswith(f" --game {game}")
    spec = out.partition("othello-env benchmark ")[2].split()[0]
    agents = {spec: spec} | {name: name for name in ("random", "maximizer")[: GameSpec.parse(game).num_players - 1]}
    result = play_tournament(agents, Schedule(tuple(agents), 6, "random:2", game=game))
    assert not result.faults(spec)
    agent, state = make_agent(spec), GameSpec.parse(game).start(1)
    (policy,), _ = load_network("a.safetensors", f"{RECIPES}/self_play.py:Network").answers(
        state.observation(state.to_move)[None], state.action_mask()[None]
    )
    assert agent.act(state) == policy.argmax() == max(agent.action_probabilities(state).items(), key=lambda x: x[1])[0]
    values = [agent.evaluate(state, player) for player in range(state.num_players)]
    assert sum(values) == pytest.approx(0)
    assert values[state.to_move] != 0
    with pytest.raises(WrongGameError, match=f"was trained for {game}, not othello"):
        agent.check_game(Othello())
    with pytest.raises(ValueError, match="the tree search of simulations is for Othello"):
        make_agent(f"{spec},simulations=8")


def test_self_play_makes_a_praised_action_likelier_and_the_value_nearer():
    module = load("self_play")
    torch.manual_seed(1)
    network = module.Network(4)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    observations, masks = start(64)
    good, bad = np.flatnonzero(masks[0])[:2]
    seen = {"observation": observations, "action_mask": masks}
    logs, values = module.answer(network, seen)
    actions = np.resize([good, bad], 64)
    data = {name: array[:, None] for name, array in seen.items()} | {
        "actions": actions[:, None],
        "before": logs.numpy()[0, actions][:, None],
        "gains": np.resize([1.0, -1.0], (64, 1)).astype(np.float32),
        "returns": np.ones((64, 1), np.float32),
    }
    module.learn(SimpleNamespace(minibatch=64, entropy=0.0), network, optimizer, data)
    after, nearer = module.answer(network, seen)
    assert after[0, good] > logs[0, good]
    assert after[0, bad] < logs[0, bad]
    assert nearer[0] > values[0]


def test_the_convolution_of_dqn_sees_the_legal_moves_and_plays(run, capsys):
    network = load("dqn").Convolution(4)
    boards = torch.zeros(2, 2, 4, 4)  # the same discs
    masks = torch.zeros(2, 17, dtype=torch.bool)
    masks[0, 3], masks[1, [3, 7]] = True, True
    values, best = network(boards, masks)
    assert values[0, 3] != values[1, 3]
    assert best[0] == values[0, 3]
    run("dqn", "c.safetensors", "--network convolution")
    spec = capsys.readouterr().out.partition("othello-env benchmark ")[2].split()[0]
    assert spec.endswith(":Convolution")
    match = play_match(spec, "random", games=4, openings="random:3", game="othello:size=4")
    assert not match.faults(0)


def test_dqn_asks_for_the_best_legal_action_of_the_next_state_and_for_nothing_after_the_end():
    module = load("dqn")
    torch.manual_seed(1)
    network = module.Network(4)
    states = [Othello(4)]
    while not states[-1].is_over:
        states.append(states[-1].play(states[-1].legal_actions()[0]))
    boards = torch.from_numpy(np.array([state.observation(state.to_move) for state in states]))
    masks = torch.from_numpy(np.array([state.action_mask() for state in states])) != 0
    over = torch.tensor([state.is_over for state in states])
    rewards = torch.tensor([float(state.is_over) for state in states], dtype=torch.float64)
    found = module.targets(network, rewards, boards, masks, over)
    values = network.values(network.body(boards.float()))
    for i, state in enumerate(states):
        best = max((values[i, action].item() for action in state.legal_actions()), default=None)
        assert found[i].item() == pytest.approx(1.0 if state.is_over else 0.99 * best)
    assert any(values[i].argmax() not in state.legal_actions() for i, state in enumerate(states[:-1]))  # masks matter


def test_alphazeros_positions_have_the_result_for_the_player_to_move():
    # The result of a position is minus the result of the next position, because there the other player is to move. So
    # one of the positions that can follow must have the opposite result. If that position is the end of a game, the
    # rules give its result. Otherwise the records do.
    alphazero = load("alphazero")
    args = alphazero.Args(size=4, games=30, simulations=4, random_plies=40, seed=3, device="cpu")
    found = alphazero.play(args, make_network("residual", 4, 1, channels=4, blocks=1), np.random.default_rng(1))
    own, opponent, value = (found[name].tolist() for name in ("own", "opponent", "value"))
    successors = {}  # {(own, opponent): the results that were recorded for this position}

    def results(state):
        """The possible results for the player to move: by the rules if the game is over, otherwise by the records."""
        if state.is_over:
            return {state.returns()[state.to_move]}
        if state.must_pass:
            return {-result for result in results(state.play(state.pass_action))}
        return successors.get((state.own, state.opponent), set())

    for k in reversed(range(len(own))):
        state = Othello.from_bits(own[k], opponent[k], 0, 4)
        next_results = set().union(*(results(state.play(action)) for action in state.legal_actions()))
        assert -value[k] in next_results, state
        successors.setdefault((own[k], opponent[k]), set()).add(value[k])
        assert not state.must_pass
        assert {*np.flatnonzero(found["policy"][k]).tolist()} <= {*state.legal_actions()}
    np.testing.assert_allclose(found["policy"].sum(axis=1), 1, atol=1e-5)
    assert set(value) >= {-1.0, 1.0}


def test_alphazero_learns_the_searchs_policy_and_the_result_in_every_symmetry():
    alphazero = load("alphazero")
    args = alphazero.Args(size=4, minibatch=32, rate=1e-2, device="cpu")
    network = make_network("residual", 4, 1, channels=8, blocks=1)
    optimizer = torch.optim.AdamW([*network.trained_weights().values()], lr=args.rate)
    state = Othello(4).play(Othello(4).legal_actions()[0])
    target = np.zeros(17, np.float32)
    target[state.legal_actions()[1]] = 1
    kept = {"own": np.array([state.own], np.uint64), "opponent": np.array([state.opponent], np.uint64)}
    kept |= {"policy": target[None], "value": np.array([-1], np.float32)}
    alphazero.learn(args, network, optimizer, kept, 200, np.random.default_rng(1))
    policy, values = network.answers(state.observation(state.to_move)[None], state.action_mask()[None])
    assert policy[0].argmax() == target.argmax()
    assert policy[0].max() > 0.8
    assert values[0] < -0.8


def test_alphazero_learns_from_the_newest_positions(run, monkeypatch):
    module, played, kept = load("alphazero"), [], []
    play, learn = module.play, module.learn

    def watched_play(*arguments):
        new = play(*arguments)
        played.extend(new["own"].tolist())
        return new

    def watched_learn(args, network, optimizer, newest, *more):
        kept.append((len(played), sorted(newest["own"].tolist())))
        return learn(args, network, optimizer, newest, *more)

    monkeypatch.setattr(module, "play", watched_play)
    monkeypatch.setattr(module, "learn", watched_learn)
    run("alphazero", "a.safetensors", "--iterations 4 --games 12", module)
    assert len(played) > 150  # the window
    assert kept == [(count, sorted(played[:count][-150:])) for count, _ in kept]


def test_imitations_positions_and_what_is_right_in_them(twin, tmp_path):
    imitation = load("imitation")
    played = random_games(25, size=4, seed=3)
    write_games(tmp_path / "a.npz", Games(played.actions, played.lengths, played.game))
    learned, held = imitation.positions(tmp_path / "a.npz", 4, 5)

    expected = {True: [], False: []}
    for i in range(25):
        result = float(np.sign(played.outcomes.margins[i, 0]))
        for ply in range(played.lengths[i]):
            state, action = played.state(i, ply), int(played.actions[i, ply])
            if action == 16:
                continue
            right, value = {action}, result if state.to_move == 0 else -result
            if state.owners().count(None) <= 5:
                scores = twin.from_state(state).values()
                right = {a for a, score in scores.items() if score == max(scores.values())}
                value = float(np.sign(max(scores.values())))
            expected[i % 10 == 0].append((state.observation(state.to_move).tolist(), right, value))
    for arrays, rows in ((held, expected[True]), (learned, expected[False])):
        assert arrays["observations"].tolist() == [row[0] for row in rows]
        assert [set(np.flatnonzero(right).tolist()) for right in arrays["right"]] == [row[1] for row in rows]
        assert arrays["results"].tolist() == [row[2] for row in rows]
        assert (arrays["right"] <= arrays["masks"]).all()


def test_imitation_learns_what_it_was_shown(run, games):
    more = "--empties 0 --iterations 6 --minibatches 20 --minibatch 64 --rate 5e-3 --channels 8"
    run("imitation", "a.safetensors", more)
    agreed = json.loads(Path("a.json").read_text())["curve"][-1]["held-out"]
    module = load("imitation")
    _, held = module.positions(games, 4, 0)
    assert agreed == round(module.agreement(load_network("a.safetensors"), held), 4)
    assert agreed > module.agreement(make_network("residual", 4, 1, channels=8, blocks=1), held) + 0.1


def test_imitation_tells_which_games_do_not_fit(run, games, tmp_path):
    with pytest.raises(SystemExit, match="expected a dataset or a file of games, got 'none'"):
        load("imitation").main(["--games-from", "none"])
    with pytest.raises(ValueError, match="expected games of othello:size=6, got games of othello:size=4"):
        run("imitation", "a.safetensors", "--size 6")
    cut = random_games(4, size=4)
    write_games(tmp_path / "cut.npz", Games(cut.actions, cut.lengths - 2, cut.game))
    with pytest.raises(ValueError, match="expected at least two finished games"):
        load("imitation").main(["--games-from", str(tmp_path / "cut.npz"), "--size", "4"])


def searched(network, state, depth):
    """The value of a position for the player to move after a full search of so many plies."""
    if not depth:  # also if the game is over
        row = state.observation(state.to_move)[np.newaxis], state.action_mask()[np.newaxis]
        return float(network.answers(*row)[1][0])
    if state.is_over:
        return state.returns()[state.to_move]
    return max(-searched(network, state.play(action), depth - 1) for action in state.legal_actions())


def test_rootstrap_learns_the_values_of_its_search_and_keeps_the_policy(twin, tmp_path):
    network = make_network("afterstates", 4, 1)
    rng = np.random.default_rng(1)  # of new weights, all values are 0
    network = network.with_weights(
        {
            name: torch.from_numpy(rng.normal(0, 0.3, tensor.shape).astype(np.float32))
            for name, tensor in network.weights.items()
        }
    )
    network.save("first.safetensors")
    rootstrap = load("rootstrap")
    torch.manual_seed(1)
    boards, masks = rootstrap.play(network, 40, 5)
    assert not masks[:, -1].any()
    assert masks.any(axis=1).all()
    found = rootstrap.values(Engine(2, eval="first.safetensors"), boards, 4)
    errors = []
    for board, value in zip(boards, found, strict=True):
        text = "".join(
            "X" if own else "O" if opponent else "-" for own, opponent in zip(*board.reshape(2, -1), strict=True)
        )
        state = Othello.from_text(text, to_move="X")
        if text.count("-") <= 4:
            assert value == np.sign(max(twin.from_state(state).values().values()))
        else:
            errors.append(value - searched(network, state, 2))
    assert len(errors) > 100
    np.testing.assert_allclose(errors, 0, atol=1 / LOGIT)  # the search's values are whole numbers of this unit

    more = "--games 40 --depth 2 --empties 4 --every 2 --match 2 --minibatch 64 --init first.safetensors"
    for out in ("a", "b"):
        rootstrap.main(f"{more} --iterations 3 --out {out}.safetensors".split())
    after = load_network("a.safetensors")
    same(after.weights, load_network("b.safetensors").weights)
    before_error, error = (np.square(each.answers(boards, masks)[1] - found).mean() for each in (network, after))
    assert error < 0.7 * before_error
    assert np.abs(after.policy(boards, masks) - network.policy(boards, masks)).mean() < 0.05
    assert [point["iteration"] for point in json.loads(Path("a.json").read_text())["curve"]] == [0, 2, 3]
    with pytest.raises(SystemExit, match="exists; give another --out"):
        rootstrap.main(["--init", "first.safetensors", "--out", "a.safetensors"])
    make_network("residual", 4, 1, channels=4, blocks=1).save("residual.safetensors")
    with pytest.raises(ValueError, match="afterstates"):
        rootstrap.main(["--init", "residual.safetensors"])


@pytest.mark.parametrize(
    ("name", "options", "constants"),
    [
        (
            "ppo",
            "--size 6 --games 48 --rate 3e-3 --iterations 12",
            {"STEPS": 32, "MINIBATCH": 256, "EPOCHS": 4, "CHANNELS": 12},
        ),
        ("alphazero", "--games 48 --simulations 12 --minibatch 128 --rate 3e-3 --iterations 12 --window 1000", {}),
    ],
)
def test_self_play_beats_random_play(run, name, options, constants):
    module = load(name)
    vars(module).update(constants)
    run(name, "a.safetensors", f"{options} --seed 3 --match 100", module)
    first, last = (point["scores"]["random"] for point in json.loads(Path("a.json").read_text())["curve"])
    assert first < 0.65
    assert last > 0.7
