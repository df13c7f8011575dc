r"""Fit the n-tuple network to positions that are labelled by searches with the network and by exact endgame scores.

    python scripts/make/fit_ntuple.py --out runs/fitted.npz --folder runs/fit
    python scripts/make/fit_ntuple.py --out runs/fitted.npz --folder runs/fit --rounds 60 --threads 2
    python scripts/make/fit_ntuple.py --out runs/fitted.npz --folder runs/fit --start runs/ntuple.npz

The fit begins with the weights of ``--start``. Without ``--start``, it begins with new weights, which first learn from
self-play (``--self-play`` games). In this self-play, the lambda of TD(lambda) is 0.9. In ``scripts/train/ntuple.py``,
some players grab discs: they prefer the move that turns the most discs. Here, no player grabs discs.

Then the fit works in rounds. In each round, the network plays ``--games`` games against itself, with random openings
and some random moves. In a tenth of the games, all moves are random. At some turns of a game, only the position after
the played move is labelled. At some other turns, the positions after all legal moves are labelled. At some of these
other turns, one or two random moves are made first. Then the positions after all legal moves of the new position are
labelled. The game itself goes on without these random moves.

If at most ``--exact`` squares of a position are empty, the label is exact. Otherwise the label is the value of a search
of ``--depth`` plies with the present weights. At the end of the round, the weights are fitted to the labels of the last
``--window`` rounds, by logistic regression for each stage of the game. In the next round, the searches use these new
weights. So in each round, the knowledge of endgames spreads ``--depth`` plies further towards the start.

After each round, the script prints a line with two numbers: the root mean square error of the network's values, and the
correlation of these values with the labels. The line has both numbers twice: for the network before the fit, and for
the network after the fit. The numbers are for the positions of every 20th game of the round. These held-out positions
are never used to fit.

All intermediate files are in ``--folder``: ``recipe.json`` with the settings, the weights at the beginning of each
round, and the labels of each round. Each file is written completely or not at all. If the script is stopped, the same
command continues. Only the step that was stopped begins again: the self-play, the labelling of up to 1000 games, or one
fit. The result is the same as without the interruption. To continue a finished fit, give a higher ``--rounds``. The
same seed gives the same weights with any number of threads. The file of the weights has a card, a JSON text that says
how the weights were made. Use a folder for one process at a time.
"""

import io
import json
import math
import sys
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import tyro

from othello_agents.engine.labelling import Plan, labelled_games, share
from othello_agents.ntuple import NTupleNetwork, Trainer
from othello_agents.ntuple.fitting import Examples, StageError, fit, stage_errors
from othello_env.games.hashing import mix_int
from othello_env.support.files import check_output, write_file, write_json
from othello_env.support.threads import Threads

MIXTURE = {"epsilon": 0.1, "random_games": 0.1, "singles": 0.1, "siblings": 0.035, "stray": 0.3}
"""The probabilities of what happens in a game and what is labelled (see `othello_agents.engine.labelling.Plan`)."""
PART = 1000
"""The number of games in a part of the labels. The threads share the games of each part."""
HELD_OUT = 20
"""The positions of every 20th game are held out: they only measure the error, and no weights are fitted to them."""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    out: Path  # the weights, a .npz file
    folder: Path  # a folder for the labels and the weights of each round
    start: Path | None = None  # the first weights, a .npz file
    self_play: int = 800_000  # games of self-play for the first weights, if there is no --start
    size: Literal[4, 6, 8] = 8  # size of the board
    rounds: int = 30  # number of rounds
    games: int = 10_000  # games in each round
    window: int = 3  # the rounds whose labels are fitted together
    depth: int = 4  # plies of the searches
    exact: int = 12  # positions with at most this number of empty squares get exact labels
    passes: int = 1  # passes over the labels at the end of each round
    rate: float = 0.0003  # the first rate of each fit, in units of a logit
    seed: int = 1  # the seed of the games and of the orders of the positions
    threads: int = 1  # threads that share the labels and the fit
    half: bool = False  # write --out in half precision, for playing only

    def recipe(self) -> dict[str, Any]:
        """The settings that determine the weights, except the number of rounds, which a later command may raise."""
        free = ("out", "folder", "threads", "half", "rounds")
        settings = {name: value for name, value in asdict(self).items() if name not in free}
        if self.start is not None:
            settings |= {"start": sha256(self.start.read_bytes()).hexdigest()[:16]}
            del settings["self_play"]
        return settings | MIXTURE


class Labels(NamedTuple):
    """N labelled positions, and for each the number of its game, (N,) int64."""

    rows: Examples
    games: npt.NDArray[np.int64]

    @classmethod
    def joined(cls, parts: list["Labels"]) -> "Labels":
        """Join the labelled positions of several parts."""
        games = np.concatenate([part.games for part in parts])
        return cls(Examples.joined([part.rows for part in parts]), games)

    @classmethod
    def read(cls, path: Path) -> "Labels":
        """Read a part from its file."""
        with np.load(path, allow_pickle=False) as file:
            return cls(Examples(*(file[name] for name in Examples._fields)), file["games"])

    def write(self, path: Path) -> None:
        """Write a part to its file."""
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **self.rows._asdict(), games=self.games)
        write_file(path, buffer.getvalue())

    def examples(self, *, held_out: bool) -> Examples:
        """If `held_out` is true, the result has the held-out positions, otherwise all other positions."""
        return self.rows.part((self.games % HELD_OUT == 0) == held_out)


