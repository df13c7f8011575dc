"""Train an agent with each trainer for the same time, rate all agents, and write one table.

    python scripts/compare_trainers.py --folder runs/trainers --minutes 10
    python scripts/compare_trainers.py --folder runs/trainers6 --minutes 10 --size 6
    python scripts/compare_trainers.py --folder runs/trainers --minutes 10 --only n-tuple ppo

Each trainer trains one agent for each seed. The trainings run one after the other, so that each has the whole machine.
Each training takes ``--minutes`` minutes. For an n-tuple network, this is the time of self-play alone. For PPO and
AlphaZero, it includes a few games that measure the untrained network. For the league of Stable-Baselines3, it includes
the start of the program.

On 8x8, each agent then plays against the ladder, a list of rated opponents, until the 95% interval of its Elo rating is
+-25 or less. On 6x6 and 4x4, its moves in packaged positions are compared with perfect play, and it plays against the
agent `perfect`.

The folder ``--folder`` holds the agents, ``results.json``, and the table ``results.md``. After an interrupt, the same
command continues. An agent that is already trained is not trained again, and a rated agent is not rated again. PPO and
AlphaZero need ``pip install '.[torch]'``, and the league of Stable-Baselines3 needs ``pip install '.[sb3,onnx]' onnx``.
"""

import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from _arguments import one_of, parse, path, real, whole
from _recipe import RESIDUAL_PPO, SIZES, has_run, locked, mistakes, show

