r"""Train a policy and value network by self-play with tree search (PyTorch: ``pip install 'othello-env[torch]'``).

    python scripts/train_alphazero.py --size 6 --out runs/az.safetensors --seconds 3600
    python scripts/train_alphazero.py --size 6 --out runs/az.safetensors --seconds 3600 --resume
    python scripts/train_alphazero.py --out runs/az8.safetensors --device cuda --games 1024 --channels 64 --blocks 5 \
        --simulations 32 --window 1000000 --seconds 36000
    python scripts/train_alphazero.py --size 6 --out runs/az6.safetensors --games 2048 --shares 16 --ray

The third command has settings for a GPU, and has never been run. The last command plays the games on a Ray cluster
(``pip install 'othello-env[ray,torch]'``; `_actors` explains what a share is).

The method is AlphaZero (Silver et al., 2018) with the search of Gumbel AlphaZero (Danihelka et al., 2022), which learns
from few simulations. An iteration plays many whole games at once, from random openings. In each position the search
chooses the move. The network's policy learns the improved policy that the search returns. The network's value learns
the result of the game for the player to move. The network learns from the positions of the last iterations, turned and
mirrored at random.

In a command, the path of the file ``--out`` names the agent. Such a name is called a spec. The spec
``runs/az.safetensors:simulations=64`` lets the agent look ahead by a search. The learning curve (.json, .png) and the
state for ``--resume`` (.state.safetensors) are written beside the file. An iteration depends only on the settings, the
weights, the optimiser, the kept positions and the iteration's number. So a resumed run gives the same result as an
uninterrupted run. On a CPU, the results are equal bit for bit. Ctrl-C ends a run after the current iteration.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

try:
    import torch
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

import _actors
from _actors import Actors, check_shares, share_of
from _arguments import one_of, real, whole
from _checkpoint import learner_tensors, read_run, restore_learner
from _networks import RESIDUAL, network_option, new_network
from _recipe import LADDER, SIZES, check_sound, play_ladder
from _run import PRECISIONS, autocast, mean_losses, run

from othello_agents.mcts.gumbel import search
from othello_agents.network.base import TorchNetwork, to_device
from othello_agents.network.neural import NeuralAgent, write_tensors
from othello_env import Othello
from othello_env.arena.match import MatchResult
from othello_env.games.openings import Openings
from othello_env.games.othello.bitboard import ACTION_BITS, BOARDS, advance_batch
from othello_env.games.othello.positions import OthelloPositions
from othello_env.games.othello.symmetries import COUNT, transform_observation, transform_policy

YARDSTICK = "alphabeta:depth=2,eval=weighted"
FORMAT = "othello-env alphazero 2"


@dataclass(frozen=True)
class Options(_actors.Options):
    """The options of every run, and ``--ray``. ``--every`` has a smaller default than in the other training scripts."""

    every: int = whole(10, "iterations between points of the curve")


@dataclass(frozen=True)
class Settings:
    """The arguments on which a run's results depend. A resumed run must have the same settings."""

    size: int = one_of(8, "size of the board: 4, 6 or 8", SIZES)
    seed: int = whole(1, "the seed of everything random", least=0, most=2**63 - 1)
    channels: int = whole(32, "channels of the residual network's convolutions", most=512)
    blocks: int = whole(2, "blocks of the residual network", least=0, most=64)
    network: str = network_option(RESIDUAL)
    games: int = whole(128, "games of an iteration; all games of a share are played at once")
    shares: int = whole(1, "parts into which the games of an iteration are divided; with --ray, each is for a core")
    simulations: int = whole(16, "simulations of the search for each move", most=100_000)
    considered: int = whole(8, "the most moves that a search compares")
    random_plies: int = whole(
        20, "the most random plies at a game's start on 8x8; in proportion fewer on smaller boards", least=0, most=48
    )
    window: int = whole(100_000, "number of newest positions that are kept to learn from")
    reuse: float = real(4.0, "how many times the network learns from a position, on average", least=1e-9)
    minibatch: int = whole(256, "positions in one change of the weights")
    rate: float = real(1e-3, "the optimiser's learning rate", least=1e-9)
    decay: float = real(1e-4, "the weight decay of the optimiser", least=0)
    precision: str = one_of(
        "float32", "precision of gradients: float32, or bfloat16, which is faster on some processors", PRECISIONS
    )

    def check(self) -> None:
        """Check the network and the number of shares. Check that an iteration's positions fit into the window."""
        new_network(self)
        check_shares(self)
        positions = self.games * (self.size**2 - 4)
        if self.window < positions:
            raise ValueError(
                f"--window must be at least {positions}, the positions of {self.games} games, but it is {self.window}"
            )


