"""What the training scripts (recipes) share: boards, opponents, scores, and messages in the terminal."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env import Agent, Othello
from othello_env.arena import measure_regret
from othello_env.arena.match import MatchResult, play_match
from othello_env.arena.rating.accuracy import REGRET_SIZES
from othello_env.support.files import in_one_process

__all__ = [
    "LADDER",
    "OPENINGS",
    "PERFECT",
    "PLIES",
    "RESIDUAL_PPO",
    "SHORT_OPENINGS",
    "SIZES",
    "Policy",
    "check_sound",
    "command_line",
    "has_run",
    "locked",
    "mistakes",
    "new_output",
    "perfect_moves",
    "play_ladder",
    "score",
    "show",
]

PERFECT = "perfect moves"
"""A point of a learning curve has the share of perfect moves under this key, but not on 8x8."""

Policy = Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], npt.NDArray[np.int64]]
"""An agent as a function: it takes observations (N, 2, S, S) and action masks (N, A), and returns actions (N,)."""

SIZES = (4, 6, 8)
LADDER = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted")
PLIES = {4: 3, 6: 6, 8: 10}
"""For each size of the board, the number of random plies with which the games of a match begin."""
OPENINGS = {size: f"random:{plies}" for size, plies in PLIES.items()}
RESIDUAL_PPO = (
    *("--network", "residual", "--games", "128"),
    *("--rate", "2.5e-3", "--entropy", "0.02", "--gae-lambda", "0.95"),
)
"""Options of `train_ppo.py` that suit the convolutional network."""
SHORT_OPENINGS = {size: f"random:{size**2 // 8}" for size in SIZES}
"""For each size of the board, the random openings of training games and of the games that `score` plays."""


def score(policy: Policy, opponent: str, size: int) -> float:
    """The score of a policy in 200 games against an opponent, from random openings."""
    openings = SHORT_OPENINGS[size]
    return play_match(policy, opponent, games=200, openings=openings, new_game=lambda _: Othello(size)).score


def show(status: str) -> None:
    """Show a status line in the terminal. The next call replaces the line. If stderr is no terminal, show nothing."""
    if sys.stderr.isatty():
        print(f"\r{status}\x1b[K", end="", file=sys.stderr, flush=True)


def command_line() -> str:
    """The command that started this process."""
    return " ".join(["python", *sys.argv])


@contextmanager
def mistakes() -> Iterator[None]:
    """If the block raises OSError or ValueError, end the command with a one-line message and status 2."""
    try:
        yield
    except (OSError, ValueError) as error:
        print(f"{Path(sys.argv[0]).name}: error: {error}", file=sys.stderr)
        raise SystemExit(2) from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes away from a folder during the ``with`` block. A missing folder is made.

    Raises:
        ValueError: another process uses the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with in_one_process(folder / "work.lock", ValueError(f"another process works in --folder {folder}")):
        yield


def new_output(out: Path) -> None:
    """Check that an output does not exist yet, and make its parent folder.

    Raises:
        OSError: the parent folder cannot be made.
        ValueError: a file or folder of this name exists.
    """
    if out.exists() or out.is_symlink():
        raise ValueError(f"--out {out} exists; give another name")
    out.parent.mkdir(parents=True, exist_ok=True)


def has_run(out: Path) -> bool:
    """Whether ``--resume`` can continue a run of `train_ppo.py`, `train_alphazero.py` or `train_ntuple.py`.

    A run may have ended before it wrote its agent. Then only the file with the run's state exists.

    Args:
        out: the run's ``--out``.
    """
    return out.exists() or out.with_suffix(".state.safetensors").exists()


def check_sound(sound: Any) -> None:
    """Raise FloatingPointError if a value of `sound` is false. For example, `sound` is ``np.isfinite(losses)``."""
    if not np.all(sound):
        raise FloatingPointError("the training has diverged: its numbers are too large; a lower --rate may help")


def play_ladder(agent: Agent, size: int, games: int, opponents: Sequence[str] = LADDER) -> dict[str, MatchResult]:
    """Play a match of an agent against each opponent, and return the results by opponent.

    All matches have the same openings.
    """
    return {
        opponent: play_match(
            agent, opponent, games=games, openings=OPENINGS[size], seed=1, new_game=lambda _: Othello(size)
        )
        for opponent in opponents
    }


def perfect_moves(agent: Agent, size: int) -> dict[str, float]:
    """The share of perfect moves that an agent plays in the packaged positions, and the mean loss of a move in discs.

    On 8x8, where perfect play is not known, the result is empty.
    """
    if size not in REGRET_SIZES:
        return {}
    regret = measure_regret(agent, size=size)
    low, high = regret.all.rate_interval
    return {
        PERFECT: round(regret.rate, 4),
        f"{PERFECT} +-": round((high - low) / 2, 4),
        "discs lost": round(regret.loss, 3),
    }
