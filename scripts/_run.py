"""A run of a training script with PyTorch (PPO, AlphaZero or imitation), from the command's arguments to the files.

The training scripts are called recipes. A recipe defines a `Learner`: the network, and how it plays and learns. `run`
reads the command line, iterates, measures the points of the learning curve, writes the files, and handles Ctrl-C and
``--resume``.
"""

from __future__ import annotations

import importlib.util
import math
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import torch
from _arguments import even, flag, parse_all, path, real, text, whole
from _recipe import LADDER, OPENINGS, PERFECT, command_line, mistakes, perfect_moves, show

from othello_agents.network.base import TorchNetwork
from othello_agents.network.neural import NeuralAgent
from othello_env.arena.match import MatchResult
from othello_env.arena.rating.ladder import place
from othello_env.drawing.chart import CurvePoint, learning_chart, png
from othello_env.support.files import write_file, write_json
from othello_env.support.imports import search_current_folder

__all__ = [
    "LINE_SECONDS",
    "PRECISIONS",
    "Learner",
    "Options",
    "autocast",
    "mean_losses",
    "run",
]

PRECISIONS = ("float32", "bfloat16")
SAVE_SECONDS = 300.0
"""The state is saved at each point of the curve, and also if it was not saved for this number of seconds."""
LINE_SECONDS = 10.0
"""If no line was printed for this number of seconds, a line is printed at the end of the iteration."""


@dataclass(frozen=True)
class Options:
    """The arguments of a run that are not settings: its files, its length, its device and its measurements."""

    out: Path = path("the agent, a .safetensors file", suffix=".safetensors")
    iterations: int | None = whole(
        None, "the most iterations; --seconds may end the run sooner", least=0, most=sys.maxsize
    )
    seconds: float = real(3600.0, "seconds of the whole run, measurements included", least=0)
    resume: bool = flag("continue the run of --out")
    every: int = whole(20, "iterations between points of the curve")
    match: int = even(100, "games of each match, and games on the ladder")
    device: str = text("cuda" if torch.cuda.is_available() else "cpu", "the network's device, for example cpu or cuda")
    tensorboard: Path | None = path("a folder for TensorBoard's logs", None)

    @property
    def state(self) -> Path:
        """The file from which the run can be resumed."""
        return self.out.with_suffix(".state.safetensors")

    def check(self) -> None:
        """Check that the files of the agent, the state and the curve are new, unless the run is resumed.

        Also check that the device exists, and that TensorBoard is installed if it is needed.
        """
        if self.out.exists() and not self.resume:
            raise ValueError(f"--out {self.out} exists; --resume continues it")
        if self.state.is_file() and not self.resume:
            raise ValueError(f"{self.state}, the state of a run, exists; --resume continues this run")
        for beside in () if self.resume else (".json", ".png"):
            if (file := self.out.with_suffix(beside)).exists():
                raise ValueError(f"{file}, where this run would write its curve, exists; give another --out")
        try:
            torch.empty(0, device=self.device)
        except (AssertionError, RuntimeError):  # PyTorch's own message can fill a page
            raise ValueError(f"--device: there is no {self.device} that PyTorch can use") from None
        if self.tensorboard and importlib.util.find_spec("tensorboard") is None:
            raise ValueError("--tensorboard needs a package: pip install tensorboard")

    def workplace(self, learner: Any) -> AbstractContextManager[None]:
        """A context in which the run takes place. The context of `_actors.Options` connects to a cluster.

        Raises:
            OSError: the run cannot take place in this context, for example because no cluster answers.
            SystemExit: the options do not fit the learner's settings.
        """
        return nullcontext()


def autocast(settings: Any, device: str, *, play: bool = False) -> Any:
    """A context in which the network computes with the type of numbers that ``--precision`` names.

    Args:
        settings: the recipe's settings, with `precision`.
        device: the network's device.
        play: True if the network plays, False if it learns. If it plays on a CPU, the numbers are always float32.
    """
    kind = torch.device(device).type
    return torch.autocast(kind, torch.bfloat16, settings.precision == "bfloat16" and not (play and kind == "cpu"))


def mean_losses(found: Sequence[dict[str, torch.Tensor]]) -> dict[str, float]:
    """The mean of each loss. `found` has one dict of losses for each change of the weights.

    The losses are read only here, after all changes of an iteration. To read a number from a GPU, Python must wait
    until the GPU has finished its work. If `found` is empty, the result is empty.
    """
    if not found:
        return {}
    rows = torch.stack([torch.stack([*losses.values()]) for losses in found]).tolist()
    return {name: sum(row[k] for row in rows) / len(rows) for k, name in enumerate(found[0])}


