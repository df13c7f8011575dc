"""How a game of Othello becomes a sequence of tokens for a language model.

A vocabulary gives each move a token. Token 0 fills a sequence after its last move. There are two vocabularies:

``othello-gpt`` is that of Othello-GPT, the model in the GitHub repository likenneth/othello_world (Li and others,
Emergent World Representations, 2023). Passes are left out. A square has the number ``8 * letter + digit``. Here
`letter` and `digit` are the letter and the digit of the square's name, both counted from 0. Tokens 1 to 60 are the
squares in the order of these numbers, without the four squares in the middle: a1 is 1, a2 is 2, b1 is 9, f5 is 41, h8
is 60. So there are 61 tokens.

``metaothello`` is that of the repository aviralchawla/metaothello (MetaOthello, 2026), which plays variants of the
rules, too. Tokens 1 to 64 are all squares, row by row: a1 is 1, b1 is 2, a2 is 9. Token 65 is the pass. So there are
66 tokens.

On smaller boards, the tokens are numbered in the same way. A sequence has as many tokens as the board has empty squares
at the start, 60 on 8x8. Games with passes can be longer; in ``metaothello``, the rest is cut off.

Letters for shapes: S size, A = S * S + 1 actions, V tokens.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from othello_env.games.game import check_choice
from othello_env.games.othello.position import check_size

__all__ = ["VOCABULARIES", "Vocabulary", "vocabulary_of"]

VOCABULARIES = ("othello-gpt", "metaothello")
"""The names of the vocabularies."""


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of the moves on a board of one size. `vocabulary_of` makes it.

    Attributes:
        name: ``othello-gpt`` or ``metaothello``.
        size: the height and width of the board.
        has_pass: whether a pass is a token. Otherwise passes are left out.
        count: the number V of tokens, token 0 included.
        length: the number of tokens of a sequence.
        tokens: (A,) int8, the token of each action. It is 0 for an action that has none.
        actions: (V,) int8, the action of each token; -1 for token 0.
        squares: (S * S,), the actions of the squares in the order in which the vocabulary numbers the squares.
    """

    name: str
    size: int
    has_pass: bool
    count: int
    length: int
    tokens: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int8]
    squares: npt.NDArray[np.int64]

    def row(self, moves: Iterable[int]) -> list[int]:
        """The tokens of the actions of a game, as many as the game has. Actions without a token are left out."""
        return [token for token in self.tokens[list(moves)].tolist() if token]


@lru_cache
def vocabulary_of(name: str, size: int = 8) -> Vocabulary:
    """A vocabulary for a board.

    Args:
        name: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.
        size: the height and width of the board: 4, 6 or 8.

    Raises:
        ValueError: there is no such vocabulary or size.
    """
    check_choice("vocabulary", name, VOCABULARIES)
    squares = np.arange(check_size(size) ** 2)
    has_pass = name == "metaothello"
    if not has_pass:
        squares = squares.reshape(size, size).T.ravel()
    middle = [size * row + column for row in (size // 2 - 1, size // 2) for column in (size // 2 - 1, size // 2)]
    placed = [*squares.tolist(), size**2] if has_pass else [a for a in squares.tolist() if a not in middle]
    actions = np.array([-1, *placed], np.int8)
    tokens = np.zeros(size**2 + 1, np.int8)
    tokens[placed] = np.arange(1, len(actions))
    return Vocabulary(name, size, has_pass, len(actions), size**2 - 4, tokens, actions, squares)