class Replay:
    """The newest positions of self-play, each with the policy and the value that the network should learn."""

    def __init__(self, window: int, actions: int) -> None:
        self.arrays = {
            "own": np.zeros(window, np.uint64),
            "opponent": np.zeros(window, np.uint64),
            "policy": np.zeros((window, actions), np.float32),
            "value": np.zeros(window, np.float32),
        }
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, len(self.arrays["value"]))

    def add(self, positions: dict[str, Any]) -> None:
        """Replace the oldest positions by new positions. There must not be more new positions than the window holds."""
        places = (self.added + np.arange(len(positions["value"]))) % len(self.arrays["value"])
        for name, array in self.arrays.items():
            array[places] = positions[name]
        self.added += len(places)

    def restore(self, tensors: dict[str, Any], added: int) -> None:
        """Read the positions from the tensors of a run's file.

        Raises:
            ValueError: a tensor is missing or has a wrong shape or type, a number is not finite, or a square has two
                discs.
        """
        self.added = added
        for name, array in self.arrays.items():
            kept, place = tensors.get(f"replay.{name}"), array[: len(self)]
            dtype = torch.int64 if array.dtype == np.uint64 else torch.float32
            if kept is None or kept.shape != place.shape or kept.dtype != dtype:
                raise ValueError(f"the card says that there are {len(self)} positions, but {name} does not hold them")
            place[:] = kept.numpy().view(array.dtype)
            if not np.isfinite(place).all():
                raise ValueError(f"the run's positions are not all finite ({name})")
        if (self.arrays["own"] & self.arrays["opponent"]).any():
            raise ValueError("the run's positions have squares with two discs")


class Learner:
    """The network, the optimiser, the kept positions, and the progress of the run."""

    NAME: ClassVar[str] = "AlphaZero"
    UNIT: ClassVar[str] = "games"

    def __init__(self, settings: Settings, device: str = "cpu") -> None:
        self.settings = s = settings
        self.device = device
        self.network = new_network(s).to(device)
        self.actors = Actors(play, s)
        self.replay = Replay(s.window, s.size**2 + 1)
        self.iteration = 0
        self.parameters = [*self.network.trained_weights().values()]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=s.rate, weight_decay=s.decay)

    @property
    def games(self) -> int:
        """The number of games played so far."""
        return self.iteration * self.settings.games

    def iterate(self) -> dict[str, float]:
        """Play games, learn from them, and return the mean losses."""
        s = self.settings
        rng = np.random.default_rng([s.seed, self.iteration])
        shares = self.actors.play(self.iteration, rng, {"newest": self.network})
        positions = {name: np.concatenate([share[name] for share in shares]) for name in shares[0]}
        before = self.replay.added
        self.replay.add(positions)
        changes = int(self.replay.added * s.reuse / s.minibatch) - int(before * s.reuse / s.minibatch)
        losses = self.learn(changes, rng)
        check_sound(np.isfinite([*losses.values(), *(weight.sum().item() for weight in self.parameters)]))
        self.iteration += 1
        return losses

    def learn(self, changes: int, rng: np.random.Generator) -> dict[str, float]:
        """Change the weights `changes` times; return the mean losses."""
        s, kept = self.settings, self.replay.arrays
        found = []
        for _ in range(changes):
            chosen = rng.integers(len(self.replay), size=s.minibatch)
            symmetry = int(rng.integers(COUNT))
            own, opponent = kept["own"][chosen], kept["opponent"][chosen]
            boards = OthelloPositions(own, opponent, np.zeros(len(own), np.int8), own, s.size)
            inputs = transform_observation(boards.observations(), symmetry), transform_policy(boards.masks(), symmetry)
            targets = transform_policy(kept["policy"][chosen], symmetry), kept["value"][chosen]
            observations, masks, policies, values = (to_device(array, self.device) for array in (*inputs, *targets))
            with autocast(s, self.device):
                logits, expected = self.network.forward(observations, masks)
            losses = {
                "policy": -(policies * torch.log_softmax(logits.float(), dim=1)).sum(dim=1).mean(),
                "value": (expected.float() - values).square().mean(),
            }
            self.optimizer.zero_grad()
            (losses["policy"] + losses["value"]).backward()
            self.optimizer.step()
            found.append({name: loss.detach() for name, loss in losses.items()})
        return mean_losses(found)

    @property
    def trained(self) -> TorchNetwork:
        """The network that the run writes to its file."""
        return self.network

    @property
    def agent(self) -> NeuralAgent:
        """The agent that is rated. For each move, it makes as many simulations as in training."""
        return NeuralAgent(self.network, simulations=self.settings.simulations)

    @property
    def score_title(self) -> str:
        """The meaning of the scores, for the picture's subtitle."""
        return f"score with {self.settings.simulations} simulations a move"

    def measure(self, games: int, simulations: int, opponents: tuple[str, ...] = LADDER) -> dict[str, MatchResult]:
        """Play matches of the network. Each move is searched with `simulations` simulations; 0 means no search."""
        agent = NeuralAgent(self.network, simulations=simulations)
        return play_ladder(agent, self.settings.size, games, opponents)

    def matches(self, games: int) -> dict[str, dict[str, MatchResult]]:
        """Play the matches for a point of the curve."""
        searched = self.measure(games, self.settings.simulations)
        return {"scores": searched, "without search": self.measure(games, 0, (YARDSTICK,))}

    def save(self, path: Path, progress: dict[str, Any]) -> None:
        """Write everything that a resumed run needs."""
        tensors = learner_tensors(self.network, self.optimizer)
        for name, array in self.replay.arrays.items():
            signed = array.view(np.int64) if array.dtype == np.uint64 else array
            tensors[f"replay.{name}"] = torch.from_numpy(signed[: len(self.replay)])
        card = {"format": FORMAT, "settings": asdict(self.settings), "iteration": self.iteration}
        write_tensors(path, tensors, card | {"added": self.replay.added, "progress": progress})

    @classmethod
    def load(cls, path: Path, settings: Settings, device: str = "cpu") -> tuple[Learner, dict[str, Any]]:
        """Read the learner and the progress that `save` wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file does not hold a run of this script, or the settings differ.
        """
        tensors, card = read_run(path, FORMAT, asdict(settings), counts=("added",), over="games", opponents=LADDER)
        learner = cls(settings, device)
        learner.iteration = card["iteration"]
        restore_learner(tensors, learner.network, learner.optimizer)
        learner.replay.restore(tensors, card["added"])
        return learner, card["progress"]