class Learner(Protocol):
    """The interface that a recipe implements: the network, how it learns, and how its run is saved and loaded."""

    NAME: ClassVar[str]
    """The name of the algorithm."""
    UNIT: ClassVar[str]
    """The unit that the run counts, such as ``plies`` or ``games``.

    The learner has an attribute with this name: the number of units so far.
    """

    settings: Any
    """A dataclass of all settings on which the results depend."""
    iteration: int
    interrupted: bool
    """Whether Ctrl-C ended the run. `run` sets this attribute."""

    def __init__(self, settings: Any, device: str) -> None: ...

    def iterate(self) -> dict[str, float]:
        """Play, learn, and return the mean losses. Raises FloatingPointError when the training has diverged."""

    @property
    def trained(self) -> TorchNetwork:
        """The network that the run writes to its file."""

    @property
    def agent(self) -> NeuralAgent:
        """The agent that is rated. It plays with the trained network."""

    def matches(self, games: int) -> dict[str, dict[str, MatchResult]]:
        """Play matches of `games` games. For each kind of match, return a dict from opponents to results.

        The first kind is ``scores``.
        """

    @property
    def score_title(self) -> str:
        """The meaning of the ``scores``, in words for the picture's subtitle."""

    def save(self, file: Path, progress: dict[str, Any]) -> None:
        """Write everything that a resumed run needs."""

    @classmethod
    def load(cls, file: Path, settings: Any, device: str) -> tuple[Self, dict[str, Any]]:
        """Return the learner and the progress from a file that `save` wrote. Raises OSError or ValueError."""


def run(
    kind: type[Learner],
    settings_kind: type,
    description: str | None,
    arguments: Sequence[str] | None = None,
    options_kind: type[Options] = Options,
) -> Learner:
    """Run a recipe's command: parse the arguments, train, and write the files. Return the learner.

    Args:
        kind: the recipe's learner.
        settings_kind: the dataclass of the recipe's settings. Each setting is an option of the command.
        description: the recipe's docstring.
        arguments: the words of the command line; by default, the words with which the script was started.
        options_kind: the dataclass of the other options. A recipe can give a subclass with more options or other
            defaults.

    Raises:
        SystemExit: an argument is wrong, a file cannot be read or written, or the training has diverged.
        KeyboardInterrupt: Ctrl-C was pressed twice. After the first Ctrl-C, the run ends after the current iteration.
    """
    search_current_folder()  # --network may name a module in this folder
    options, settings = parse_all(description, [options_kind, settings_kind], arguments)
    progress: dict[str, Any] = {"seconds": 0.0, "curve": []}
    if options.resume:
        try:
            learner, progress = kind.load(options.state, settings, options.device)
        except (OSError, ValueError) as error:
            sys.exit(f"--resume: {error}")
    else:
        with mistakes():
            learner = kind(settings, options.device)
    try:
        with options.workplace(learner), _stop_after_iteration() as stop:
            learner.save(options.state, progress)  # before the training, so that an error comes early
            _Run(learner, options, progress).train(stop)
            learner.interrupted = bool(stop)
    except (FloatingPointError, OSError) as error:
        show("")
        sys.exit(f"iteration {learner.iteration}: {error}")
    return learner


@contextmanager
def _stop_after_iteration() -> Iterator[list[int]]:
    """Yield a list that is empty until Ctrl-C is pressed. A second Ctrl-C raises KeyboardInterrupt at once."""
    stop: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        stop.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