from othello_env.arena.rating.benchmark import markdown_table, run_perfection
from othello_env.arena.rating.ladder import place
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
        out: the path of the script's output, relative to the folder of the training.
        agent: the spec of the trained agent, relative to the same folder.
        needs: the packages that the script imports and that the base install does not have.
        has_clock: whether the script has the options ``--seconds`` and ``--resume``. If it does not have them, this
            program ends the script by Ctrl-C, and begins an interrupted training again from the start.
    """

    what: str
    command: tuple[str, ...]
    out: str
    agent: str
    needs: tuple[str, ...] = ()
    has_clock: bool = True


_UNMEASURED = ("--every", "1000000", "--match", "2")
TRAINERS = {
    "n-tuple": Trainer(
        "n-tuple network, self-play", ("train_ntuple.py", "--first", "10000000"), "agent.npz", "agent.npz"
    ),
    "ppo": Trainer(
        "PPO with a league", ("train_ppo.py", *_UNMEASURED), "agent.safetensors", "agent.safetensors", ("torch",)
    ),
    "ppo-residual": Trainer(
        "PPO with a league and a convolutional network",
        ("train_ppo.py", *RESIDUAL_PPO, *_UNMEASURED),
        "agent.safetensors",
        "agent.safetensors",
        ("torch",),
    ),
    "alphazero": Trainer(
        "AlphaZero, 16 simulations a move",
        ("train_alphazero.py", *_UNMEASURED),
        "agent.safetensors",
        "agent.safetensors:simulations=16",
        ("torch",),
    ),
    "sb3-league": Trainer(
        "MaskablePPO of Stable-Baselines3 with a league",
        ("train_league_sb3.py", "--steps", "1000000000"),
        "league",
        "league/newest.onnx",
        ("torch", "sb3_contrib", "onnx", "onnxruntime"),
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

    def check(self) -> None:
        """Check that the chosen trainers can run here."""
        for name in self.only:
            missing = [package for package in TRAINERS[name].needs if find_spec(package) is None]
            if missing:
                raise ImportError(f"--only {name} needs {', '.join(missing)}; --help says how to install it")
            if sys.platform == "win32" and not TRAINERS[name].has_clock:
                raise ValueError(f"--only {name} does not work on Windows, where Ctrl-C cannot be sent to one program")


class Results:
    """The results so far, kept in ``results.json``.

    Attributes:
        trained: the names of the agents whose training is complete, such as ``ppo 1`` for seed 1.
        rows: the results of the rated agents by name. The entry ``told`` of a result is its text in the table.

    Raises:
        OSError: the folder cannot be read or written.
        ValueError: the folder has results of another size or time, or the file is damaged.
    """

    def __init__(self, folder: Path, size: int, minutes: float) -> None:
        self.path = folder / "results.json"
        self.header = {"format": _FORMAT, "size": size, "minutes": minutes}
        self.trained: list[str] = []
        self.rows: dict[str, dict[str, Any]] = {}
        if not self.path.exists():
            return
        try:
            found = parse_json(read_file(self.path, _LARGEST))
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None
        rows, trained = (found.get("rows"), found.get("trained")) if isinstance(found, dict) else (None, None)
        if not isinstance(rows, dict) or not isinstance(trained, list) or found.get("format") != _FORMAT:
            raise ValueError(f"{self.path} is damaged, or another program wrote it")
        if not all(isinstance(row, dict) and isinstance(row.get("told"), str) for row in rows.values()):
            raise ValueError(f"{self.path} is damaged: a result has no text")
        if {name: found.get(name) for name in self.header} != self.header:
            raise ValueError(f"{self.path} is not of --size {size} and --minutes {minutes:g}")
        self.trained, self.rows = trained, rows

    def save(self) -> None:
        """Write ``results.json``, and the table in a file beside it."""
        write_json(self.path, self.header | {"trained": self.trained, "rows": self.rows})
        write_file(self.path.with_suffix(".md"), self.table().encode())

    def table(self) -> str:
        """All results as a table in Markdown, one row for each trainer."""
        seeds = sorted({int(name.split()[-1]) for name in self.rows})
        names = [name for name in TRAINERS if any(row.split()[0] == name for row in self.rows)]
        rows = [
            [
                TRAINERS[name].what,
                f"{self.header['minutes']:g}",
                *(self.rows.get(f"{name} {seed}", {"told": ""})["told"] for seed in seeds),
            ]
            for name in names
        ]
        measured = (
            "Elo ratings on the ladder with their 95% intervals."
            if self.header["size"] == max(SIZES)
            else "The share of perfect moves in packaged positions with its 95% interval, and the discs lost in a game "
            "against perfect play."
        )
        columns = ["trainer", "minutes", *(f"seed {seed}" for seed in seeds)]
        return "\n".join([*markdown_table(columns, rows), "", measured]) + "\n"


def train(trainer: Trainer, folder: Path, size: int, seed: int, seconds: float) -> None:
    """Train an agent in a folder.

    If the folder has an interrupted training, a script with the option ``--resume`` continues it. Other scripts begin
    again.

    Raises:
        ValueError: the training failed.
    """
    out = folder / trainer.out
    command = [sys.executable, str(SCRIPTS / trainer.command[0]), *trainer.command[1:], "--out", str(out)]
    command += ["--size", str(size), "--seed", str(seed)]
    if trainer.has_clock:
        command += ["--seconds", str(seconds), *(["--resume"] if has_run(out) else [])]
    elif out.exists():
        out.rename(folder / f"interrupted-{time.time_ns()}")
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(command)  # noqa: S603 - the program is ours
    try:
        wait(process, None if trainer.has_clock else seconds)
    except subprocess.TimeoutExpired:
        raise ValueError(f"{trainer.command[0]} did not end within {_PATIENCE:g} seconds after Ctrl-C") from None
    finally:  # the trainer may still run, for example after a second Ctrl-C
        if process.poll() is None:
            process.kill()
            process.wait()
    if process.returncode:
        raise ValueError(f"the training failed with status {process.returncode}: {' '.join(command)}")


def wait(process: "subprocess.Popen[bytes]", seconds: float | None) -> None:
    """Wait until a trainer ends. After `seconds`, send Ctrl-C to the trainer.

    After Ctrl-C, the trainer has `_PATIENCE` seconds to write its agent.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed. The terminal sends Ctrl-C to this script and to the trainer.
        TimeoutExpired: the trainer did not end within `_PATIENCE` seconds after Ctrl-C.
    """
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait(_PATIENCE)
    except KeyboardInterrupt:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        raise


def measure(agent: str, size: int, seed: int) -> dict[str, Any]:
    """Rate an agent: its Elo rating on 8x8, or its distance from perfect play on a small board."""
    if size == max(SIZES):
        placement = place(agent, seed=seed, progress=lambda found: show(f"{agent}: Elo {found.elo_text}"))
        show("")
        if placement.elo is None or placement.open_end is not None:
            return {"told": placement.elo_text}
        low, high = placement.interval
        told = f"{placement.elo:.0f} ({low:.0f} to {high:.0f})"
        return {"told": told, "elo": placement.elo, "interval": [low, high]}
    found = run_perfection(agent, size=size, seed=seed)
    assert found.regret is not None
    assert found.games is not None
    low, high = found.regret.all.rate_interval
    return {
        "told": f"{found.regret.rate:.1%} ({low:.1%} to {high:.1%}); {found.games.loss:.1f}",
        "perfect": found.regret.rate,
        "interval": [low, high],
        "loss": found.regret.loss,
        "game_loss": found.games.loss,
    }


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    with mistakes(), locked(args.folder):
        results = Results(args.folder, args.size, args.minutes)
        for seed in args.seeds:
            for name in args.only:
                trainer, folder, both = TRAINERS[name], args.folder / f"{name}-{seed}", f"{name} {seed}"
                if both not in results.trained:
                    train(trainer, folder, args.size, seed, 60 * args.minutes)
                    results.trained.append(both)
                    results.save()
                if both not in results.rows:
                    results.rows[both] = measure(str(folder / trainer.agent), args.size, seed)
                    results.save()
                print(f"{name}, seed {seed}: {results.rows[both]['told']}", flush=True)
        print(results.table(), end="")


if __name__ == "__main__":
    # If a shell starts this script in the background, the script and its trainers may ignore Ctrl-C. But the script
    # ends some trainers by Ctrl-C. So Ctrl-C gets its usual effect here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
