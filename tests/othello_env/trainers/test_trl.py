"""TRL's GRPO with the environment of texts: a tiny model whose tool calls are scripted plays whole games and learns."""

import json
import re
from pathlib import Path

import pytest

trl = pytest.importorskip("trl", reason="the recipe needs TRL, which is not a dependency")
pytest.importorskip("tyro", reason="the recipe reads its options with tyro")

import torch  # noqa: E402
from load_script import load_script  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: E402
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM  # noqa: E402


def byte_tokenizer():
    """A tokenizer of bytes with the chat template of Qwen3, so that nothing is downloaded."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = Tokenizer(models.BPE(vocab={each: number for number, each in enumerate(alphabet)}, merges=[]))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=tokens, eos_token="<|im_end|>", pad_token="<|pad|>")
    made.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    return made


class Scripted(Qwen3ForCausalLM):
    """A tiny model whose answers are scripted: a tool call with a listed legal move, or at random times nonsense."""

    tokenizer: PreTrainedTokenizerFast
    games: int = 0

    def generate(self, input_ids, attention_mask=None, generation_config=None, **_):
        answers = []
        for prompt in self.tokenizer.batch_decode(input_ids):
            moves = re.findall("Legal moves: ([a-f1-6 ]*)", prompt)[-1].split() if "Legal moves" in prompt else ["?"]
            over = re.search(r"You (won|lost)\.|is a draw\.|You lose the game", prompt)
            Scripted.games += over is not None
            number = prompt.count("<tool_response>") + len(answers)
            move = "a1" if number % 7 == 6 else moves[number % len(moves)]
            call = json.dumps({"name": "play", "arguments": {"move": move}})
            answers.append("I am done." if over else f"<tool_call>\n{call}\n</tool_call>")
        ids = [self.tokenizer(f"{answer}<|im_end|>").input_ids for answer in answers]
        longest = max(map(len, ids))
        padded = [each + [self.tokenizer.pad_token_id] * (longest - len(each)) for each in ids]
        return torch.cat([input_ids, torch.tensor(padded)], dim=1)


def tiny_model(tokenizer):
    """A model with random weights whose answers are scripted."""
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        max_position_embeddings=65536,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(0)
    Scripted.tokenizer = tokenizer
    return Scripted(config)


@pytest.mark.filterwarnings("ignore")
def test_grpo_plays_whole_games_and_learns_from_their_rewards(tmp_path, monkeypatch):
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    recipe = load_script("train/grpo")
    tokenizer = byte_tokenizer()
    model = tiny_model(tokenizer)
    args = recipe.Args(
        out=tmp_path, steps=2, size=4, plies=4, legal_moves=True, group=4, positions=1, tokens=40_000, rate=1e-2
    )
    trainer = recipe.make_trainer(args, model, tokenizer)
    before = [each.clone() for each in model.parameters()]
    trainer.train()
    logs = [log for log in trainer.state.log_history if "reward" in log]
    assert len(logs) == 2
    assert any(log["reward_std"] > 0 for log in logs)
    environments = trainer.environments
    assert len({str(environment.messages[0]) for environment in environments}) == 1  # a group begins alike
    assert all(environment.done for environment in environments)
    rewards = [environment.get_reward() for environment in environments]
    assert any(log["reward_std"] > 0 for log in logs)
    assert logs[-1]["rewards/OthelloText/mean"] == pytest.approx(sum(rewards) / 4)
    assert logs[-1]["tools/failure_frequency"] == 0
    assert Scripted.games >= 8
    assert any((old != new).any() for old, new in zip(before, model.parameters(), strict=True))
    assert [tool.__name__ for tool in trainer.tools] == ["play"]


@pytest.mark.filterwarnings("ignore")
def test_the_program_of_the_page_trains(tmp_path, monkeypatch):
    """The tiny model takes the place of the downloaded one. Games are shorter, and there is one update."""
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "language-models.md").read_text()
    (program,) = re.findall(r"^```python\n# train.py\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    tokenizer, trainer, config = byte_tokenizer(), trl.GRPOTrainer, trl.GRPOConfig
    monkeypatch.setattr(
        trl, "GRPOTrainer", lambda _, **rest: trainer(tiny_model(tokenizer), processing_class=tokenizer, **rest)
    )
    small = {"max_steps": 1, "use_cpu": True, "bf16": False, "report_to": "none", "max_completion_length": 40_000}
    monkeypatch.setattr(trl, "GRPOConfig", lambda **settings: config(**(settings | small)))
    names = {}
    exec(
        program.replace("random:12", "random:24").replace('reward="regret"', 'reward="regret", legal_moves=True'), names
    )
    environments = names["trainer"].environments
    assert len(environments) == 8
    assert all(environment.done for environment in environments)
    assert len({environment.messages[0]["content"] for environment in environments}) == 1
