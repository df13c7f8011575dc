"""Train a policy and value network on recorded games (PyTorch: ``pip install 'othello-env[torch]'``).

    othello-env data make match engine:depth=4,epsilon=0.05 --games 4000 --out strong
    python scripts/train_imitation.py --games-from strong --out runs/imitation.safetensors --seconds 300
    python scripts/train_ppo.py --init runs/imitation.safetensors --out runs/tuned.safetensors --seconds 600

The network learns which move was played, and how the game ended. In positions with few empty squares, the network
learns perfect play instead: every best move counts as right, and the value is the result of perfect play. In each
minibatch, all boards are turned or mirrored in the same way, by one of the eight symmetries. Every tenth game is held
out: the network does not learn from it. In the held-out games, the script measures how often the network's likeliest
move is right.

The games are a dataset, or a file of any format that `othello_env.data` reads, such as WTHOR. All positions are kept in
memory, with about 270 bytes for each position. In a command, the path of the written file names the agent:
``othello-env play --white runs/imitation.safetensors``. The learning curve (.json, .png) and the state for ``--resume``
are written beside the file. Ctrl-C ends a run after the current iteration.
"""

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

try:
    import torch
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from _arguments import one_of, real, text, whole
from _checkpoint import learner_tensors, network_of, read_run, restore_learner
from _networks import network_option, new_network
from _recipe import LADDER, SIZES, check_sound, play_ladder
from _run import PRECISIONS, autocast, run

from othello_agents.network.base import TorchNetwork, to_device
from othello_agents.network.neural import NeuralAgent, write_tensors
from othello_env.arena.match import MatchResult
from othello_env.data import Dataset, Games, exact_labels, examples, read_games
from othello_env.games.othello.symmetries import COUNT, transform_observation, transform_policy

FORMAT = "othello-env imitation 1"
HELD_OUT = 10
"""Every tenth game is held out: the network does not learn from the positions of this game, but is tested on them."""


@dataclass(frozen=True)
class Settings:
    """The arguments on which a run's results depend. A resumed run must have the same settings."""

    games_from: str = text("", "the games: a dataset, or a file of WTHOR, GGF, transcripts and so on")
    size: int = one_of(8, "size of the board: 4, 6 or 8", SIZES)
    seed: int = whole(1, "the seed of everything random", least=0, most=2**63 - 1)
    channels: int = whole(32, "channels of the residual network's convolutions", most=512)
    blocks: int = whole(2, "blocks of the residual network", least=0, most=64)
    network: str = network_option()
    empties: int = whole(10, "learn perfect play with at most this number of empty squares", least=0, most=24)
    minibatches: int = whole(100, "changes of the weights in an iteration")
    minibatch: int = whole(512, "positions in one change of the weights")
    rate: float = real(2e-3, "the optimiser's learning rate", least=1e-9)
    value: float = real(0.5, "the weight of the value's squared error", least=0)
    gradient: float = real(1.0, "the largest norm of a gradient", least=1e-9)
    average: float = real(20.0, "iterations after which old weights count half in the agent's mean weights", least=1e-9)
    precision: str = one_of(
        "float32", "precision of gradients: float32, or bfloat16, which is faster on some processors", PRECISIONS
    )

    def check(self) -> None:
        """Check that the dataset or file of the games exists, and that a network can be made from the settings."""
        new_network(self)
        if not self.games_from or not Path(self.games_from).exists():
            raise ValueError(f"--games-from: expected a dataset or a file of games, got {self.games_from!r}")


def parts(settings: Settings) -> Iterator[Games]:
    """Yield the games of ``--games-from`` in parts.

    Raises:
        ValueError: the games are on another board, or the file is damaged.
    """
    rules = "othello" if settings.size == 8 else f"othello:size={settings.size}"
    source = Path(settings.games_from)
    for games in Dataset(source) if source.is_dir() else [read_games(source, rules=rules)]:
        if str(games.rules) != rules:
            raise ValueError(f"expected games of {rules}, got games of {games.rules} in {str(source)!r}")
        yield games


