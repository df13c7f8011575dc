"""Train a policy by self-play with PPO on the vector environment (PyTorch: ``pip install 'othello-env[torch]'``).

    python scripts/train_ppo.py --out runs/ppo.safetensors --seconds 1800
    python scripts/train_ppo.py --out runs/ppo.safetensors --seconds 3600 --resume
    python scripts/train_ppo.py --out runs/small.safetensors --size 6 --iterations 100 --seed 2
    python scripts/train_ppo.py --out runs/tuned.safetensors --init runs/imitation.safetensors --rate 5e-4
    python scripts/train_ppo.py --out runs/many.safetensors --games 2048 --shares 16 --ray

The last command plays the games on a Ray cluster (``pip install 'othello-env[ray,torch]'``; `_actors` explains what a
share is).

The method is proximal policy optimisation (Schulman et al., 2017). In most games the policy plays both sides, and each
side learns from its own result. In the other games the policy plays against a league of packaged agents and its own
past selves (`othello_env.league`). Games begin after a random number of random plies. At each step, all boards are
turned or mirrored in the same way, by one of the eight symmetries. The agent uses the mean of the weights of the last
iterations. With this mean, the agent plays better than with the weights of a single iteration.

By default, the network evaluates the board after each legal move (`othello_agents.network.afterstates`), and the
defaults of the other options suit this network. With ``--network residual`` the network is convolutional. It learns
better with ``--games 128 --rate 2.5e-3 --entropy 0.02 --gae-lambda 0.95``.

In a command, the path of the file ``--out`` names the agent:
``othello-env play --white runs/ppo.safetensors``. These files are written beside the file ``--out``: the learning curve
(.json, .png), the state for ``--resume`` (.state.safetensors), and the league (the folder .league, for
``othello-env league``). With the default network on 8x8, the state and the league grow to about 300 MB each; fewer past
selves (``--past``) need less. An iteration depends only on the settings, the weights, the optimiser, the league and the
iteration's number. So a resumed run gives the same result as an uninterrupted run. On a CPU, the results are equal bit
for bit. Ctrl-C ends a run after the current iteration. PyTorch uses all cores. On a machine that also does other work,
``OMP_NUM_THREADS=1`` before the command is often much faster, because threads wait for each other.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np

try:
    import torch
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from _actors import Actors, Options, check_shares, share_of
from _arguments import one_of, real, text, whole
from _checkpoint import check_past, learner_tensors, network_of, read_run, restore_learner
from _networks import first_network, network_option, new_network
from _recipe import LADDER, SIZES, check_sound, play_ladder
from _run import PRECISIONS, autocast, mean_losses, run

from othello_agents.network.base import TorchNetwork, to_device
from othello_agents.network.neural import NeuralAgent, write_tensors
from othello_agents.network.policy import draw_actions
from othello_env import make_agent
from othello_env.arena.match import MatchResult
from othello_env.envs.returns import self_play_advantages
from othello_env.games.othello.symmetries import (
    COUNT,
    inverse,
    transform_actions,
    transform_observation,
    transform_policy,
)
from othello_env.league import League
from othello_env.league.matches import take_matches
from othello_env.league.matchmaking import MATCHMAKING
from othello_env.league.members import Player, step_results

FORMAT = "othello-env ppo 4"
PACKAGED = LADDER[1:]


@dataclass(frozen=True)
class Settings:
    """The arguments on which a run's results depend. A resumed run must have the same settings."""

    size: int = one_of(8, "size of the board: 4, 6 or 8", SIZES)
    seed: int = whole(1, "the seed of everything random", least=0, most=2**63 - 1)
    channels: int = whole(32, "channels of the residual network's convolutions", most=512)
    blocks: int = whole(2, "blocks of the residual network", least=0, most=64)
    network: str = network_option()
    games: int = whole(512, "games of an iteration; all games of a share are played at once")
    shares: int = whole(1, "parts into which the games of an iteration are divided; with --ray, each is for a core")
    steps: int = whole(
        64, "steps in each game of an iteration; an iteration begins new games, so give at least a game's length"
    )
    league: float = real(
        0.25, "the share of the games that are played against packaged agents and past selves", least=0, most=1
    )
    matchmaking: str = one_of("pfsp", "how past selves are chosen: pfsp, uniform or latest", MATCHMAKING)
    packaged: float = real(0.5, "the share of packaged agents in the games of the league", least=0, most=1)
    opponents: int = whole(8, "number of opponents drawn from the league for an iteration")
    snapshot: int = whole(10, "number of iterations between two past selves")
    past: int = whole(50, "the most past selves in the league; the oldest are removed")
    random_plies: int = whole(
        20, "the most random plies at a game's start on 8x8; in proportion fewer on smaller boards", least=0, most=48
    )
    epochs: int = whole(1, "how many times the network learns from each step")
    minibatch: int = whole(512, "steps in one change of the weights")
    rate: float = real(1e-3, "the optimiser's learning rate", least=1e-9)
    clip: float = real(0.2, "the largest relative change of an action's probability", least=1e-9)
    entropy: float = real(0.005, "the weight of the policy's entropy", least=0)
    value: float = real(0.5, "the weight of the value's squared error", least=0)
    gae_lambda: float = real(0.6, "0 trusts the network's values, 1 the results of the games", least=0, most=1)
    gradient: float = real(0.5, "the largest norm of a gradient", least=1e-9)
    average: float = real(20.0, "iterations after which old weights count half in the agent's mean weights", least=1e-9)
    precision: str = one_of(
        "float32", "precision of gradients: float32, or bfloat16, which is faster on some processors", PRECISIONS
    )
    init: str = text("", "a network to begin with, for example of train_imitation.py; the default is random weights")

    def check(self) -> None:
        """Check the number of shares and the network. Check that the run's file can hold all past selves."""
        check_shares(self)
        check_past(self.past, new_network(self))


