"""Games as a language model sees them: sequences of tokens, and labels of the boards after each move.

`othello_env.games.othello.tokens` describes the two vocabularies. In that of Othello-GPT, a square has the number
``8 * letter + digit``, and in this package ``8 * digit + letter``. So a board of Othello-GPT is a board of this package
with rows and columns swapped. In the other vocabulary, boards are those of this package.

Letters for shapes: N = games, L = tokens of a sequence, S = size of the board, V = tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from othello_env.data import kernels
from othello_env.data.formats.tokens import as_rows, tokens, tokens_of, usual_start
from othello_env.data.games import Games, play_randomly
from othello_env.games.game import check_seed
from othello_env.games.othello.position import Othello
from othello_env.games.othello.tokens import Vocabulary, vocabulary_of
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import check_flag, check_whole, named_arguments

__all__ = ["SequenceStream", "Sequences", "legal_tokens", "sequences"]


@dataclass(frozen=True)
class Sequences:
    """N games as sequences of L tokens, and labels of the board after each token.

    Squares are in the order of the vocabulary, which is ``S * letter + digit`` for Othello-GPT.

    Attributes:
        tokens: (N, L) int8, 0 after the last move.
        relative: (N, L, S * S) int8, the board after each token, from the point of view of the player whose turn it is:
            0 is a disc of this player ("mine"), 1 is an empty square, 2 is a disc of the other player ("yours"), and -1
            stands on all squares after the last move. None if it was not asked for.
        board: (N, L, S * S) int8, the same board: 0 is a white disc, 1 an empty square, 2 a black disc, and -1 stands
            after the last move. None if it was not asked for.
        legal: (N, L, V) bool, the tokens that may follow each token. No token may follow the end of a game. If passes
            have no token and a player must pass, these are the other player's moves. None if it was not asked for.
    """

    tokens: npt.NDArray[np.int8]
    relative: npt.NDArray[np.int8] | None = None
    board: npt.NDArray[np.int8] | None = None
    legal: npt.NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.tokens)


def sequences(games: Games, vocabulary: str = "othello-gpt", *, boards: bool = False, legal: bool = False) -> Sequences:
    """Turn N games into sequences of tokens and labels.

    Args:
        games: games of Othello on any board, or of a variant of its rules, from the usual start.
        vocabulary: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.
        boards: whether to make the labels `relative` and `board`, 128 bytes for each move on 8x8.
        legal: whether to make the labels `legal`, V bytes for each move.

    Raises:
        ValueError: the games are of another kind, or there is no such vocabulary; or the game was registered without a
            batch.
        GamesError: a move is illegal.
    """
    token_rows, start = tokens(games, vocabulary), usual_start(games.game)
    words, actions = vocabulary_of(vocabulary, start.size), games.actions.astype(np.int8, copy=False)
    return _sequences(token_rows, actions, start, words, check_flag("boards", boards), check_flag("legal", legal))


def legal_tokens(
    sequences: npt.ArrayLike, vocabulary: str = "othello-gpt", game: GameLike = "othello"
) -> npt.NDArray[np.bool_]:
    """The tokens that may follow each token of N sequences of K tokens, (N, K, V) bool.

    After an illegal move and after the end of a game, no token may follow. So the logarithm of this array is what a
    perfect model answers.

    Args:
        sequences: (N, K) integers, with 0 after the last move.
        vocabulary: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.
        game: the game and its options, such as ``othello:size=6``.

    Raises:
        ValueError: the shape is wrong, a token is not in the vocabulary, a move follows the token 0, or the game was
            registered without a batch.
    """
    start = usual_start(game)
    words = vocabulary_of(vocabulary, start.size)
    rows = as_rows(sequences, words)
    return _legal(kernels.replay(rows, start, rows.shape[1], passes=words.has_pass), words)


class SequenceStream:
    """Batches of random games as sequences of tokens, without end. Only one batch is in memory at a time.

    A game depends only on the seed and on its number, as in `random_games`. So a loop gets the same batches again, and
    `othello_env.sequences.torch.SequenceDataset` gets the same batches for any number of workers.

    Args:
        batch_size: the number of games in a batch.
        game: Othello on any board, or a variant of its rules that was registered with a batch.
        vocabulary: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.
        seed: an integer of at least 0, which determines all games.
        first: the number of the first batch, from 0; for example, to continue a training.
        count: the number of batches; None for a stream without end.
        boards: whether to make the labels of the boards; see `Sequences`.
        legal: whether to make the labels of legal tokens; see `Sequences`.

    Raises:
        ValueError: a number is out of range, there is no such game or vocabulary, or the game has no batch.
        TypeError: a number is not an integer.
    """

    @named_arguments
    def __init__(
        self,
        batch_size: int = 512,
        *,
        game: GameLike = "othello",
        vocabulary: str = "othello-gpt",
        seed: int = 0,
        first: int = 0,
        count: int | None = None,
        boards: bool = False,
        legal: bool = False,
    ) -> None:
        self.batch_size = check_whole("batch_size", batch_size, 1)
        self.game, self._start = GameSpec.parse(game), usual_start(game)
        self.vocabulary = vocabulary_of(vocabulary, self._start.size)
        self.seed = check_seed(seed)
        self.first = check_whole("first", first, 0)
        self.count = None if count is None else check_whole("count", count, 0)
        self._boards, self._legal = check_flag("boards", boards), check_flag("legal", legal)
        self.game.batch(0)  # raises the error if there is none

    def batch(self, number: int) -> Sequences:
        """The batch with this number, from 0."""
        actions, lengths = play_randomly(self.game, self.seed, number * self.batch_size, self.batch_size)
        actions[np.arange(actions.shape[1]) >= lengths[:, np.newaxis]] = -1
        token_rows = tokens_of(actions, lengths, self.vocabulary)
        return _sequences(token_rows, actions, self._start, self.vocabulary, self._boards, self._legal)

    def numbers(self, worker: int = 0, workers: int = 1) -> Iterator[int]:
        """The numbers of the batches of one of several workers, which take turns."""
        number = self.first + worker
        while self.count is None or number < self.first + self.count:
            yield number
            number += workers

    def __iter__(self) -> Iterator[Sequences]:
        return map(self.batch, self.numbers())


def _sequences(
    token_rows: npt.NDArray[np.int8],
    rows: npt.NDArray[np.int8],
    start: Othello,
    words: Vocabulary,
    boards: bool,
    legal: bool,
) -> Sequences:
    """The sequences of games that have these tokens, (N, L), and these actions, (N, T), which are legal."""
    if not (boards or legal):
        return Sequences(token_rows)
    played = kernels.replay(rows, start, words.length, passes=words.has_pass)
    relative, board = _boards(played, words) if boards else (None, None)
    return Sequences(token_rows, relative, board, _legal(played, words) if legal else None)


def _boards(played: kernels.Replayed, words: Vocabulary) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Two arrays (N, L, S * S): the boards after each move as `Sequences.relative` and as `Sequences.board`."""
    own, opponent = (_on_squares(sets, words.squares, words.size) for sets in (played.own, played.opponent))
    disc, sign = opponent - own, 2 * played.to_move - 1
    is_over = (np.arange(disc.shape[1]) >= played.moves[:, np.newaxis])[..., np.newaxis]
    return np.where(is_over, -1, 1 + disc), np.where(is_over, -1, 1 + sign[..., np.newaxis] * disc)


def _legal(played: kernels.Replayed, words: Vocabulary) -> npt.NDArray[np.bool_]:
    """(N, L, V), the tokens that may follow each move."""
    legal = np.zeros((*played.legal.shape, words.count), np.bool_)
    squares = words.actions[1:-1] if words.has_pass else words.actions[1:]
    legal[..., 1 : len(squares) + 1] = _on_squares(played.legal, squares, words.size)
    if words.has_pass:
        goes_on = np.arange(played.legal.shape[1]) < (played.moves - played.ended)[:, np.newaxis]
        legal[..., -1] = goes_on & (played.legal == 0)
    return legal


def _on_squares(sets: npt.NDArray[np.uint64], squares: npt.NDArray[np.integer], size: int) -> npt.NDArray[np.int8]:
    """(N, L, B), 1 where a set (N, L) has a square and 0 elsewhere. The squares (B,) are actions."""
    row, column = np.divmod(squares.astype(np.int64), size)
    edge = (8 - size) // 2
    bits = np.unpackbits(sets.astype("<u8")[..., np.newaxis].view(np.uint8), axis=-1, bitorder="little")
    return bits[..., 8 * (row + edge) + column + edge].view(np.int8)
