r"""Fit the n-tuple network to positions that are labelled by searches with the network and by exact endgame scores.

    python scripts/fit_ntuple.py --out runs/fitted.npz --folder runs/fit
    python scripts/fit_ntuple.py --out runs/fitted.npz --folder runs/fit --rounds 60 --threads 2
    python scripts/fit_ntuple.py --out runs/fitted.npz --folder runs/fit --start runs/ntuple.npz

The fit begins with the weights of ``--start``. Without ``--start``, it begins with new weights, which first learn from
self-play (``--self-play`` games). In this self-play, the lambda of TD(lambda) is 0.9. In ``train_ntuple.py``, some
players grab discs: they prefer the move that turns the most discs. Here, no player grabs discs.

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

All intermediate files are in ``--folder``. If the script is stopped, the same command continues. Only the step that was
stopped begins again. This step is the self-play, the labelling of up to 1000 games, or one fit. The result is the same
as without the interruption. To continue a finished fit, give a higher ``--rounds``. The same seed gives the same
weights with any number of threads. The file of the weights has a card, a JSON text that says how the weights were made.
"""

import json
import math
import sys
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from _arguments import flag, one_of, parse, path, real, whole
from _labels import FitFolder, Labels
from _recipe import SIZES, command_line, locked, mistakes, show

from othello_agents.engine.labelling import Plan, labelled_games, share
from othello_agents.ntuple import NTupleNetwork, Trainer
from othello_agents.ntuple.fitting import StageError, fit, stage_errors
from othello_env.games.hashing import mix_int
from othello_env.support.files import check_output
from othello_env.support.threads import Threads

MIXTURE = {"epsilon": 0.1, "random_games": 0.1, "singles": 0.1, "siblings": 0.035, "stray": 0.3}
"""The probabilities of what happens in a game and what is labelled (see `othello_agents.engine.labelling.Plan`)."""
PART = 1000
"""The number of games in a part of the labels. The threads share the games of each part."""


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    out: Path = path("the weights, a .npz file", suffix=".npz")
    folder: Path = path("a folder for the labels and the weights of each round")
    start: Path | None = path("the first weights, a .npz file", None, suffix=".npz")
    self_play: int = whole(800_000, "games of self-play for the first weights, if there is no --start")
    size: int = one_of(8, "size of the board: 4, 6 or 8", SIZES)
    rounds: int = whole(30, "number of rounds", most=999)
    games: int = whole(10_000, "games in each round", most=999_000)
    window: int = whole(3, "the rounds whose labels are fitted together")
    depth: int = whole(4, "plies of the searches", most=20)
    exact: int = whole(12, "positions with at most this number of empty squares get exact labels", least=0, most=20)
    passes: int = whole(1, "passes over the labels at the end of each round", most=1000)
    rate: float = real(0.0003, "the first rate of each fit, in units of a logit", least=0, most=10)
    seed: int = whole(1, "the seed of the games and of the orders of the positions", least=0, most=2**63)
    threads: int = whole(1, "threads that share the labels and the fit", most=256)
    half: bool = flag("write --out in half precision, for playing only")

    def check(self) -> None:
        """Check that ``--out`` does not overwrite the weights of ``--start``."""
        if self.start is not None and self.start.resolve() == self.out.resolve():
            raise ValueError(f"--out and --start are the same file, {self.out}")

    def recipe(self) -> dict[str, Any]:
        """The settings that determine the weights, except the number of rounds, which a later command may raise."""
        free = ("out", "folder", "threads", "half", "rounds")
        settings = {name: value for name, value in asdict(self).items() if name not in free}
        if self.start is not None:
            settings |= {"start": sha256(self.start.read_bytes()).hexdigest()[:16]}
            del settings["self_play"]
        return settings | MIXTURE


