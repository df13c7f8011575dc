"""Sequence models as players: from functions, from specs with weights, and from a checkpoint of Othello-GPT's shape."""

import numpy as np
import pytest
from load_script import SCRIPTS

from othello_agents.network.sequence import SequenceAgent, load_weights
from othello_env import Othello, SpecError, WrongGameError, make_agent
from othello_env.arena import FaultWarning, measure_positions, play_match
from othello_env.data import random_games
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.tokens import VOCABULARIES, vocabulary_of
from othello_env.sequences import legal_tokens

RECIPE = SCRIPTS / "train" / "sequence_gpt.py"


def noise(count, seed=0):
    """A model whose logits depend on the tokens so far."""

    weights = np.random.default_rng(seed).normal(size=(60, 99, count))

    def model(tokens):
        places = np.arange(tokens.shape[1])
        return np.cumsum(weights[places, tokens], axis=1)

    return model


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("size", [4, 8])
def test_the_likeliest_legal_move_is_played(size, vocabulary):
    words, games = vocabulary_of(vocabulary, size), random_games(3, size=size, seed=4)
    model = noise(words.count)
    agent = SequenceAgent(model, size, vocabulary)
    for i in range(3):
        for plies in range(1, int(games.lengths[i]), 5):
            state = games.state(i, plies)
            row = [int(words.tokens[move]) for move in state.moves if words.tokens[move]]
            if state.must_pass or not 0 < len(row) < words.length:
                continue
            logits = model(np.array([row]))[0, -1]
            legal = state.legal_actions()
            best = max(legal, key=lambda action: logits[words.tokens[action]])
            assert agent.act(state) == best
            probabilities = agent.action_probabilities(state)
            weights = {action: np.exp(logits[words.tokens[action]]) for action in legal}
            total = sum(weights.values())
            assert probabilities == pytest.approx({action: each / total for action, each in weights.items()}, rel=1e-4)
    assert agent.act(Othello(size)) == Othello(size).legal_actions()[0]


def test_a_batch_has_the_answers_of_single_positions():
    games = random_games(6, seed=2)
    states = [games.state(i, 7 + 3 * i) for i in range(6)]

    class Batch(OthelloPositions):
        def state(self, i):
            return states[i]

    keys = np.arange(6, dtype=np.uint64)
    for temperature in (0, 1):
        agent, single = SequenceAgent(noise(61), temperature=temperature), []
        for state, key in zip(states, keys.tolist(), strict=True):
            agent.new_game(key)
            single.append(agent.act(state))
        plain = OthelloPositions.from_states(states)
        batch = Batch(plain.own, plain.opponent, plain.to_move, keys, plain.size)
        assert agent.act_batch(batch).tolist() == single


def test_a_temperature_draws_moves_in_proportion():
    state, model = random_games(1, seed=3).state(0, 9), noise(61)
    legal = list(state.legal_actions())
    tokens = vocabulary_of("othello-gpt").tokens
    logits = model(np.array([vocabulary_of("othello-gpt").row(state.moves)]))[0, -1]
    for illegal, allowed in (("next", tokens[legal]), ("forfeit", np.arange(1, 61))):
        agent = SequenceAgent(model, temperature=3, illegal=illegal)
        drawn = np.zeros(61)
        for key in range(2000):
            agent.new_game(key)
            drawn[tokens[agent.act(state)]] += 1 / 2000
        weights = np.zeros(61)
        weights[allowed] = np.exp(logits[allowed] / 3)
        assert np.abs(drawn - weights / weights.sum()).max() < 0.04
        assert agent.act(state) == agent.act(state)  # the same game and position
    first = SequenceAgent(model, temperature=1, seed=1)
    assert len({first.act(Othello()) for _ in range(50)}) == 4  # there is nothing to ask the model
    never = SequenceAgent(lambda rows: np.full((*rows.shape, 61), -np.inf, np.float32), temperature=0.1, seed=1)
    assert len({never.act(state) for _ in range(50)}) > 2


def test_a_perfect_model_plays_legally_and_another_forfeits():
    legal = SequenceAgent(lambda rows: np.where(legal_tokens(rows), 0.0, -np.inf), illegal="forfeit")
    match = play_match(legal, "random", games=10, seed=1, openings="random:4")
    assert not match.faults(0)
    assert len(match.records) == 10
    broken = SequenceAgent(noise(61), illegal="forfeit")
    with pytest.warns(FaultWarning, match="sequence failed in 2 of 2 games"):
        assert play_match(broken, "random", games=2, seed=1, openings="random:4").faults(0)


def test_it_reads_the_moves_of_packaged_positions():
    """The command `benchmark` asks about them after the ladder."""
    assert measure_positions(SequenceAgent(lambda rows: np.zeros((*rows.shape, 61), np.float32))).faults == ()
    for size in (4, 6):
        assert measure_positions(SequenceAgent(noise(size * size - 3), size), game=f"othello:size={size}").faults == ()


def test_positions_and_options_that_are_refused():
    agent = SequenceAgent(noise(61))
    with pytest.raises(WrongGameError, match="needs all moves from the usual start, not a position without its moves"):
        agent.act(Othello.from_text(Othello.from_moves("f5d6").to_text(), "black"))
    with pytest.raises(WrongGameError, match="was trained for Othello of size 8, not 6"):
        agent.act(Othello(6))
    with pytest.raises(ValueError, match="illegal must be one of 'next', 'forfeit', not 'maybe'"):
        SequenceAgent(noise(61), illegal="maybe")
    with pytest.raises(SpecError, match=r"sequence needs model"):
        make_agent("sequence")


