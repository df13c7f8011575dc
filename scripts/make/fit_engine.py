r"""Learn the engine's n-tuple weights from games that the engine plays against itself.

    python scripts/make/fit_engine.py --out runs/engine.npz --folder runs/engine
    python scripts/make/fit_engine.py --out runs/engine.npz --folder runs/engine --rounds 9 --threads 2

The script works in rounds. In each round, the engine plays ``--games`` games against itself with the present weights.
A game begins with 8 to 24 random moves. Then both sides play the best move of a search of ``--depth`` plies, and now
and then a random move. From ``--exact`` empty squares on, the exact solver gives the outcome of perfect play. Each
position's label is the outcome of its game, or its own exact outcome near the end (see
`othello_agents.engine.labelling`). From the second round on, the value of the search in the position counts for a share
of ``--trust``. (In the first round it does not, because the first weights underestimate the winner.) At the end of the
round, the present weights are fitted to these labels in small steps, by logistic regression for each stage of the game
(see `othello_agents.ntuple.fitting`). The positions of every 20th game are held out: each stage stops as soon as a pass
does not lower the mean loss on its held-out positions.

The first round begins with the weights of ``--start``, by default the packaged weights of the agent ``ntuple``, which
learned from self-play at one ply (`scripts/train/ntuple.py`). The network becomes wide: it gets four more patterns at
each corner, whose weights begin at 0. A one-ply player must know what bad moves lead to, and a search need not. So the
fitted weights are stronger in a search, and weaker at one ply: the package has both.

All files are in ``--folder``: ``recipe.json`` with the settings, the labelled positions of each round in parts of 2500
games, and the weights after each round. Each file is written completely or not at all. If the script is stopped, the
same command continues, and the result is the same. To continue a finished fit, give a higher ``--rounds``. The same
settings give the same weights with any number of threads. The card of the weights says how they were made. Use a folder
for one process at a time.
"""

import io
import json
import sys
import time
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tyro

from othello_agents.engine.labelling import LabelledGames, Plan, labelled_games, share
from othello_agents.ntuple import NTupleNetwork, shipped_network
from othello_agents.ntuple.fitting import LabelledPositions, fit, stage_errors
from othello_env.support.arrays import DAMAGE
from othello_env.support.files import check_output, parse_json, read_file, write_file, write_json
from othello_env.support.numbers import check_real, check_whole
from othello_env.support.threads import Threads

PART = 2500
"""The number of games in a part. The threads share the games of each part."""
HELD_OUT = 20
"""The positions of every 20th game are held out."""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    out: Path  # the weights, a .npz file
    folder: Path  # a folder for the games and the weights of each round
    start: Path | None = None  # the first weights, a .npz file; by default those of the agent ntuple
    size: Literal[4, 6, 8] = 8  # size of the board
    rounds: int = 7  # number of rounds
    games: int = 80_000  # games in each round
    depth: int = 4  # plies of the searches that choose the moves
    exact: int = 12  # positions with at most this number of empty squares get exact labels
    least_plies: int = 8  # the smallest number of random moves at the beginning of a game
    most_plies: int = 24  # the largest number
    epsilon: float = 0.02  # the probability that a later move is random
    late_epsilon: float = 0.1  # the same from --exact empty squares on, where every label is exact
    trust: float = 0.5  # the share of the search's value in a label, from the second round on
    passes: int = 3  # the largest number of passes over the positions of a round
    rate: float = 0.004  # the rate of each fit's first pass, in units of a logit
    seed: int = 1  # the seed of the games and of the orders of the positions
    threads: int = 1  # threads that share the games and the fit

    def recipe(self) -> dict[str, Any]:
        """The settings that determine the weights, except the number of rounds, which a later command may raise."""
        settings = {name: value for name, value in asdict(self).items() if name not in ("out", "folder", "threads")}
        del settings["rounds"]
        return settings | {"start": sha256(self.first_weights().weights.tobytes()).hexdigest()[:16]}

    def check(self) -> None:
        """Check the settings.

        Raises:
            ValueError: a setting is out of range.
        """
        squares = self.size**2 - 4  # empty at the start
        for name, least, most in (
            ("rounds", 1, None),
            ("games", HELD_OUT, None),
            ("depth", 1, squares),
            ("exact", 0, squares),
            ("most_plies", 0, squares * 3 // 4),  # with more random moves, most games would be over
            ("least_plies", 0, self.most_plies),
            ("passes", 1, None),
            ("seed", 0, 2**64 - 1),
            ("threads", 1, 1024),
        ):
            check_whole(f"--{name.replace('_', '-')}", getattr(self, name), least, most)
        for name in ("epsilon", "late_epsilon", "trust"):
            check_real(f"--{name.replace('_', '-')}", getattr(self, name), 0, 1)
        if check_real("--rate", self.rate) <= 0:
            raise ValueError(f"--rate must be greater than 0, not {self.rate}")

    def plan(self) -> Plan:
        """How the games are played."""
        return Plan(
            self.depth, self.exact, self.least_plies, self.most_plies, share(self.epsilon), share(self.late_epsilon)
        )

    def first_weights(self) -> NTupleNetwork:
        """The weights with which the first round begins."""
        found = shipped_network(self.size) if self.start is None else NTupleNetwork.load(self.start)
        if found.size != self.size:
            sys.exit(f"--start {self.start} is for size {found.size}, not for --size {self.size}")
        return found.widened()


def part(
    args: Args, network: NTupleNetwork, number: int, begin: int, threads: Threads
) -> tuple[LabelledPositions, LabelledPositions]:
    """The positions to fit and the held-out positions of one part of a round, played now or read from their file.

    The labels of the held-out positions are outcomes only.
    """
    file = args.folder / f"games-{number}-{begin:08d}.npz"
    if not file.exists():
        count = min(PART, args.games - begin)
        began = time.monotonic()
        played = labelled_games(network, args.plan(), args.seed, number * args.games + begin, count, threads)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **played._asdict())
        write_file(file, buffer.getvalue())
        print(f"{begin + count} games, {count / (time.monotonic() - began):.0f} a second", file=sys.stderr, flush=True)
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
            games = LabelledGames(*(arrays[name] for name in LabelledGames._fields))
    except (KeyError, *DAMAGE) as error:
        sys.exit(f"{file} is damaged ({error}); delete it, and the same command makes it again")
    held_out = games.episodes % HELD_OUT == 0
    rows = LabelledPositions(games.own, games.opponent, games.values)
    trust = np.float32(args.trust if number else 0)
    labels = (1 - trust) * games.values + trust * games.searched
    return rows._replace(values=labels).part(~held_out), rows.part(held_out)


