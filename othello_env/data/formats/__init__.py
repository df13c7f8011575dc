"""Read and write files of games.

`read_games` recognises the format of a file by its content and name. `write_games` chooses the format by the file's
name.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from othello_env.data.formats import archive, ggf, parquet, records, tokens, transcripts, wthor
from othello_env.data.games import Games, GamesError
from othello_env.games.checkers import pdn
from othello_env.games.game import IllegalActionError, NotationError, State
from othello_env.games.registry import GameLike
from othello_env.support.files import read_file, write_file
from othello_env.support.numbers import check_type, named_arguments

__all__ = ["KINDS", "DamagedGamesWarning", "read_games", "read_names", "write_games"]

KINDS = {
    ".npz": "the package's own format",
    ".wtb": "WTHOR",
    ".ggf": "GGF",
    ".txt": "transcripts, a game on each line",
    ".pdn": "PDN, for checkers",
    ".npy": "Othello-GPT's tokens",
    ".parquet": "Apache Parquet, which needs the extra parquet",
}
"""The file formats that `write_games` writes. The keys are the endings of the files' names."""

_LARGEST = 4 << 30
_LARGEST_NAMES = 64 << 20


class DamagedGamesWarning(UserWarning):
    """Some games of a file were left out, because they have an illegal move or cannot be read."""


@named_arguments
def read_games(
    path: str | Path,
    *,
    game: GameLike = "othello",
    players: Sequence[str] = (),
    tournaments: Sequence[str] = (),
    skip: bool = False,
) -> Games:
    """Read the games of a file. The content and the name of the file tell the format. Every move is checked.

    Args:
        path: a file in one of the formats of `KINDS`, or a file with the records of a match or tournament (JSON lines).
        game: the game, such as ``"othello:size=6"``, a GameSpec or a State to begin from. Only a file of transcripts
            needs this argument.
        players: for a WTHOR file, the names of the players, as `read_names` returns them.
        tournaments: for a WTHOR file, the names of the tournaments, as `read_names` returns them.
        skip: if True, damaged games are left out, and a `DamagedGamesWarning` says how many. A game is damaged if it
            has an illegal move or cannot be read.

    Raises:
        OSError: the file cannot be read.
        GamesError: the format of the file is unknown, or a game is damaged and `skip` is False. For a damaged game, the
            message names the line, or the game and the ply.
    """
    if (Path(path) / "dataset.json").exists():
        raise OSError(f"{str(path)!r} is a dataset; use Dataset({str(path)!r})")
    data = read_file(path, _LARGEST, "read games from")
    try:
        games, messages = _load(path, data, game, players, tournaments)
    except (GamesError, NotationError, IllegalActionError) as error:
        raise GamesError(f"{path}: {error}") from None
    if messages and not skip:
        more = f" ({len(messages)} games are damaged; skip=True leaves them out)" if len(messages) > 1 else ""
        raise GamesError(f"{path}: {messages[0]}{more}")
    if messages:
        text = f"{path}: {len(messages)} damaged games were left out; the first: {messages[0]}"
        warnings.warn(text, DamagedGamesWarning, stacklevel=2)
    return games


def read_names(path: str | Path) -> list[str]:
    """Read the names in a WTHOR file of players (``.jou``) or of tournaments (``.trn``), in the order of the file.

    Raises:
        OSError: the file cannot be read.
        GamesError: the file is not a file of names.
    """
    try:
        return wthor.load_names(read_file(path, _LARGEST_NAMES, "read names from"))
    except GamesError as error:
        raise GamesError(f"{path}: {error}") from None