Rollout = dict[str, Any]
"""T steps in N games, as a dictionary of arrays. Arrays of the shape (T, N, ...): observations, masks, actions,
log_probabilities, values, rewards, players, terminated. Arrays of the shape (N,): last_values, last_players."""

Results = list[tuple[str, list[int]]]
"""The results of games against the league, in the order in which the games ended. Each entry has the opponent's name,
and the numbers of games that the learner lost, drew and won."""


class Learner:
    """The network, the optimiser, the league, and the progress of the run."""

    NAME: ClassVar[str] = "PPO"
    UNIT: ClassVar[str] = "plies"
    score_title: ClassVar[str] = "score of the likeliest moves"

    def __init__(self, settings: Settings, device: str = "cpu", network: TorchNetwork | None = None) -> None:
        self.settings = s = settings
        self.device = device
        self.network = (network or first_network(s)).to(device)
        self.average = self.network.copy()
        self.iteration = 0
        self.plies = 0
        self.past: dict[str, TorchNetwork] = {}
        self.league = League(
            PACKAGED, matchmaking=s.matchmaking, fixed_share=s.packaged, keep=s.past, seed=s.seed, half_life=100
        )
        self.actors = Actors(play, s)
        self.parameters = [*self.network.trained_weights().values()]
        fused = torch.device(device).type == "cpu"  # the fused Adam is much faster for large tables
        self.optimizer = torch.optim.Adam(self.parameters, lr=s.rate, eps=1e-5, fused=fused)

    def iterate(self) -> dict[str, float]:
        """Play some steps of many games, learn from them, and return the mean losses."""
        s = self.settings
        rng = np.random.default_rng([s.seed, self.iteration])
        if self.iteration % s.snapshot == 0:
            self._add_snapshot()
        parts = self._play(rng)
        rollout = {
            name: np.concatenate([part[name] for part in parts], axis=-1 if name.startswith("last") else 1)
            for name in parts[0]
        }
        advantages, returns = self_play_advantages(
            rollout["rewards"],
            rollout["values"],
            rollout["players"],
            rollout["terminated"],
            rollout["last_values"],
            rollout["last_players"],
            gae_lambda=s.gae_lambda,
        )
        losses = self.learn(rollout, advantages, returns, rng)
        check_sound(np.isfinite([*losses.values(), *(weight.sum().item() for weight in self.parameters)]))
        share = max(1 - 0.5 ** (1 / s.average), 9 / (9 + self.iteration))  # large at first, then constant
        self.average.approach(self.network, share)
        self.iteration += 1
        self.plies += advantages.size
        return losses

    def _add_snapshot(self) -> None:
        """Add the current network to the league as an agent that samples its moves."""
        network = self.network.copy()
        member = self.league.add(NeuralAgent(network, 1.0), f"iteration {self.iteration}", played=self.plies)
        known = {**self.past, member.name: network}
        self.past = {each.name: known[each.name] for each in self.league.snapshots}

    def _play(self, rng: np.random.Generator) -> list[Rollout]:
        """Draw opponents from the league, play, and record the results. Return the rollouts of all shares."""
        drawn: dict[str, float] = {}
        if games_against_league(self.settings):
            drawn = {str(player): weight for player, weight in self.league.opponents(self.settings.opponents).items()}
        past = {name: network for name, network in self.past.items() if name in drawn}
        shares = self.actors.play(self.iteration, rng, {"newest": self.network, **past}, drawn)
        for _, results in shares:
            for name, counts in results:
                self.league.record_results(name, counts)
        return [rollout for rollouts, _ in shares for rollout in rollouts]

    def learn(self, rollout: Rollout, advantages: Any, returns: Any, rng: np.random.Generator) -> dict[str, float]:
        """Learn from a rollout; return the mean losses."""
        s = self.settings
        count = advantages.size

        def flat(array: Any, dtype: Any = None) -> torch.Tensor:
            return to_device(
                array.reshape(count, *array.shape[2:]).astype(dtype or array.dtype, copy=False), self.device
            )

        observations, masks, actions = (flat(rollout[name]) for name in ("observations", "masks", "actions"))
        before = flat(rollout["log_probabilities"], np.float32)
        gains, targets = flat(advantages, np.float32), flat(returns, np.float32)
        found = []
        for _ in range(s.epochs):
            order = to_device(rng.permutation(count), self.device)
            for chosen in order.split(s.minibatch):
                with autocast(s, self.device):
                    logits, values = self.network.forward(observations[chosen], masks[chosen])
                policy = torch.log_softmax(logits.float(), dim=1)
                ratio = (policy.gather(1, actions[chosen, None]).squeeze(1) - before[chosen]).exp()
                gain = gains[chosen]
                gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
                losses = {
                    "policy": -torch.minimum(ratio * gain, ratio.clamp(1 - s.clip, 1 + s.clip) * gain).mean(),
                    "value": (values.float() - targets[chosen]).square().mean(),
                    "entropy": -(policy.exp() * policy).sum(dim=1).mean(),
                }
                self.optimizer.zero_grad()
                (losses["policy"] + s.value * losses["value"] - s.entropy * losses["entropy"]).backward()
                torch.nn.utils.clip_grad_norm_(self.parameters, s.gradient)
                self.optimizer.step()
                found.append({name: loss.detach() for name, loss in losses.items()})
        return mean_losses(found)

    @property
    def trained(self) -> TorchNetwork:
        """The network with the mean weights, which plays better than the network with the newest weights."""
        return self.average

    @property
    def agent(self) -> NeuralAgent:
        """The agent that plays the likeliest actions."""
        return NeuralAgent(self.average)

    def measure(self, games: int, opponents: tuple[str, ...] = LADDER) -> dict[str, MatchResult]:
        """Play matches of the agent against `opponents`."""
        return play_ladder(self.agent, self.settings.size, games, opponents)

    def matches(self, games: int) -> dict[str, dict[str, MatchResult]]:
        """Play the matches for a point of the curve."""
        return {"scores": self.measure(games)}

    def save(self, path: Path, progress: dict[str, Any]) -> None:
        """Write everything that a resumed run needs. The league's folder keeps the matches that were played in it."""
        folder = path.with_suffix("").with_suffix(".league")
        take_matches(self.league, folder)
        self.league.check_folder(folder)  # checked first: if this fails, no file has been changed
        tensors = learner_tensors(self.network, self.optimizer)
        named = {"average": self.average} | {f"past.{k}": network for k, network in enumerate(self.past.values())}
        for owner, network in named.items():
            tensors |= {f"{owner}.{name}": weight for name, weight in network.weights.items()}
        card = {"format": FORMAT, "settings": asdict(self.settings), "iteration": self.iteration}
        league = self.league.state()
        write_tensors(path, tensors, card | {"plies": self.plies, "league": league, "progress": progress})
        self.league.save(folder)

    @classmethod
    def load(cls, path: Path, settings: Settings, device: str = "cpu") -> tuple[Learner, dict[str, Any]]:
        """Read the learner and the progress that `save` wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file does not hold a run of this script, or the settings differ.
        """
        tensors, card = read_run(path, FORMAT, asdict(settings), counts=("plies",), over="plies", opponents=LADDER)
        learner = cls(settings, device, new_network(settings))  # a resumed run does not need the file of --init
        learner.iteration, learner.plies = card["iteration"], card["plies"]
        restore_learner(tensors, learner.network, learner.optimizer)
        learner.average.assign(network_of(tensors, "average", learner.network))
        learner._restore_league(tensors, card.get("league"))
        return learner, card["progress"]

    def _restore_league(self, tensors: dict[str, Any], state: Any) -> None:
        """Restore the league from its state and the tensors of the snapshots.

        Raises:
            ValueError: the state is damaged, tensors are missing, or the league has other settings than the run.
        """
        names = League.snapshots_in(state)
        self.past = {
            name: network_of(tensors, f"past.{k}", self.network).to(self.device) for k, name in enumerate(names)
        }
        agents = {name: NeuralAgent(network, 1.0) for name, network in self.past.items()}
        settings, self.league = (
            self.league.settings,
            League.from_state(state, dict(zip(PACKAGED, PACKAGED, strict=True)) | agents),
        )
        if self.league.settings != settings:
            raise ValueError("the league in the file has other settings than the run")