@dataclass
class Fit:
    """A fit, whose files are in one folder.

    Attributes:
        args: the command's arguments.
        recipe: the settings that determine the weights.
        start: the weights of ``--start``, or None.
        folder: the folder with the files of the fit.
        threads: the threads that label positions and fit weights.
    """

    args: Arguments
    recipe: dict[str, Any]
    start: NTupleNetwork | None
    folder: FitFolder
    threads: Threads

    def run(self) -> NTupleNetwork:
        """Do all rounds that are not done yet, and return the last weights."""
        network = self.folder.weights(0, self.first_weights)
        print(f"round  positions  {'before':>18}  {'after':>18}", flush=True)
        for number in range(self.args.rounds):
            network = self.folder.weights(number + 1, lambda before=network, number=number: self.round(number, before))
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
            show(f"self-play: {trainer.games:,} games")
            trainer.run(games=args.self_play - trainer.games, seconds=0.5)
        trained = trainer.network
        return NTupleNetwork(args.size, trained.stages, trained.weights, trained.training)

    def round(self, number: int, before: NTupleNetwork) -> NTupleNetwork:
        """Label the positions of a round with the network `before`, and return the network with fitted weights."""
        labels = [self.labels(k, before if k == number else None) for k in self.window(number)]
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
            progress=lambda done: show(f"round {number + 1}: pass {done} of {self.args.passes}"),
        )
        by_stage = stage_errors(network, held_out)
        earlier = training.get("fit", {}).get("positions", 0)
        network.training["fit"] = {
            **self.recipe,
            "rounds": number + 1,
            "positions": earlier + len(new.games),
            "error_before": finite(was.error),
            "error": [finite(stage.error) for stage in by_stage],
            "correlation": [finite(stage.correlation) for stage in by_stage],
        }
        show("")
        print(f"{number + 1:5}  {earlier + len(new.games):9,}  {told(was):>18}  {told(by_stage[-1]):>18}", flush=True)
        return network

    def window(self, number: int) -> range:
        """The numbers of the rounds whose labels are used for the fit at the end of round `number`."""
        return range(max(0, number + 1 - self.args.window), number + 1)

    def labels(self, number: int, network: NTupleNetwork | None) -> Labels:
        """The labels of a round, read from their files.

        If a file is missing or damaged, it is made again: its games are labelled with the weights from the beginning of
        the round.
        """
        args, first = self.args, number * self.args.games

        def make(games: range) -> Labels:
            show(f"round {number + 1}: game {games.start - first:,} of {args.games:,}")
            labelling = self.folder.earlier_weights(number) if network is None else network
            plan = Plan(
                args.depth,
                args.exact,
                2 * (args.size**2 - 4) // 5,
                *(share(MIXTURE[name]) for name in Plan._fields[3:]),
            )
            return Labels(*labelled_games(labelling, plan, args.seed, games.start, len(games), self.threads))

        parts = [range(k, min(k + PART, first + args.games)) for k in range(first, first + args.games, PART)]
        return Labels.joined([self.folder.labels(number, k, games, make) for k, games in enumerate(parts)])


def finite(number: float) -> float | None:
    """A number for the card, or None for NaN, which JSON does not have. A stage without positions gives NaN."""
    return round(number, 4) if math.isfinite(number) else None


def told(error: StageError) -> str:
    """The error and the correlation as a text for the printed line."""
    return f"{error.error:.4f}, {error.correlation:.4f}"


def check_not_other(out: Path, recipe: dict[str, Any]) -> None:
    """If a file exists, check that its weights were made by an earlier command with the same recipe.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not the result of such a command.
    """
    if not out.exists():
        return
    made = NTupleNetwork.load(out).training.get("fit", {})
    if any(made.get(name) != value for name, value in json.loads(json.dumps(recipe)).items()):
        raise ValueError(f"--out {out} exists and is not the result of this fit; give another name")


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    with mistakes():
        args.out.parent.mkdir(parents=True, exist_ok=True)
        check_output(args.out)
        start = None if args.start is None else NTupleNetwork.load(args.start)
        if start is not None and start.size != args.size:
            raise ValueError(f"--start {args.start} is for size {start.size}, not for --size {args.size}")
        recipe = args.recipe()
        check_not_other(args.out, recipe)
        folder = FitFolder(args.folder, recipe)
        threads = Threads(args.threads)
        try:
            with locked(args.folder):
                network = Fit(args, recipe, start, folder, threads).run()
            network.training["command"] = command_line()
            network.save(args.out, half=args.half)
        except KeyboardInterrupt:
            show("")
            sys.exit(130)


if __name__ == "__main__":
    main()