class _Run:
    """A run: its learner, its options, and its progress.

    The progress is a dict: the ``seconds`` so far, the points of the ``curve``, and the ``losses`` of the last
    iteration before the run was saved.
    """

    def __init__(self, learner: Learner, options: Options, progress: dict[str, Any]) -> None:
        self.learner, self.options, self.progress = learner, options, progress
        self.curve: list[dict[str, Any]] = progress["curve"]
        self.board: Any = None
        if options.tensorboard:
            from torch.utils.tensorboard import SummaryWriter  # an extra package

            self.board = SummaryWriter(options.tensorboard)

    @property
    def played(self) -> int:
        """The number of units so far: plies, games or positions."""
        return int(getattr(self.learner, self.learner.UNIT))

    def train(self, stop: list[int]) -> None:
        """Iterate and measure until ``--iterations`` or ``--seconds`` is reached, or until `stop` is not empty."""
        learner, options = self.learner, self.options
        most = math.inf if options.iterations is None else options.iterations
        begin = time.perf_counter() - self.progress["seconds"]
        losses: dict[str, float] = self.progress.get("losses", {})
        told = (time.perf_counter(), self.played)  # when the last line was printed, and the units played until then
        saved = told[0]
        while True:
            self.progress["seconds"] = seconds = time.perf_counter() - begin
            is_last = bool(stop) or learner.iteration >= most or seconds >= options.seconds
            is_new = not self.curve or self.curve[-1]["iteration"] != learner.iteration
            is_measured = is_new and (learner.iteration % options.every == 0 or is_last)
            where = f"iteration {learner.iteration}  {self.played:,} {learner.UNIT}  {seconds:.0f} s"
            if is_measured:
                show(f"{where}  measuring")
                self.progress["losses"] = losses
                learner.save(options.state, self.progress)  # so that a second Ctrl-C while measuring loses no training
                self.curve.append(self.measure(losses))
                self.progress["seconds"] = time.perf_counter() - begin
                self.keep()
                self.log_newest()
                show("")
                print(where, *_words(self.curve[-1]), sep="  ", flush=True)
                told = (time.perf_counter(), self.played)
                saved = told[0]
            elif is_last:
                self.keep()  # an earlier process may have been killed before it wrote all files
            if is_last or (is_measured and stop):
                return
            show(where)
            # PyTorch's generator gets a seed for each iteration, so that a resumed run draws the same numbers. Only a
            # user's network draws from this generator, for example for dropout.
            sequence = np.random.SeedSequence([learner.settings.seed, learner.iteration])
            torch.manual_seed(int(sequence.generate_state(1, np.uint64)[0]))
            losses = learner.iterate()
            if (now := time.perf_counter()) - told[0] >= LINE_SECONDS:
                self.tell(now - begin, (self.played - told[1]) / (now - told[0]), losses)
                told = (now, self.played)
            if now - saved >= SAVE_SECONDS:
                self.progress |= {"seconds": now - begin, "losses": losses}
                learner.save(options.state, self.progress)
                saved = now
            self.log({f"train/{name}": loss for name, loss in losses.items()})

    def tell(self, seconds: float, speed: float, losses: dict[str, float]) -> None:
        """Print a line between two points of the curve: the progress, the speed, the losses and the last scores."""
        learner = self.learner
        where = f"iteration {learner.iteration}  {self.played:,} {learner.UNIT}  {seconds:.0f} s"
        words = [f"{speed:,.0f} {learner.UNIT} a second", *(f"{name} {loss:.3f}" for name, loss in losses.items())]
        show("")
        print(where, *words, f"last scores: {' '.join(_words(self.curve[-1]))}", sep="  ", flush=True)

    def measure(self, losses: dict[str, float]) -> dict[str, Any]:
        """Measure the learner as it is now; return the point of the curve."""
        learner, games, seconds = self.learner, self.options.match, self.progress["seconds"]
        point = {"iteration": learner.iteration, learner.UNIT: self.played, "seconds": round(seconds, 1)}
        point |= {name: round(loss, 4) for name, loss in losses.items()}
        for name, matches in learner.matches(games).items():
            point[name] = {opponent: round(match.score, 4) for opponent, match in matches.items()}
        point |= perfect_moves(learner.agent, learner.settings.size)
        if learner.settings.size == 8:  # smaller boards have the share of perfect moves instead
            placement = place(learner.agent, games=games)
            if placement.elo is not None:  # it is None if every game was lost
                point["elo"], point["elo95"] = round(placement.elo), [round(end) for end in placement.interval]
        return point

    def keep(self) -> None:
        """Write the agent, the state, the curve and its picture."""
        learner, options, point = self.learner, self.options, self.curve[-1]
        card = {"command": command_line(), "settings": asdict(learner.settings)}
        learner.trained.training = card | point
        learner.trained.save(options.out)
        learner.save(options.state, self.progress)
        write_json(options.out.with_suffix(".json"), card | {"curve": self.curve})
        write_file(options.out.with_suffix(".png"), self.picture())

    def log_newest(self) -> None:
        """Log the newest point of the curve."""
        point = self.curve[-1]
        self.log({f"score/{opponent}": score for opponent, score in point["scores"].items()})
        self.log({name: point[name] for name in ("elo", PERFECT, "discs lost") if name in point})

    def picture(self) -> bytes:
        """The curve as a PNG file."""
        learner, size = self.learner, self.learner.settings.size
        title = f"{learner.NAME} learns {size}x{size} Othello, seed {learner.settings.seed}"
        subtitle = (
            f"{learner.score_title}, {self.options.match} games at each point from {OPENINGS[size]}; 95% intervals"
        )
        lines = {
            opponent: [
                CurvePoint(p[learner.UNIT], p["seconds"], score, *interval_of(self.options.match // 2, score, 0.0))
                for p in self.curve
                for score in (p["scores"][opponent],)
            ]
            for opponent in LADDER
        }
        return png(learning_chart(title, subtitle, lines, learner.UNIT))

    def log(self, numbers: dict[str, float]) -> None:
        """Log numbers to TensorBoard, if ``--tensorboard`` was given."""
        if self.board and numbers:
            for name, number in numbers.items():
                self.board.add_scalar(name, number, self.played)
            self.board.flush()


def _words(point: dict[str, Any]) -> list[str]:
    """The scores and the rating of a point, as texts for the printed line."""
    words = [f"{opponent.partition(':')[0]} {score:.2f}" for opponent, score in point["scores"].items()]
    words += [f"without search {score:.2f}" for score in point.get("without search", {}).values()]
    words += [f"{PERFECT} {point[PERFECT]:.2f}"] if PERFECT in point else []
    return words + ([f"Elo {point['elo']}"] if "elo" in point else [])