def games_against_league(s: Settings) -> int:
    """How many of an iteration's games are played against the league."""
    return min(round(s.league * s.games), s.games - 1)


def play(
    s: Settings, networks: Mapping[str, TorchNetwork], share: int, rng: np.random.Generator, drawn: dict[str, float]
) -> tuple[list[Rollout], Results]:
    """Play T steps in all games of a share.

    Args:
        s: the settings.
        networks: networks by name. ``newest`` is the network that learns. The others are the past selves that were
            drawn from the league.
        share: the number of the share.
        rng: the generator of everything random.
        drawn: the opponents that were drawn from the league. Each name has a weight: an opponent with twice the weight
            plays about twice as often.

    Returns:
        (rollouts, results). One rollout has the games in which the network plays both sides. The other has the games
        against the league. If the share has only one of these kinds of games, there is only one rollout. `results` has
        only the games against the league.
    """
    rollouts, results = [], []
    for env in environments(s, share):
        if env.unwrapped.opponents:
            env.unwrapped.set_opponents({opponent(s, networks, name): weight for name, weight in drawn.items()})
        rollouts.append(play_steps(s, networks["newest"], env, rng, results))
        env.close()
    return rollouts, results


def environments(s: Settings, share: int) -> list[Any]:
    """The environments of a share: for self-play, and for games against the league."""
    games = share_of(s, share)
    self_play = sum(game < s.games - games_against_league(s) for game in games)
    make = partial(gymnasium.make_vec, "othello_env/Othello-v0", size=s.size, strict=True)
    envs = [make(num_envs=self_play, opponent=None)] if self_play else []
    return envs if self_play == len(games) else [*envs, make(num_envs=len(games) - self_play)]