class Fit:
    """A fit, whose files are in one folder.

    Args:
        args: the command's options.
        recipe: the settings that determine the weights.
        start: the weights of ``--start``, or None.
    """

    def __init__(self, args: Args, recipe: dict[str, Any], start: NTupleNetwork | None) -> None:
        self.args, self.recipe, self.start = args, recipe, start
        self.threads = Threads(args.threads)

    def weights_file(self, number: int) -> Path:
        """The file of the weights at the beginning of a round."""
        return self.args.folder / f"weights-{number:03d}.npz"

    def run(self) -> NTupleNetwork:
        """Do all rounds that are not done yet, and return the last weights."""
        print(f"round  positions  {'before':>18}  {'after':>18}", flush=True)
        for number in range(self.args.rounds + 1):
            file = self.weights_file(number)
            if file.exists():
                network = NTupleNetwork.load(file)
            else:
                network = self.round(number - 1, network) if number else self.first_weights()
                network.save(file)
        return network

    def first_weights(self) -> NTupleNetwork:
        """The weights of ``--start``, or new weights after self-play."""
        args, start = self.args, self.start
        if start is not None:
            training = dict(start.training)
            if "fit" in training:
                training["earlier_fit"] = training.pop("fit")
            return NTupleNetwork(start.size, start.stages, start.weights, training)
        trainer = Trainer(args.size, args.seed, trace=0.9, grabbing=0.0)
        while trainer.games < args.self_play:
            trainer.run(games=args.self_play - trainer.games, seconds=0.5)
        trained = trainer.network
        return NTupleNetwork(args.size, trained.stages, trained.weights, trained.training)

    def round(self, number: int, before: NTupleNetwork) -> NTupleNetwork:
        """Label the positions of a round with the network `before`, and return the network with fitted weights."""
        first = max(0, number + 1 - self.args.window)
        labels = [self.labels(k) for k in range(first, number + 1)]
        new = labels[-1]
        held_out = new.examples(held_out=True)
        was = stage_errors(before, held_out)[-1]
        training = dict(before.training)
        network = NTupleNetwork(before.size, before.stages, before.weights.copy(), training)
        fit(
            network,
            Labels.joined(labels).examples(held_out=False),
            passes=self.args.passes,
            rate=self.args.rate,
            seed=mix_int(self.args.seed, number) >> 1,
            num_threads=self.threads.count,
        )
        by_stage = stage_errors(network, held_out)
        positions = training.get("fit", {}).get("positions", 0) + len(new.games)
        network.training["fit"] = {
            **self.recipe,
            "rounds": number + 1,
            "positions": positions,
            "error_before": finite(was.error),
            "error": [finite(stage.error) for stage in by_stage],
            "correlation": [finite(stage.correlation) for stage in by_stage],
        }
        print(f"{number + 1:5}  {positions:9,}  {told(was):>18}  {told(by_stage[-1]):>18}", flush=True)
        return network

    def labels(self, number: int) -> Labels:
        """The labels of a round. Parts that have no file yet are labelled with the weights of the round's beginning."""
        args, first = self.args, number * self.args.games
        shares = (share(MIXTURE[name]) for name in Plan._fields[3:])
        plan = Plan(args.depth, args.exact, 2 * (args.size**2 - 4) // 5, *shares)
        parts = []
        for k, begin in enumerate(range(first, first + args.games, PART)):
            file, count = args.folder / f"labels-{number:03d}-{k:03d}.npz", min(PART, first + args.games - begin)
            if not file.exists():
                network = NTupleNetwork.load(self.weights_file(number))
                Labels(*labelled_games(network, plan, args.seed, begin, count, self.threads)).write(file)
            parts.append(Labels.read(file))
        return Labels.joined(parts)


def finite(number: float) -> float | None:
    """A number for the card, or None for NaN, which JSON does not have. A stage without positions gives NaN."""
    return round(number, 4) if math.isfinite(number) else None


def told(error: StageError) -> str:
    """The error and the correlation as a text for the printed line."""
    return f"{error.error:.4f}, {error.correlation:.4f}"


def check_folder(folder: Path, recipe: dict[str, Any]) -> None:
    """Write the recipe into a new folder, or check that the folder holds a fit with this recipe."""
    path, header = folder / "recipe.json", {"format": "othello-env n-tuple fit 1", "recipe": recipe}
    if path.exists():
        if json.loads(path.read_text(encoding="utf-8")) != json.loads(json.dumps(header)):
            sys.exit(f"--folder {folder} holds another fit; give another folder, or the same settings")
    elif folder.exists() and any(folder.iterdir()):
        sys.exit(f"--folder {folder} has files, but no recipe.json; give a new folder")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(path, header)


def main(args: Args) -> None:
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        check_output(args.out)
        start = None if args.start is None else NTupleNetwork.load(args.start)
        recipe = args.recipe()
        made = NTupleNetwork.load(args.out).training.get("fit", {}) if args.out.exists() else recipe
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    if start is not None and start.size != args.size:
        sys.exit(f"--start {args.start} is for size {start.size}, not for --size {args.size}")
    if any(made.get(name) != value for name, value in json.loads(json.dumps(recipe)).items()):
        sys.exit(f"--out {args.out} exists and is not the result of this fit; give another name")
    check_folder(args.folder, recipe)
    network = Fit(args, recipe, start).run()
    network.training["command"] = " ".join(["python", *sys.argv])
    network.save(args.out, half=args.half)
    print(f"written to {args.out}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
