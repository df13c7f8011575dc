"""Train a language model with TRL's GRPO in games against an agent (``pip install othello-env tensorboard trl tyro``).

    python scripts/train/grpo.py --model Qwen/Qwen3-0.6B --steps 200 --out runs/grpo

The model gets the rules and a position, and plays by calling the tool `play` with its moves. The environment,
`othello_env.text.OthelloText`, makes the moves of the opponent. The reward of a game, from 0 to 1, depends on its
result and on the discs that the moves lose against perfect play. On 6x6 this regret is exact for every move, so the
model learns from each of its moves, and not only from wins and losses. A game that is not played to its end, for
example because of the limit of tokens, pays less than every finished game. All games of a group begin with the same
position. Needs TRL 1.16 and a model whose chat template supports tools. Without a GPU it runs on the CPU, which is too
slow for real models. The newest checkpoint in `out` is kept after Ctrl-C. TensorBoard's events are in the same folder.
"""

import os
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

try:
    import torch
    import tyro
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer
except ImportError as error:
    sys.exit(f"{error}: pip install tensorboard trl tyro")

from othello_env.text import OthelloText

TASK = "Play this game to its end. Call the tool play for each of your moves.\n\n"


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    model: str = "Qwen/Qwen3-0.6B"  # a model of the Hugging Face hub, or a folder
    out: Path = Path("runs/grpo")  # the folder of the checkpoints
    steps: int = 200  # number of updates
    size: Literal[4, 6, 8] = 6  # size of the board
    opponent: str = "random"  # the opponent, as a spec
    plies: int = 12  # random plies before each game; with fewer plies on 6x6, exact regret takes long
    reward: Literal["regret", "result"] = "regret"  # the reward; on 8x8, regret is for the last moves only
    legal_moves: bool = False  # show the legal moves
    group: int = 8  # games from each position
    positions: int = 4  # positions in each update
    tokens: int = 8192  # the largest number of tokens of a game
    rate: float = 1e-6  # the learning rate
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's, on a CPU
    seed: int = 1  # the seed of everything random


def make_trainer(args: Args, model: Any, tokenizer: Any = None, **settings: Any) -> GRPOTrainer:
    """Make the trainer. Each row of its data is a seed, from which `OthelloText.reset` draws the position and side."""
    rows = args.steps * args.positions
    data = Dataset.from_dict(
        {
            "prompt": [[{"role": "user", "content": TASK}]] * rows,
            "seed": [args.seed * 1_000_003 + row for row in range(rows)],
        }
    )
    environment = partial(
        OthelloText,
        game=f"othello:size={args.size}",
        opponent=args.opponent,
        openings=f"random:{args.plies}",
        legal_moves=args.legal_moves,
        reward=args.reward,
    )
    has_gpu = torch.cuda.is_available()
    chosen: dict[str, Any] = {
        "use_cpu": not has_gpu,
        "bf16": has_gpu,
        "output_dir": str(args.out),
        "max_steps": args.steps,
        "per_device_train_batch_size": args.group,
        "gradient_accumulation_steps": args.positions,
        "num_generations": args.group,
        "max_completion_length": args.tokens,
        "learning_rate": args.rate,
        "save_steps": 50,
        "logging_steps": 1,
        "report_to": "tensorboard",
        "seed": args.seed,
    }
    config = GRPOConfig(**(chosen | settings))
    return GRPOTrainer(
        model, args=config, train_dataset=data, processing_class=tokenizer, environment_factory=environment
    )


def main(args: Args) -> None:
    torch.set_num_threads(args.threads)
    trainer = make_trainer(args, args.model)
    try:
        trainer.train()
    except KeyboardInterrupt:
        print("interrupted")
    trainer.save_model(str(args.out / "last"))


if __name__ == "__main__":
    main(tyro.cli(Args))