def opponent(s: Settings, networks: Mapping[str, TorchNetwork], name: str) -> Player:
    """An opponent from the league: a past self, or a packaged agent whose name is its spec."""
    return Player(name, NeuralAgent(networks[name], 1.0) if name in networks else make_agent(name, s.seed))


def play_steps(s: Settings, network: TorchNetwork, env: Any, rng: np.random.Generator, results: Results) -> Rollout:
    """Reset all N games and play T steps. Append the results of games against the league to `results`."""
    env.set_openings(f"random:{rng.integers(s.random_plies * s.size**2 // 64 + 1)}")
    observation, _ = env.reset(seed=int(rng.integers(2**31)))
    steps: dict[str, list[Any]] = {}
    for _ in range(s.steps):
        symmetry = int(rng.integers(COUNT))
        seen = {
            "observations": np.ascontiguousarray(transform_observation(observation["observation"], symmetry)),
            "masks": transform_policy(observation["action_mask"], symmetry),
        }
        with autocast(s, network.device, play=True):
            policy, seen["values"] = network.answers(seen["observations"], seen["masks"])
        seen["actions"] = draw_actions(policy, rng.random(env.num_envs))
        check_sound(seen["masks"][np.arange(env.num_envs), seen["actions"]])
        seen["log_probabilities"] = np.log(policy[np.arange(env.num_envs), seen["actions"]])
        actions = transform_actions(seen["actions"], inverse(symmetry), s.size)
        seen["players"] = env.unwrapped.to_move
        observation, seen["rewards"], seen["terminated"], _, info = env.step(actions)
        if env.unwrapped.opponents:
            results += step_results(env, seen["rewards"], seen["terminated"], info)
        for name, array in seen.items():
            steps.setdefault(name, []).append(array)
    with autocast(s, network.device, play=True):
        last = network.answers(observation["observation"], observation["action_mask"])[1]
    return {name: np.stack(arrays) for name, arrays in steps.items()} | {
        "last_values": last,
        "last_players": env.unwrapped.to_move,
    }


def main(arguments: list[str] | None = None) -> Learner:
    return run(Learner, Settings, __doc__, arguments, Options)


if __name__ == "__main__":
    main()
