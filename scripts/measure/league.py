"""Measure how much a league (the set of a learner's opponents) slows down the games.

    python scripts/measure/league.py
    python scripts/measure/league.py --members 100 --at-once 1 4 --opponents random --games 1024

The script plays a batch of games with a league, and the same batch without a league. Without a league, all games are
against one opponent. All members of the league are this same opponent, under different names. With a league, each
rollout begins with opponents that are drawn from the league. After each step, the league records the results of the
games that ended. This work of the league is part of the measured time. The time to choose random actions does not
count.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import tyro
from _bench import Bench, Work, machine

from othello_env import make_agent, make_vec_env, sample_legal
from othello_env.league import League


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    members: int = 100  # members of the league
    at_once: tuple[int, ...] = (1, 2, 4, 8)  # numbers of opponents drawn for a rollout
    rollout: int = 64  # steps of a rollout
    games: tuple[int, ...] = (256, 1024)  # numbers of games played at once
    opponents: tuple[str, ...] = ("random", "alphabeta:depth=2,eval=weighted")  # the kinds of members, as specs
    seconds: float = 1.0  # seconds of work in each window
    windows: int = 5  # windows for each figure


class LeagueWork:
    """Rollouts of a batch of games against a league.

    A call of this object plays one rollout. A unit of work is a step of one game.

    Args:
        kind: the spec of the members.
        n: the number of games.
        rollout: the number of steps of a rollout.
        members: the number of members. If it is None, there is no league, and one opponent plays all games.
        at_once: the number of opponents drawn for a rollout.
    """

    def __init__(self, kind: str, n: int, rollout: int, members: int | None = None, at_once: int = 1) -> None:
        agent = make_agent(kind)
        self._envs = make_vec_env(n, opponent=agent, openings="random:10", copy=False)
        self._league = None if members is None else League(matchmaking="pfsp", seed=1)
        for k in range(members or 0):
            assert self._league is not None
            self._league.add(agent, f"member {k}")
        self._at_once, self._rollout = at_once, rollout
        self._rng = np.random.default_rng(0)
        self._masks: Any = self._envs.reset(seed=0)[0]["action_mask"]
        self()  # not measured: the first rollout brings the games to different stages

    def __call__(self) -> tuple[float, float]:
        league, spent = self._league, 0.0
        for step in range(self._rollout):
            actions = sample_legal(self._masks, self._rng)
            began = time.perf_counter()
            if league is not None and step == 0:
                self._envs.set_opponents(league.opponents(self._at_once))
            _, rewards, terminated, _, info = self._envs.step(actions)
            if league is not None:
                league.record(self._envs, rewards, terminated, info)
            spent += time.perf_counter() - began
        return float(self._rollout * self._envs.num_envs), spent


def main(args: Args) -> None:
    print(machine())
    print(f"steps a second with {args.members} members, divided by the steps a second against one opponent, no league")
    print(f"{'opponents':34} {'games':>6} {'at once':>8}  ratio (lowest to highest of {args.windows} windows)")
    for kind in args.opponents:
        for n in args.games:
            bench = Bench(LeagueWork(kind, n, args.rollout), args.windows, args.seconds)
            works: list[tuple[str, Work]] = [("1 member", LeagueWork(kind, n, args.rollout, 1))]
            works += [
                (str(at_once), LeagueWork(kind, n, args.rollout, args.members, at_once)) for at_once in args.at_once
            ]
            for name, work in works:
                figure = bench.measure(work)
                print(f"{kind:34} {n:6} {name:>8}  {figure.ratio:.3f} ({figure.spread})", flush=True)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
