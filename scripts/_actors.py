"""Self-play in shares: in this process, or with ``--ray`` on the machines of a Ray cluster.

The games of an iteration are divided into shares (``--shares``). Each share is played by an actor: a function call that
gets the networks, the number of the share and a random generator, and returns the data for the learner. The generator
depends only on the seed, the iteration and the share. So the result does not depend on the machine that plays the
share. If a machine fails, another machine plays the share again, with the same result.

The learner is synchronous. The learner sends the newest weights, waits until all shares of the iteration are played,
and learns from them. The actors wait while the learner learns, so a cluster is used well only if playing takes most of
the time. An asynchronous learner would not wait. But the speed of the machines would then decide which weights play
which game, and no run could be repeated or resumed exactly.

An actor on a cluster is a Ray task (`othello_env.support.cluster`) on one core. If a machine joins the cluster during a
run, it is used at once. Ray sends the code of the recipe (the training script), so a machine needs only the installed
package.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import _run
import numpy as np
import torch
from _arguments import flag
from _networks import new_network
from safetensors.torch import load, save

from othello_agents.network.base import TorchNetwork
from othello_env.arena.play.records import versions
from othello_env.support.cluster import connected, run_on_cluster
from othello_env.support.extras import import_extra
from othello_env.support.imports import search_current_folder

__all__ = ["Actors", "Options", "check_shares", "share_of"]

Networks = Mapping[str, TorchNetwork]
"""Networks by name, for example the newest network and past selves."""

Play = Callable[..., Any]
"""A function that plays a share of an iteration's games: ``play(settings, networks, share, rng, *more)``.

On a cluster, the networks are on the CPU, and `settings` is an object of another class with the same attributes.
"""


@dataclass(frozen=True)
class Options(_run.Options):
    """The options of a run with actors: the options of every run, and ``--ray``."""

    ray: bool = flag("play the games on a Ray cluster, each of the --shares on a core; see the docs")

    def check(self) -> None:
        """Check the options of every run, and that Ray is installed if it is needed."""
        super().check()
        if self.ray:
            import_extra("ray", "ray")

    @contextmanager
    def workplace(self, learner: Any) -> Iterator[None]:
        """With ``--ray``, connect to a cluster, and let the learner's actors play on it.

        Raises:
            ConnectionError: no cluster can be reached or started.
            SystemExit: there is only one share.
        """
        if not self.ray:
            yield
            return
        if learner.settings.shares < 2:
            sys.exit("--ray needs --shares N: at least 2, best a multiple of the number of the cluster's cores")
        with connected():
            learner.actors.on_cluster = True
            try:
                yield
            finally:
                learner.actors.on_cluster = False


def check_shares(settings: Any) -> None:
    """Raise ValueError if there are more shares than games."""
    if settings.shares > settings.games:
        raise ValueError(f"--shares must be at most --games, {settings.games}, but it is {settings.shares}")


def share_of(settings: Any, share: int) -> range:
    """The numbers of the games in a share. The largest share has at most one game more than the smallest."""
    return range(share, settings.games, settings.shares)


class Actors:
    """Plays the shares of each iteration of a training script, in this process or on a cluster.

    Args:
        play: the recipe's function that plays a share.
        settings: the recipe's settings, with `seed`, `shares` and everything that `_networks.new_network` needs.

    Attributes:
        on_cluster: whether the actors are on the cluster to which this process is connected. Otherwise this process
            plays one share after the other.
    """

    def __init__(self, play: Play, settings: Any) -> None:
        self._play, self._settings = play, settings
        self.on_cluster = False

    def play(self, iteration: int, rng: np.random.Generator, networks: Networks, *more: Any) -> list[Any]:
        """Play all shares of an iteration. Return the results of the shares, in the order of the shares.

        Args:
            iteration: the number of the iteration.
            rng: the learner's generator, which is used only if there is one share. If there are more shares, each
                share has its own generator.
            networks: the networks that play.
            more: more arguments for the recipe's function. On a cluster they are pickled, so they should be plain data.

        Raises:
            FloatingPointError: the training has diverged. On a cluster, this is an OSError with the same message.
            OSError: the cluster fails.
        """
        s = self._settings
        if s.shares == 1:
            return [self._play(s, networks, 0, rng, *more)]
        # The learner's own generator has the seed (seed, iteration), which NumPy treats like (seed, iteration, 0).
        # No share may have this seed, so the last number of a share's seed is at least 1.
        seeds = [[s.seed, iteration, 1 + share] for share in range(s.shares)]
        if not self.on_cluster:
            return [self._play(s, networks, k, np.random.default_rng(seed), *more) for k, seed in enumerate(seeds)]
        _send_code()
        packed = {name: _packed(network) for name, network in networks.items()}
        common = (self._play, SimpleNamespace(**asdict(s)), packed, more)
        jobs = iter(enumerate(seeds))
        found = run_on_cluster(_play_share, common, lambda: next(jobs, None), s.shares, versions=_versions())
        results = dict(found)
        return [results[share] for share in range(s.shares)]


def _versions() -> dict[str, str]:
    """The versions of Python and of packages that must be the same on all machines, by name."""
    return versions() | {"torch": str(torch.__version__)}


def _packed(network: TorchNetwork) -> bytes:
    """A network's weights in the format of a .safetensors file."""
    return save({name: weight.detach().cpu().contiguous() for name, weight in network.weights.items()})


def _send_code() -> None:
    """Let Ray send the code of the scripts, so that the other machines do not need the scripts."""
    cloudpickle, here = import_extra("ray.cloudpickle", "ray"), Path(__file__).parent
    for name, module in [*sys.modules.items()]:
        if name != "__main__" and Path(getattr(module, "__file__", None) or "/").parent == here:
            cloudpickle.register_pickle_by_value(module)


def _play_share(common: tuple[Any, ...], job: tuple[int, list[int]]) -> tuple[int, Any]:
    """Play a share on a machine of the cluster. Return the number of the share and its result."""
    (play, settings, packed, more), (share, seed) = common, job
    search_current_folder()  # --network may name a module in this folder
    torch.set_num_threads(1)  # a task has one core, and another number of threads could change the last bit of a sum
    first = new_network(settings)
    networks = {name: first.with_weights(load(weights)) for name, weights in packed.items()}
    return share, play(settings, networks, share, np.random.default_rng(seed), *more)
