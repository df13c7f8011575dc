"""Datasets: folders that store many games in several files.

A dataset stays undamaged if the program that writes it is interrupted or killed.

The file ``dataset.json`` in the folder says how the games are made, and ``README.md``, the dataset card, says the same
for people, with the versions of the packages and the command. The files ``games-000000.npz``,
``games-000001.npz`` and so on are the parts of the dataset. A part is written completely or not at all. The games of a
part depend only on the number of the part and on ``dataset.json``. So a command that was interrupted can be run again:
it makes the parts that are missing or damaged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from othello_env.arena.play.records import versions
from othello_env.data.formats import archive, read_games
from othello_env.data.games import Games, GamesError, Statistics
from othello_env.support.files import as_type, in_one_process, parse_json, read_file, write_file, write_json

__all__ = ["Dataset"]

_FORMAT = "othello-env dataset 1"
_LARGEST = 1 << 28  # bytes; a recipe may contain a long list of openings
_SHOWN = 10  # a longer list in a recipe is not shown in the dataset card


class _Header(msgspec.Struct):
    """The content of ``dataset.json``."""

    format: Literal["othello-env dataset 1"]
    recipe: dict[str, Any]
    games: Annotated[int, msgspec.Meta(ge=0)]
    part: Annotated[int, msgspec.Meta(ge=1)]


class Dataset:
    """A folder that stores many games in several files, the parts of the dataset.

    A loop over a `Dataset` gets one `Games` object for each part in the folder. Only one part is in memory at a time.

    Args:
        folder: a folder that `Dataset.make` made.

    Raises:
        OSError: the folder has no dataset, or the dataset cannot be read.
        GamesError: ``dataset.json`` is damaged.

    Attributes:
        folder: the folder.
        recipe: a dict that says how the games are made. Its values can be stored in JSON.
        count: the number of games that the dataset has when it is finished.
        part_size: the number of games in a part; the last part may be smaller.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        path = self.folder / "dataset.json"
        try:
            header = as_type(parse_json(read_file(path, _LARGEST, "read a dataset from")), _Header)
        except ValueError as error:
            raise GamesError(f"{str(path)!r} is not the description of a dataset: {error}") from None
        self.recipe, self.count, self.part_size = header.recipe, header.games, header.part

    @classmethod
    def make(
        cls,
        folder: str | Path,
        recipe: Mapping[str, Any],
        count: int,
        part_size: int,
        games: Callable[[int, int], Games],
        progress: Callable[[int], None] = lambda _: None,
        command: str | None = None,
    ) -> Dataset:
        """Make a dataset. If an earlier call was interrupted, make the parts that are missing. Repair damaged parts.

        Args:
            folder: the folder of the dataset. It may already hold an unfinished dataset with the same recipe and part
                size.
            recipe: a dict that determines all games. JSON must be able to store its values.
            count: the number of games that the finished dataset has.
            part_size: the number of games in a part.
            games: a function that makes games. ``games(first, n)`` returns the games with the numbers `first` to
                ``first + n - 1``, counted from 0. A second call with the same arguments must return the same games.
            progress: a function that is called at the beginning and after each part. Its argument is the number of
                games that have been written so far.
            command: the command that makes the dataset, for the dataset card.

        Raises:
            GamesError: ``dataset.json`` is damaged.
            OSError: the folder cannot be written.
            ValueError: the folder holds a dataset with another recipe, another part size or a larger count; another
                process is making this dataset; or `games` returned a wrong number of games.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        busy = ValueError(f"another process is making the dataset {str(folder)!r}")
        with in_one_process(folder / "dataset.lock", busy):
            # The recipe in the file has lists in place of tuples, because JSON has no tuples. So the tuples in `recipe`
            # are changed into lists before the two recipes are compared.
            plain = json.loads(json.dumps(dict(recipe)))
            header = {"format": _FORMAT, "recipe": plain, "games": count, "part": part_size}
            if (folder / "dataset.json").exists():
                old = cls(folder)
                if (old.recipe, old.part_size) != (header["recipe"], part_size):
                    raise ValueError(
                        f"{str(folder)!r} holds another dataset: {old.made_by}, in parts of {old.part_size:,} games; "
                        f"expected: {_in_words(plain)}, in parts of {part_size:,} games"
                    )
                if old.count > count:
                    raise ValueError(f"{str(folder)!r} was begun for {old.count:,} games, more than {count:,}")
            write_json(folder / "dataset.json", header)
            made = cls(folder)
            todo = [part for part in range(made._num_parts) if not archive.is_whole(made._path(part), made._size(part))]
            if todo:
                _write_card(made, command)
            written = count - sum(map(made._size, todo))
            progress(written)
            for part in todo:
                first, size = part * part_size, made._size(part)
                batch = games(first, size)
                if len(batch) != size:
                    raise ValueError(f"expected {size:,} games from number {first:,} on, got {len(batch):,}")
                write_file(made._path(part), archive.dump(batch))
                written += size
                progress(written)
            return made

    def __len__(self) -> int:
        """The number of games that are already written, at most `count`.

        Raises:
            GamesError: a part is damaged, or is missing before another one.
        """
        return sum(self._counts())

    def __iter__(self) -> Iterator[Games]:
        return self.parts()

    def parts(self, *, skip: bool = False) -> Iterator[Games]:
        """Yield a `Games` object for each finished part.

        If `make` was called with a larger count, the part that was the last one before may have too few games until
        `make` writes it again. This part is yielded, too.

        Args:
            skip: if True, damaged games are left out; see `othello_env.data.read_games`.

        Raises:
            GamesError: a part is damaged, or is missing before another one (the message names the file); or a game is
                damaged and `skip` is False.
        """
        for part in range(len(self._counts())):
            yield read_games(self._path(part), skip=skip)

    def __repr__(self) -> str:
        return f"<Dataset of {self.count:,} games in {str(self.folder)!r}: {self.made_by}>"

    @property
    def made_by(self) -> str:
        """The recipe as text, such as ``make random, size 8, seed 1``. An entry whose value is None is left out."""
        return _in_words(self.recipe)

    def statistics(self) -> Statistics:
        """Return numbers about all games, such as the share of draws; see `Statistics`.

        Raises:
            ValueError: the games are of three players.
            GamesError: a part is damaged, or is missing before another one.
        """
        return Statistics.from_parts(part.statistics() for part in self)

    @property
    def _num_parts(self) -> int:
        return -(-self.count // self.part_size)

    def _size(self, part: int) -> int:
        """The number of games that this part has when it is finished."""
        return min(self.part_size, self.count - part * self.part_size)

    def _counts(self) -> list[int]:
        """The number of games in each part that was made. Only the last one may have fewer games than `_size` says."""
        there = {path.name for path in self.folder.glob("games-*.npz")}
        made = [part for part in range(self._num_parts) if self._path(part).name in there]
        counts = [archive.count(self._path(part)) for part in made]
        for number, (part, count) in enumerate(zip(made, counts, strict=True)):
            expected, is_last = self._size(part), part == made[-1]
            if part != number:
                wrong, why = number, f"is missing, but {self._path(part).name} is there"
            elif count < 0:
                wrong, why = part, "cannot be read"
            elif count == expected or (is_last and 0 < count < expected):
                continue
            else:
                wrong, why = part, f"has {count:,} games, not {expected:,}"
            raise GamesError(f"{self._path(wrong)} {why}; the command that made the dataset makes this part again")
        return counts

    def _path(self, part: int) -> Path:
        return self.folder / f"games-{part:06d}.npz"


def _write_card(dataset: Dataset, command: str | None) -> None:
    """Write the dataset card. If there is a card, add the continuation to it."""
    path, used = dataset.folder / "README.md", ", ".join(f"{name} {version}" for name, version in versions().items())
    if path.exists():
        card = path.read_text(encoding="utf-8")
        line = f"- continued to {dataset.count:,} games with: {used}\n"
        card += "" if card.endswith(line) else line
    else:
        rows = {
            "games": f"{dataset.count:,}, in parts of {dataset.part_size:,}",
            **{name: _entry(value) for name, value in dataset.recipe.items() if value is not None},
            "made with": used,
            "command": None if command is None else f"`{command}`",
            "read with": f"`othello_env.data.Dataset({dataset.folder.name!r})`",
        }
        lines = [f"- {name}: {value}" for name, value in rows.items() if value is not None]
        card = "\n".join(["# Games made by othello-env", "", *lines, ""])
    write_file(path, card.encode())


def _entry(value: Any) -> str:
    """An entry of a recipe as text for the card. Of a long list, such as openings, only the length is shown."""
    if not isinstance(value, list):
        return str(value)
    return ", ".join(map(str, value)) if len(value) <= _SHOWN else f"{len(value):,} given"


def _in_words(recipe: Mapping[str, Any]) -> str:
    values = {name: f"{len(value):,} given" if isinstance(value, list) else value for name, value in recipe.items()}
    return ", ".join(f"{name} {value}" for name, value in values.items() if value is not None) or "no recipe"