def fitted(args: Args, before: NTupleNetwork, number: int, threads: Threads) -> NTupleNetwork:
    """Play the games of one round with the weights `before`, and return weights that are fitted to them."""
    parts = [part(args, before, number, begin, threads) for begin in range(0, args.games, PART)]
    seen, unseen = (LabelledPositions.joined(rows) for rows in zip(*parts, strict=True))
    network = before.widened()  # a copy
    fit(
        network,
        seen,
        held_out=unseen,
        passes=args.passes,
        rate=args.rate,
        seed=args.seed,
        num_threads=args.threads,
    )
    losses = [[finite(stage.loss) for stage in stage_errors(each, unseen)] for each in (before, network)]
    print(f"round {number}: {len(seen.own):,} positions, held-out loss {losses[0][-1]} before, {losses[1][-1]} after")
    made = args.recipe() | {"rounds": number + 1, "games": (number + 1) * args.games, "positions": len(seen.own)}
    made |= {"loss_before": losses[0], "loss": losses[1]}
    start = {name: value for name, value in before.training.items() if name != "fit"}
    network.training = start | {"fit": made}
    return network


def finite(number: float) -> float | None:
    """A number for the card, or None for NaN, which JSON does not have. A stage without positions gives NaN."""
    return None if np.isnan(number) else round(number, 5)


def check_folder(folder: Path, recipe: dict[str, Any]) -> None:
    """Write the recipe into a new folder, or check that the folder holds a fit with this recipe."""
    path, header = folder / "recipe.json", {"format": "othello-env engine fit 1", "recipe": recipe}
    if path.exists():
        try:
            found = parse_json(read_file(path, 1 << 20))
        except ValueError as error:
            sys.exit(f"{path} is damaged: {error}")
        if found != parse_json(json.dumps(header)):
            sys.exit(f"--folder {folder} holds another fit; give another folder, or the same settings")
    elif folder.exists() and any(folder.iterdir()):
        sys.exit(f"--folder {folder} has files, but no recipe.json; give a new folder")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(path, header)


def main(args: Args) -> None:
    try:
        args.check()
        args.out.parent.mkdir(parents=True, exist_ok=True)
        check_output(args.out)
        network = args.first_weights()
        check_folder(args.folder, args.recipe())
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    threads = Threads(args.threads)
    for number in range(args.rounds):
        file = args.folder / f"weights-{number}.npz"
        if not file.exists():
            fitted(args, network, number, threads).save(file)
        network = NTupleNetwork.load(file)
    network.save(args.out, int8=True)
    print(f"written to {args.out}")


if __name__ == "__main__":
    try:
        main(tyro.cli(Args, description=__doc__))
    except KeyboardInterrupt:
        sys.exit("interrupted; the same command continues")
