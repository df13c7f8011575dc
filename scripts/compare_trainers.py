"""Train an agent with each trainer for the same time, rate all agents, and write one table.

    python scripts/compare_trainers.py --folder runs/trainers --minutes 10
    python scripts/compare_trainers.py --folder runs/trainers6 --minutes 10 --size 6
    python scripts/compare_trainers.py --folder runs/trainers --minutes 10 --only n-tuple ppo

Each trainer trains one agent for each seed. The trainings run one after the other, so that each has the whole machine.
On 8x8, each agent plays on the ladder until its Elo rating is known to +-25. On 6x6 and 4x4, its moves in packaged
positions are compared with perfect play, and it plays against the agent `perfect`.

The folder ``--folder`` holds the agents, their learning curves, ``results.json``, and the table ``results.md``. After
an interrupt, the same command continues. An agent that is already rated is not trained again. PyTorch's trainers need
``pip install '.[torch]'``, and the league of Stable-Baselines3 needs ``pip install '.[sb3,onnx]' onnx``.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _arguments import one_of, parse, path, real, whole
from _recipe import SIZES, mistakes, show

from othello_env.arena.rating.benchmark import markdown_table
from othello_env.arena.rating.perfection import run_perfection
from othello_env.arena.rating.placement import place
from othello_env.support.files import parse_json, read_file, write_file, write_json

SCRIPTS = Path(__file__).parent
_PATIENCE = 120.0
"""The seconds that a trainer has to write its agent after Ctrl-C."""
_LARGEST = 16 << 20
_FORMAT = "othello-env trainers 1"


@dataclass(frozen=True)
class Trainer:
    """A training script.

    Attributes:
        what: a few words about the trainer.
        command: the script and its options.
        out: what the script writes, below the folder of the run.
        agent: the agent below this folder, as a spec.
        has_clock: whether the script has the options ``--seconds`` and ``--resume``. If it has not, the training ends
            by Ctrl-C, and an interrupted training begins again.
    """

    what: str
    command: tuple[str, ...]
    out: str
    agent: str
    has_clock: bool = True


TRAINERS = {
    "n-tuple": Trainer(
        "n-tuple network, self-play", ("train_ntuple.py", "--first", "10000000"), "agent.npz", "agent.npz"
    ),
    "ppo": Trainer(
        "PPO with a league", ("train_ppo.py", "--every", "1000000"), "agent.safetensors", "agent.safetensors"
    ),
    "alphazero": Trainer(
        "AlphaZero, 16 simulations a move",
        ("train_alphazero.py", "--every", "1000000"),
        "agent.safetensors",
        "agent.safetensors:simulations=16",
    ),
    "sb3-league": Trainer(
        "MaskablePPO of Stable-Baselines3 with a league",
        ("train_league_sb3.py", "--steps", "1000000000"),
        "league",
        "league/newest.onnx",
        has_clock=False,
    ),
}


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    folder: Path = path("a folder for the agents and the results")
    minutes: float = real(10.0, "minutes of each training", least=0.01)
    seeds: tuple[int, ...] = whole((1, 2, 3), "the seeds of the trainings", least=0, most=2**32 - 1, nargs="+")
    size: int = one_of(8, "size of the board: 4, 6 or 8", SIZES)
    only: tuple[str, ...] = one_of(tuple(TRAINERS), "the trainers", tuple(TRAINERS), nargs="+")


class Results:
    """The results so far, kept in ``results.json``.

    Raises:
        OSError: the folder cannot be read or written.
        ValueError: the folder has results of another size or time.
    """

    def __init__(self, folder: Path, size: int, minutes: float) -> None:
        self.path = folder / "results.json"
        self.header = {"format": _FORMAT, "size": size, "minutes": minutes}
        self.rows: dict[str, dict[str, Any]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            found = parse_json(read_file(self.path, _LARGEST))
            if not isinstance(found, dict) or {name: found.get(name) for name in self.header} != self.header:
                raise ValueError(f"{self.path} is not of --size {size} and --minutes {minutes:g}")
            self.rows = found["rows"]

    def once(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """A result. If it is missing, it is made and kept."""
        if name not in self.rows:
            self.rows[name] = make()
            write_json(self.path, self.header | {"rows": self.rows})
        return self.rows[name]


def train(trainer: Trainer, folder: Path, size: int, seed: int, seconds: float) -> None:
    """Train an agent in a folder. If the folder has a part of this training, continue it where that is possible.

    Raises:
        ValueError: the training failed.
    """
    out = folder / trainer.out
    command = [sys.executable, str(SCRIPTS / trainer.command[0]), *trainer.command[1:], "--out", str(out)]
    command += ["--size", str(size), "--seed", str(seed)]
    if trainer.has_clock:
        command += ["--seconds", str(seconds), *(["--resume"] if out.exists() else [])]
    elif out.exists():
        out.rename(folder / f"interrupted-{time.time_ns()}")
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(command)  # noqa: S603 (this list has no text of others)
    try:
        process.wait(None if trainer.has_clock else seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait(_PATIENCE)
    except KeyboardInterrupt:  # the trainer got Ctrl-C, too, and writes what it has
        process.wait(_PATIENCE)
        raise
    if process.returncode:
        raise ValueError(f"the training failed with status {process.returncode}: {' '.join(command)}")


def measure(agent: str, size: int, seed: int) -> dict[str, Any]:
    """Rate an agent: its Elo rating on 8x8, its distance from perfect play on a small board."""
    if size == max(SIZES):
        placement = place(agent, seed=seed, progress=lambda found: show(f"{agent}: Elo {found.elo_text}"))
        show("")
        return {"elo": placement.elo, "interval": placement.interval, "text": placement.elo_text}
    found = run_perfection(agent, size=size, seed=seed)
    assert found.regret is not None
    assert found.games is not None
    return {
        "perfect": found.regret.rate,
        "interval": found.regret.all.rate_interval,
        "loss": found.regret.loss,
        "game_loss": found.games.loss,
    }


def cell(size: int, result: dict[str, Any]) -> str:
    """A result as text for the table."""
    low, high = result["interval"]
    if size < max(SIZES):
        return f"{result['perfect']:.1%} ({low:.1%} to {high:.1%}); {result['game_loss']:.1f}"
    return result["text"] if result["elo"] is None else f"{result['elo']:.0f} ({low:.0f} to {high:.0f})"


def table(args: Arguments, results: Results) -> str:
    """The results as a table in Markdown, one row for each trainer."""
    columns = ["trainer", "minutes", *(f"seed {seed}" for seed in args.seeds)]
    rows = []
    for name in args.only:
        found = [results.rows.get(f"{name} {seed}") for seed in args.seeds]
        cells = [cell(args.size, result) if result else "" for result in found]
        rows.append([TRAINERS[name].what, f"{args.minutes:g}", *cells])
    measured = (
        "Elo ratings on the ladder with their 95% intervals."
        if args.size == max(SIZES)
        else "The share of perfect moves in packaged positions with its 95% interval, and the discs lost in a game "
        "against perfect play."
    )
    return "\n".join([*markdown_table(columns, rows), "", measured]) + "\n"


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    with mistakes():
        results = Results(args.folder, args.size, args.minutes)
        for seed in args.seeds:
            for name in args.only:
                trainer, folder = TRAINERS[name], args.folder / f"{name}-{seed}"

                def rate(trainer: Trainer = trainer, folder: Path = folder, seed: int = seed) -> dict[str, Any]:
                    train(trainer, folder, args.size, seed, 60 * args.minutes)
                    return measure(str(folder / trainer.agent), args.size, seed)

                found = results.once(f"{name} {seed}", rate)
                print(f"{name}, seed {seed}: {cell(args.size, found)}", flush=True)
                write_file(args.folder / "results.md", table(args, results).encode())
    print(table(args, results), end="")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