MODELS = """
def numbers(size):
    import numpy
    return lambda tokens: numpy.random.default_rng(1).normal(size=(60, 33))[tokens % 60]
"""


def test_a_spec_names_a_function_of_any_library(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.py").write_text(MODELS)
    agent = make_agent("sequence:model=models.py:numbers,size=6,illegal=forfeit")
    assert repr(agent) == "sequence:model=models.py:numbers,size=6,illegal=forfeit"
    assert repr(make_agent("sequence:model=models.py:numbers,temperature=0.5")).endswith("temperature=0.5")
    match = play_match("sequence:model=models.py:numbers,size=6", "random", games=4, game="othello:size=6")
    assert not match.faults(0)
    with pytest.raises(SpecError, match=r"model must name a function, as path.py:name or package.module:name"):
        make_agent("sequence:model=nothing")


def othello_gpt_state_dict(torch):
    """Random weights with the names and shapes of the checkpoints of likenneth/othello_world."""
    generator = torch.Generator().manual_seed(0)

    def random(*shape):
        return torch.randn(shape, generator=generator) * 0.02

    found = {"pos_emb": random(1, 59, 512), "tok_emb.weight": random(61, 512)}
    for k in range(8):
        block = f"blocks.{k}"
        for norm in ("ln1", "ln2"):
            found |= {f"{block}.{norm}.weight": 1 + random(512), f"{block}.{norm}.bias": random(512)}
        found[f"{block}.attn.mask"] = torch.tril(torch.ones(59, 59)).view(1, 1, 59, 59)
        for layer in ("key", "query", "value", "proj"):
            found |= {f"{block}.attn.{layer}.weight": random(512, 512), f"{block}.attn.{layer}.bias": random(512)}
        found |= {f"{block}.mlp.0.weight": random(2048, 512), f"{block}.mlp.0.bias": random(2048)}
        found |= {f"{block}.mlp.2.weight": random(512, 2048), f"{block}.mlp.2.bias": random(512)}
    return found | {"ln_f.weight": 1 + random(512), "ln_f.bias": random(512), "head.weight": random(61, 512)}


def othello_gpt_logits(torch, weights, tokens):
    """The logits that minGPT computes, written out."""
    x = weights["tok_emb.weight"][tokens] + weights["pos_emb"][:, : tokens.shape[1]]

    def norm(x, name):
        return torch.nn.functional.layer_norm(x, (512,), weights[f"{name}.weight"], weights[f"{name}.bias"])

    def linear(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    n, t, _ = x.shape
    for k in range(8):
        block = f"blocks.{k}"
        y = norm(x, f"{block}.ln1")
        query, key, value = (
            linear(y, f"{block}.attn.{name}").view(n, t, 8, 64).transpose(1, 2) for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(-2, -1) / 8
        scores = scores.masked_fill(torch.tril(torch.ones(t, t)) == 0, -torch.inf)
        y = (scores.softmax(-1) @ value).transpose(1, 2).reshape(n, t, 512)
        x = x + linear(y, f"{block}.attn.proj")
        y = torch.nn.functional.gelu(linear(norm(x, f"{block}.ln2"), f"{block}.mlp.0"))
        x = x + linear(y, f"{block}.mlp.2")
    return norm(x, "ln_f") @ weights["head.weight"].T


def test_a_checkpoint_of_othello_gpt_loads(tmp_path):
    torch = pytest.importorskip("torch", reason="the checkpoint needs PyTorch, an optional extra")
    pytest.importorskip("tyro", reason="the recipe reads its options with tyro")
    weights = othello_gpt_state_dict(torch)
    torch.save(weights, tmp_path / "gpt_synthetic.ckpt")
    agent = make_agent(f"sequence:model={RECIPE}:othello_gpt,weights={tmp_path / 'gpt_synthetic.ckpt'}")
    state = Othello.from_moves("f5d6c3")
    words = vocabulary_of("othello-gpt")
    tokens = torch.tensor([[int(words.tokens[move]) for move in state.moves]])
    with torch.no_grad():
        logits = othello_gpt_logits(torch, weights, tokens)[0, -1]
    legal = list(state.legal_actions())
    expected = logits[words.tokens[legal].tolist()].softmax(0).tolist()
    assert list(agent.action_probabilities(state).values()) == pytest.approx(expected, rel=1e-3)
    assert agent.act(state) == legal[int(np.argmax(expected))]


def test_weights_that_do_not_fit_are_told(tmp_path):
    torch = pytest.importorskip("torch", reason="the weights need PyTorch, an optional extra")
    module = torch.nn.Linear(2, 3)
    torch.save({"weight": torch.zeros(3, 2)}, tmp_path / "a.ckpt")
    with pytest.raises(ValueError, match=r"(?s)a.ckpt' has no weights for this model: .*Missing key.*bias"):
        load_weights(module, tmp_path / "a.ckpt")
    (tmp_path / "b.safetensors").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"b.safetensors"):
        load_weights(module, tmp_path / "b.safetensors")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_weights(module, tmp_path / "c.ckpt")