def play(s: Settings, networks: Mapping[str, TorchNetwork], share: int, rng: np.random.Generator) -> dict[str, Any]:
    """Play the games of a share from their openings to their ends, all at the same time.

    Returns:
        A dict of arrays for the P positions of these games. The arrays ``own`` and ``opponent``, (P,), have the discs
        of the player to move and of the opponent. The array ``policy``, (P, A), has the policies that the search
        returned. The array ``value``, (P,), has the results for the player to move.
    """
    network, games = networks["newest"], len(share_of(s, share))
    plies = rng.integers(s.random_plies * s.size**2 // 64 + 1, size=games)
    keys = rng.integers(2**63, size=games)
    starts = [Openings.random(Othello(s.size), int(n), int(key)) for n, key in zip(plies, keys, strict=True)]
    boards = after_passes(OthelloPositions.from_states(starts, range(games)))
    discs, board = np.array(ACTION_BITS[s.size], np.uint64), BOARDS[s.size]
    seen: list[OthelloPositions] = []
    policies: list[Any] = []
    black = np.zeros(games, np.float32)  # the results for Black
    while len(boards):
        gumbel = rng.gumbel(size=(len(boards), s.size**2 + 1))
        with autocast(s, network.device, play=True):
            found = search(network.answers, boards, s.simulations, considered=s.considered, gumbel=gumbel)
        check_sound(np.isfinite(found.policy))
        seen.append(boards)
        policies.append(found.policy)
        own, opponent = boards.own.copy(), boards.opponent.copy()
        legal, reply = advance_batch(own, opponent, discs[found.actions], board)
        after = OthelloPositions(own, opponent, 1 - boards.to_move, boards.key, s.size)
        over = legal | reply == 0
        ended = after.part(over)
        black[ended.key.astype(int)] = results(ended) * (1 - 2 * ended.to_move)
        boards = after_passes(after.part(~over))
    return {
        "own": np.concatenate([each.own for each in seen]),
        "opponent": np.concatenate([each.opponent for each in seen]),
        "policy": np.concatenate(policies),
        "value": np.concatenate([black[each.key.astype(int)] * (1 - 2 * each.to_move) for each in seen]),
    }


def after_passes(boards: OthelloPositions) -> OthelloPositions:
    """The positions after all forced passes. The games must be unfinished."""
    must = boards.masks()[:, -1] != 0
    own, opponent = np.where(must, boards.opponent, boards.own), np.where(must, boards.own, boards.opponent)
    return OthelloPositions(own, opponent, boards.to_move ^ must, boards.key, boards.size)


def results(boards: OthelloPositions) -> Any:
    """The results of finished games for the players to move, (N,): +1, 0 or -1."""
    own, opponent = boards.observations().sum(axis=(2, 3), dtype=int).T
    return np.sign(own - opponent)


def main(arguments: list[str] | None = None) -> Learner:
    return run(Learner, Settings, __doc__, arguments, Options)


if __name__ == "__main__":
    main()
