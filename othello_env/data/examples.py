"""Training examples from games. An example is a position and the action that was played in this position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.data.games import Games
from othello_env.data.replay import AT_ONCE, visit
from othello_env.games.game import check_seed
from othello_env.games.othello import symmetries
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_flag, check_type, check_whole

__all__ = ["Examples", "examples"]


@dataclass(frozen=True)
class Examples:
    """M examples: positions of games, and the action that was played in each position.

    Attributes:
        observation: (M, planes, H, W) int8, the board from the point of view of the player to move. H and W are the
            height and the width of the board.
        action_mask: (M, A) int8, 1 for each legal action and 0 for each illegal action. A is the number of actions.
        action: (M,) int64, the action that was played.
        returns: (M,) float32, the result of the game for the player to move, such as +1 for a win. NaN if the game is
            not finished.
        margin: (M,) float32, how far the player to move was ahead at the end of the game (in Othello, in discs). It is
            negative for a loss, and NaN if the game is not finished.
        to_move: (M,) int8, the player to move.
        game: (M,) int64, the index of the position's game in the `Games` object.
        ply: (M,) int32, the number of plies that were played in the game before the position.
    """

    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    action: npt.NDArray[np.int64]
    returns: npt.NDArray[np.float32]
    margin: npt.NDArray[np.float32]
    to_move: npt.NDArray[np.int8]
    game: npt.NDArray[np.int64]
    ply: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.action)

    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> Examples:
        """Return some of the examples. A slice, a mask of shape ``(M,)`` or an array of indices selects them."""
        return Examples(**{name: array[places] for name, array in vars(self).items()})

    def transformed(self, symmetry: npt.NDArray[np.integer]) -> Examples:
        """Return the examples with turned or mirrored boards, masks and actions. All examples must be of Othello.

        Args:
            symmetry: (M,) integers 0 to 7, the symmetry of each example; see `othello_env.games.othello.symmetries`.
        """
        observation, mask, action = self.observation.copy(), self.action_mask.copy(), self.action.copy()
        for k in range(1, symmetries.COUNT):
            chosen = np.flatnonzero(symmetry == k)
            observation[chosen] = symmetries.transform_observation(self.observation[chosen], k)
            mask[chosen] = symmetries.transform_policy(self.action_mask[chosen], k)
            action[chosen] = symmetries.transform_actions(self.action[chosen], k, self.observation.shape[-1])
        return Examples(**{**vars(self), "observation": observation, "action_mask": mask, "action": action})


def examples(
    games: Games,
    batch_size: int = 4096,
    *,
    seed: int | None = None,
    symmetric: bool = False,
    passes: bool = True,
) -> Iterator[Examples]:
    """Yield the positions of the games, and the actions that were played, in batches.

    Only a part of the positions is in memory at a time.

    Args:
        games: the games. Every move is checked before the first batch.
        batch_size: the number of examples in a batch.
        seed: if it is None, the examples keep the order of the games. If it is a number, the examples are shuffled, and
            the same number gives the same order. First the games are shuffled. Then the positions of the first 4096
            games are shuffled among themselves, then the positions of the next 4096 games, and so on.
        symmetric: whether to turn or mirror each board at random (Othello only). `seed` also determines these random
            choices. If `seed` is None, the choices are different in each call.
        passes: whether to include positions in which the player must pass.

    Raises:
        TypeError: `batch_size` or `seed` is not an integer, or a flag is not a bool.
        ValueError: the batch size is below 1, `seed` is negative, or `symmetric` is True for another game than Othello.
        GamesError: a move is illegal.
    """
    check_type("games", games, Games)
    batch_size, seed = check_whole("batch_size", batch_size, 1), None if seed is None else check_seed(seed)
    for name, flag in (("symmetric", symmetric), ("passes", passes)):
        check_flag(name, flag)
    if symmetric and not isinstance(games.starts[0], Othello):  # `symmetries` are those of its board
        raise ValueError(f"symmetric=True is for Othello, not for {games.game}")
    rng = np.random.default_rng(seed)
    order = np.arange(len(games)) if seed is None else rng.permutation(len(games))
    outcomes = games.outcomes
    returns, margins = (
        np.where(outcomes.over[:, np.newaxis], values, np.nan) for values in (outcomes.returns, outcomes.margins)
    )
    left: list[Examples] = []
    for begin in range(0, len(games), AT_ONCE):
        chosen = order[begin : begin + AT_ONCE]
        expanded = _expand(games[chosen], chosen, returns[chosen], margins[chosen])
        if not passes:
            expanded = expanded.part(expanded.action != getattr(games.starts[0], "pass_action", -1))
        if seed is not None:
            expanded = expanded.part(rng.permutation(len(expanded)))
        if symmetric:
            expanded = expanded.transformed(rng.integers(symmetries.COUNT, size=len(expanded)))
        left.append(expanded)
        while sum(map(len, left)) >= batch_size:
            whole = _joined(left)
            yield whole.part(slice(batch_size))
            left = [whole.part(slice(batch_size, None))]
    rest = _joined(left) if left else None
    if rest is not None and len(rest):
        yield rest


def _joined(parts: list[Examples]) -> Examples:
    if len(parts) == 1:
        return parts[0]
    return Examples(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])})


def _expand(games: Games, indices: npt.NDArray[np.int64], returns: Any, margins: Any) -> Examples:
    """The examples of N games.

    `indices` has the indices of these games in the `Games` object that was passed to `examples`.
    """
    observation, mask, to_move, game, ply = visit(games)
    return Examples(
        observation,
        mask,
        games.actions[games.actions >= 0].astype(np.int64),
        returns[game, to_move].astype(np.float32),
        margins[game, to_move].astype(np.float32),
        to_move,
        indices[game],
        ply,
    )