def write_games(path: str | Path, games: Games) -> None:
    """Write games to a file. The ending of the file's name determines the format; see `KINDS`.

    Only ``.npz`` and ``.parquet`` keep all data about the games. In PDN, the columns whose names begin with a capital
    letter become tags. If a game is over, its last position determines the tag ``Result``, and the column ``Result`` is
    not used. PDN does not keep the rule for draws (see `othello_env.games.checkers.position`), so `read_games` reads
    games in PDN with the rule ``40-move``. If the file cannot be written completely, no part of it is left.

    Raises:
        OSError: the file cannot be written.
        ValueError: the ending is not in `KINDS`, or this format cannot hold these games.
        GamesError: a move is illegal.
    """
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        known = ", ".join(f"{ending} ({what})" for ending, what in KINDS.items())
        raise ValueError(f"expected a file name that ends in {known}, got {str(path)!r}")
    check_type("games", games, Games).check()
    write_file(path, _dump(kind, games))


def _load(
    path: str | Path, data: bytes, game: GameLike, players: Sequence[str], tournaments: Sequence[str]
) -> tuple[Games, list[str]]:
    if archive.is_archive(data):
        return archive.load(data)
    if parquet.is_parquet(data):
        return parquet.load(data)
    if tokens.is_npy(data):
        return tokens.load(data)
    if wthor.is_wthor(data) or Path(path).suffix.lower() == ".wtb":
        return wthor.load(data, players, tournaments)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    ending = Path(path).suffix.lower()
    if ending == ".pdn":  # here the ending decides, not the content: comments in PDN can look like the other formats
        return _from_pdn(text)
    if ggf.is_ggf(text) or ending == ".ggf":
        return ggf.load(text)
    if text.lstrip().startswith("{"):
        return records.load(path)
    if text.lstrip().startswith(("[", "%")):
        return _from_pdn(text)
    if "\0" in text:
        raise GamesError(f"the kind of this file is unknown; known are {', '.join(KINDS)} and records (.jsonl)")
    return transcripts.load(text, game)


def _dump(kind: str, games: Games) -> bytes:
    if kind == ".npz":
        return archive.dump(games)
    if kind == ".parquet":
        return parquet.dump(games)
    if kind == ".npy":
        return tokens.dump(games)
    if kind == ".wtb":
        return wthor.dump(games)
    if kind == ".ggf":
        return ggf.dump(games).encode()
    if kind == ".txt":
        return transcripts.dump(games).encode()
    if games.game.name != "checkers":
        raise ValueError(f"PDN files have games of checkers, not of {games.game}")
    starts = [games.starts[index] for index in games.start.tolist()]
    return pdn.dumps(_pdn_game(games.state(i), start, games, i) for i, start in enumerate(starts)).encode()


def _pdn_game(final: State, start: State, games: Games, i: int) -> pdn.PdnGame:
    names = [name for name in games.columns if name[:1].isupper() and name.isidentifier() and name.isascii()]
    tags = {name: str(games.columns[name][i]) for name in names if str(games.columns[name][i])}
    # Only an unfinished game keeps its tag `Result`. The tag tells, for example, that a player resigned.
    if final.is_over or tags.get("Result") not in pdn.RESULTS:
        tags.pop("Result", None)
    return pdn.PdnGame.from_state(final, start, **tags)  # pyright: ignore[reportArgumentType]  # the rules say that it is checkers


def _from_pdn(text: str) -> tuple[Games, list[str]]:
    """The games of a PDN text, and a message for each damaged game. Each tag, such as `White`, becomes a column."""
    games, messages = pdn.loads_valid(text)
    if not games:
        raise GamesError(messages[0] if messages else "there is no game in PDN")
    sizes = {game.start.size for game in games}
    if len(sizes) > 1:
        raise GamesError(f"the games are on boards of sizes {sorted(sizes)}; a file has games of one size")
    names = dict.fromkeys(name for game in games for name in game.tags if name not in ("FEN", "SetUp", "GameType"))
    columns = {name: [game.tags.get(name, "") for game in games] for name in names}
    finals, starts = [game.final() for game in games], [game.start for game in games]
    return Games.from_states(finals, starts, columns), messages
