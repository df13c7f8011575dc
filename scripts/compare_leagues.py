"""Compare three sets of opponents for PPO on 6x6: a league, only the newest snapshot, and only packaged agents.

    python scripts/compare_leagues.py --out runs/compare --iterations 1000
    python scripts/compare_leagues.py --out runs/compare --iterations 1000 --resume

A snapshot is a copy of an earlier policy of the learner. The league has snapshots and packaged agents. The script
trains an agent with each set of opponents and each seed. All trainings play the same number of plies. In every
training, ``--league`` is the share of the games against these opponents, and all other games are self-play. At the end
all agents and the packaged opponents play each other. A table shows the Elo rating of each player (`random` has 0), and
the player's lowest score against another player. Ctrl-C ends the script. With ``--resume`` the script continues the
training or the matches that were interrupted.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from _arguments import even, flag, parse, path, real, whole
from _recipe import LADDER, OPENINGS, RESIDUAL_PPO, has_run, mistakes
from train_ppo import main as train

from othello_env.cli import main as command
from othello_env.league import League
from othello_env.league.files import LEAGUE_FILE
from othello_env.league.members import Stored

SIZE = 6
WAYS = {
    "league": ["--matchmaking", "pfsp", "--packaged", "0.5"],
    "newest": ["--matchmaking", "latest", "--packaged", "0"],
    "fixed": ["--matchmaking", "uniform", "--packaged", "1"],
}


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    out: Path = path("a folder for the agents, and for the league in which they play each other")
    iterations: int = whole(1000, "iterations of each training")
    seeds: tuple[int, ...] = whole((1, 2, 3), "the seeds of the trainings", nargs="+")
    league: float = real(0.25, "the share of the games against opponents", least=0, most=1)
    channels: int = whole(16, "channels of the networks", most=512)
    blocks: int = whole(1, "residual blocks of the networks", least=0, most=64)
    games: int = even(200, "games that any two agents play against each other at the end")
    resume: bool = flag("continue the trainings that were interrupted")

    def check(self) -> None:
        """Check that all seeds are different."""
        if len({*self.seeds}) < len(self.seeds):
            raise ValueError(f"--seeds gives a seed twice: {' '.join(map(str, self.seeds))}")


def train_all(args: Arguments) -> dict[str, Path]:
    """Train an agent with each set of opponents and each seed. Return the agents' files by name."""
    found = {}
    for seed in args.seeds:
        for way, options in WAYS.items():
            name = f"{way} {seed}"
            found[name] = out = args.out / f"{way}-{seed}.safetensors"
            sizes = ["--size", SIZE, "--channels", args.channels, "--blocks", args.blocks, "--league", args.league]
            budget = ["--iterations", args.iterations, "--seconds", 1e9, "--every", max(args.iterations // 10, 1)]
            more = ["--resume"] if args.resume and has_run(out) else []
            print(name, flush=True)
            learner = train(
                [*map(str, ["--out", out, "--seed", seed, *sizes, *budget]), *RESIDUAL_PPO, *options, *more]
            )
            if learner.interrupted or learner.iteration < args.iterations:
                sys.exit("interrupted; --resume continues")
    return found


def gather(agents: dict[str, Path], folder: Path) -> None:
    """Save a league of the packaged opponents and the agents to a folder.

    If the folder already has a league, this league keeps its matches, and only new agents are added to it.

    Args:
        agents: the agents' files by name.
        folder: the league's folder.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: the folder has a league with other agents.
    """
    league = League.load(folder) if (folder / LEAGUE_FILE).exists() else League(LADDER)
    for name, file in agents.items():
        if name not in league:
            league.add(file, name)
        source = league[name].source
        if not isinstance(source, Stored) or source.contents() != file.read_bytes():
            raise ValueError(f"{folder} has matches of another agent {name!r}; move this folder away")
    if others := {member.name for member in league} - {*LADDER, *agents}:
        raise ValueError(f"{folder} also has the agents {', '.join(sorted(others))}; move this folder away")
    league.save(folder)


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    agents = train_all(args)
    with mistakes():
        gather(agents, args.out / "league")
    game = ["--game", f"othello:size={SIZE}", "--openings", OPENINGS[SIZE]]
    command(["league", str(args.out / "league"), "--games", str(args.games), *game])


if __name__ == "__main__":
    main()