def positions(settings: Settings) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the positions to learn from, and the held-out positions. Forced passes are left out.

    Returns:
        Two dicts of arrays: ``observations`` (M, 2, S, S), ``masks`` (M, A), ``right`` (M, A), and ``results`` (M,). In
        ``right``, each action that counts as right has a 1. ``results`` has the results for the player to move. M is
        the number of positions, S the size of the board, A the number of actions.
    """
    found: list[dict[str, Any]] = []
    before = 0
    for games in parts(settings):
        finished = games[games.ends.over]
        if not len(finished):
            continue
        labels = exact_labels(finished, settings.empties)
        (whole,) = examples(finished, int(finished.lengths.sum()))
        right = np.zeros_like(whole.action_mask)
        right[np.arange(len(whole)), whole.action] = 1
        results = whole.returns.copy()
        places = np.cumsum(finished.lengths)[labels.game] - finished.lengths[labels.game] + labels.ply
        best = np.nanmax(labels.values, axis=1) if len(labels) else np.zeros(0)
        right[places] = labels.values == best[:, np.newaxis]
        results[places] = np.sign(best)
        chosen = whole.action < settings.size**2
        each = {"observations": whole.observation, "masks": whole.action_mask, "right": right, "results": results}
        held = (before + whole.game) % HELD_OUT == 0
        found.append({name: array[chosen] for name, array in (each | {"held": held}).items()})
        before += len(finished)
    if not found:
        raise ValueError(f"there is no finished game in {settings.games_from!r}")
    joined = {name: np.concatenate([part[name] for part in found]) for name in found[0]}
    held = joined.pop("held")
    learned, tested = ({name: array[where] for name, array in joined.items()} for where in (~held, held))
    if not len(learned["results"]):
        raise ValueError(f"expected at least two games in {settings.games_from!r}")
    return learned, tested


class Learner:
    """The network, the optimiser, the positions, and the progress of the run."""

    NAME: ClassVar[str] = "Imitation"
    UNIT: ClassVar[str] = "positions"
    score_title: ClassVar[str] = "score of the likeliest moves"

    def __init__(self, settings: Settings, device: str = "cpu") -> None:
        self.settings = s = settings
        self.device = device
        try:
            self.learned, self.held_out = positions(s)
        except (ImportError, OSError, ValueError) as error:
            sys.exit(f"--games-from: {error}")
        self.network = new_network(s).to(device)
        self.average = self.network.copy()
        self.iteration = 0
        self.positions = 0
        self.parameters = [*self.network.trained_weights().values()]
        self.optimizer = torch.optim.Adam(self.parameters, lr=s.rate, eps=1e-5)

    def iterate(self) -> dict[str, float]:
        """Learn from some minibatches. Return the mean losses, and the share of right moves in held-out games."""
        s = self.settings
        rng = np.random.default_rng([s.seed, self.iteration])
        sums = {"policy": 0.0, "value": 0.0}
        for _ in range(s.minibatches):
            for name, loss in self.learn(rng).items():
                sums[name] += loss
        losses = {name: total / s.minibatches for name, total in sums.items()}
        check_sound(np.isfinite([*losses.values(), *(weight.sum().item() for weight in self.parameters)]))
        share = max(1 - 0.5 ** (1 / s.average), 9 / (9 + self.iteration))  # at first, the newest weights count most
        self.average.approach(self.network, share)
        self.iteration += 1
        self.positions += s.minibatches * s.minibatch
        return losses | {"held-out": self.agreement()}

    def learn(self, rng: np.random.Generator) -> dict[str, float]:
        """Change the weights once, and return the losses."""
        s = self.settings
        chosen = rng.integers(len(self.learned["results"]), size=s.minibatch)
        symmetry = int(rng.integers(COUNT))
        part = {name: array[chosen] for name, array in self.learned.items()}
        part["observations"] = transform_observation(part["observations"], symmetry)
        for name in ("masks", "right"):
            part[name] = transform_policy(part[name], symmetry)
        tensors = {name: to_device(array, self.device) for name, array in part.items()}
        with autocast(s, self.device):
            logits, values = self.network.forward(tensors["observations"], tensors["masks"])
        policy = torch.log_softmax(logits.float(), dim=1)
        losses = {
            "policy": -policy.masked_fill(tensors["right"] == 0, -torch.inf).logsumexp(dim=1).mean(),
            "value": (values.float() - tensors["results"]).square().mean(),
        }
        self.optimizer.zero_grad()
        (losses["policy"] + s.value * losses["value"]).backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, s.gradient)
        self.optimizer.step()
        return {name: loss.item() for name, loss in losses.items()}

    def agreement(self, most: int = 4096) -> float:
        """The share of the first `most` held-out positions in which the agent's likeliest action is right."""
        held = {name: array[:most] for name, array in self.held_out.items()}
        likeliest = self.average.policy(held["observations"], held["masks"]).argmax(axis=1)
        return float(held["right"][np.arange(len(likeliest)), likeliest].mean()) if len(likeliest) else float("nan")

    @property
    def trained(self) -> TorchNetwork:
        """The network whose weights are the running means of the learner's weights."""
        return self.average

    @property
    def agent(self) -> NeuralAgent:
        """The agent that plays the likeliest actions."""
        return NeuralAgent(self.average)

    def matches(self, games: int) -> dict[str, dict[str, MatchResult]]:
        """Play the matches for a point of the learning curve."""
        return {"scores": play_ladder(self.agent, self.settings.size, games)}

    def save(self, path: Path, progress: dict[str, Any]) -> None:
        """Write everything that a resumed run needs."""
        tensors = learner_tensors(self.network, self.optimizer)
        tensors |= {f"average.{name}": weight for name, weight in self.average.weights.items()}
        card = {"format": FORMAT, "settings": asdict(self.settings), "iteration": self.iteration}
        write_tensors(path, tensors, card | {"positions": self.positions, "progress": progress})

    @classmethod
    def load(cls, path: Path, settings: Settings, device: str = "cpu") -> tuple["Learner", dict[str, Any]]:
        """Read the learner and the progress that `save` wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file does not hold a run of this script, or the settings differ.
        """
        tensors, card = read_run(
            path, FORMAT, asdict(settings), counts=("positions",), over="positions", opponents=LADDER
        )
        learner = cls(settings, device)
        learner.iteration, learner.positions = card["iteration"], card["positions"]
        restore_learner(tensors, learner.network, learner.optimizer)
        learner.average.assign(network_of(tensors, "average", learner.network))
        return learner, card["progress"]


def main(arguments: list[str] | None = None) -> Learner:
    return run(Learner, Settings, __doc__, arguments)


if __name__ == "__main__":
    main()
