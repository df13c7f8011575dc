"""What was measured, as one object for every measurement: `Part`, and the `Report` of several parts.

Terminal, Markdown, JSON, leaderboard, means over seeds and the browser page show reports without knowing what was
measured. So a new measurement is a subclass of `Part`, and no other file changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from othello_env.arena.number import Number
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import check_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from othello_env.arena.play.records import GameRecord

__all__ = ["AGENT", "FORMAT", "Found", "Limits", "Part", "Report", "Table", "game_name", "markdown_table"]

FORMAT = "othello-env benchmark 2"
"""The format of a report in JSON."""


AGENT = "agent"
"""The name of the measured agent in the records of its games."""

_MOST_FAULTS = 1_000_000
"""A report with more faults is refused, since they would take much memory."""


def game_name(game: GameLike) -> str:
    """The name of a game, by which the package keeps its ladder, its positions and its openings.

    Raises:
        ValueError: the games would begin in another position than the game's own start.
    """
    spec = GameSpec.parse(game)
    if spec.initial is not None:
        raise ValueError(f"expected a game with its own start, got one that begins in\n{spec.initial}")
    return str(spec)


@dataclass(frozen=True)
class Limits:
    """How much is measured.

    Attributes:
        half_width: a rating is exact enough if half the width of its 95% interval is at most this many Elo points.
        games: the greatest number of games of each part, a multiple of the number of players; 0 for no games, None for
            no limit.
        seconds: after this number of seconds no new opening on a ladder begins; None for no limit.
        ladder: the `othello_env.arena.benchmark.ladder.Ladder` of the rating; None for the packaged one of the game.
    """

    half_width: float = 25.0
    games: int | None = None
    seconds: float | None = None
    ladder: Any = None


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes:
        columns: the names of the columns that are shown, the first with texts.
        rows: the rows. A row has a text, a whole number or a `Number` by the name of its column. It may have more plain
            values, which are only written to JSON.
        chance: what `Number.chance` is in this table, such as ``expected`` or ``at random``.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    chance: str = "at random"

    def texts(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The titles of the columns, and the rows as texts. An interval and a chance have columns of their own."""
        titles: list[str] = []
        columns: list[list[str]] = []
        for name in self.columns:
            cells = [row[name] for row in self.rows]
            numbers = [cell for cell in cells if isinstance(cell, Number)]
            texts = {name: [each.value_text if isinstance(each, Number) else str(each) for each in cells]}
            if len(numbers) == len(cells):
                texts |= {"95% interval": [each.interval_text for each in numbers]}
                texts |= {self.chance: [each.chance_text for each in numbers]}
            shown = [title for title, column in texts.items() if title == name or any(column)]
            titles += shown
            columns += [texts[title] for title in shown]
        return tuple(titles), list(zip(*columns, strict=True))

    def to_json(self) -> dict[str, Any]:
        """The table as plain values."""
        rows = [
            {name: cell.to_json() if isinstance(cell, Number) else cell for name, cell in row.items()}
            for row in self.rows
        ]
        return {"columns": [*self.columns], "chance": self.chance, "rows": rows}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Table:
        """A table from the values that `to_json` gives."""
        rows = [
            {name: Number.from_json(cell) if isinstance(cell, dict) else cell for name, cell in row.items()}
            for row in values["rows"]
        ]
        columns = tuple(map(str, values["columns"]))
        if not all({*columns} <= {*row} for row in rows):
            raise ValueError(f"expected the columns {', '.join(columns)} in every row")
        return cls(columns, tuple(rows), str(values["chance"]))


class Part:
    """One thing that was measured. A subclass gives what it has, by the properties below.

    Attributes:
        part: the part's name, in small letters. It is also the name of the files with its chart, games and rows.
    """

    part = "part"

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers that were measured, the main one first."""
        raise NotImplementedError

    @property
    def how(self) -> str:
        """How they were measured, in a few words, such as the positions' name and their number."""
        return ""

    @property
    def tables(self) -> tuple[Table, ...]:
        """Tables of results."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Further results, as sentences."""
        return ()

    @property
    def faults(self) -> Sequence[str]:
        """The reasons for illegal and failed answers."""
        return ()

    @property
    def details(self) -> Mapping[str, Any] | None:
        """Further results, as plain values that are only written to JSON."""
        return None

    @property
    def records(self) -> Sequence[GameRecord]:
        """The games that were played, with the agent under the name ``agent``."""
        return ()

    def position_rows(self) -> Sequence[Mapping[str, Any]]:
        """A row of plain values for each position in which the agent was asked."""
        return ()

    def status(self) -> tuple[str, ...]:
        """Words for a line that shows the progress."""
        return ()

    def chart(self, name: str) -> Figure | None:
        """A chart of the results, with the agent's name in it; or None."""
        return None

    def to_json(self) -> dict[str, Any]:
        """The part as plain values."""
        return {
            "part": self.part,
            "how": self.how,
            "numbers": [number.to_json() for number in self.numbers],
            "tables": [table.to_json() for table in self.tables],
            "notes": [*self.notes],
            "illegal_or_failed": len(self.faults),
            **(self.details or {}),
        }


@dataclass(frozen=True)
class Found(Part):
    """A part whose results are given, for example read from JSON."""

    part: str  # below, fields of a frozen dataclass take the place of properties
    numbers: tuple[Number, ...] = ()  # pyright: ignore[reportIncompatibleMethodOverride]
    how: str = ""  # pyright: ignore[reportIncompatibleMethodOverride]
    tables: tuple[Table, ...] = ()  # pyright: ignore[reportIncompatibleMethodOverride]
    notes: tuple[str, ...] = ()  # pyright: ignore[reportIncompatibleMethodOverride]
    faults: tuple[str, ...] = ()  # pyright: ignore[reportIncompatibleMethodOverride]
    details: Mapping[str, Any] | None = None  # pyright: ignore[reportIncompatibleMethodOverride]

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Found:
        """A part from the values that `Part.to_json` gives. Of the faults, only their number is known."""
        known = ("part", "how", "numbers", "tables", "notes", "illegal_or_failed")
        return cls(
            str(values["part"]),
            tuple(map(Number.from_json, values["numbers"])),
            str(values["how"]),
            tuple(map(Table.from_json, values["tables"])),
            tuple(map(str, values["notes"])),
            ("",) * check_whole("illegal_or_failed", values["illegal_or_failed"], 0, _MOST_FAULTS),
            {name: value for name, value in values.items() if name not in known},
        )


@dataclass(frozen=True)
class Report:
    """The results of an agent in a game.

    Attributes:
        agent: the agent's name.
        game: the game, such as ``othello:size=6``.
        parts: what was measured.
        settings: the arguments with which the run can be repeated, as plain values. ``interrupted`` is true if the run
            was not finished, and ``failed`` names the part that raised an error.
    """

    agent: str
    game: str
    parts: tuple[Part, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Report on {self.agent} in {self.game}: {'; '.join(map(str, self.numbers)) or 'nothing measured'}>"

    def __getitem__(self, name: str) -> Number:
        """The number of this name.

        Raises:
            KeyError: there is none.
        """
        for number in self.numbers:
            if number.name == name:
                return number
        raise KeyError(f"{name!r}; there are {', '.join(number.name for number in self.numbers)}")

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of all parts."""
        return tuple(number for part in self.parts for number in part.numbers)

    def head(self, part: Part) -> str:
        """The numbers of a part, and how they were measured, on one line."""
        seed = [f"seed {self.settings['seed']}"] if "seed" in self.settings else []
        how = ", ".join([part.how] * bool(part.how) + seed)
        said = "; ".join(
            f"{each}, at random {each.chance_text}" if each.chance_text else str(each) for each in part.numbers
        )
        return f"{self.agent}: {said}" + (f" ({how})" if how else "")

    def ending(self) -> list[str]:
        """Sentences that say what is missing; none if the run was finished."""
        measured = ", ".join(part.part for part in self.parts) or "nothing"
        said = []
        if self.settings.get("interrupted"):
            said.append(f"The run was interrupted in the part {self.settings['interrupted']}. Measured: {measured}.")
        if self.settings.get("failed"):
            said.append(f"The part {self.settings['failed']} failed. Measured before: {measured}.")
        return said

    def to_markdown(self) -> str:
        """The report as a Markdown page."""
        lines = [f"# {self.agent}", ""]
        for part in self.parts:
            lines += [self.head(part), ""] if part.numbers else []
            for table in part.tables:
                lines += [*markdown_table(*table.texts()), ""]
            lines += [*(f"- {note}" for note in part.notes), ""] if part.notes else []
        return "\n".join([*lines, *(f"- {said}" for said in self.ending()), ""])

    def to_json(self) -> dict[str, Any]:
        """The report as plain values: scores and shares from 0 to 1, differences and losses in discs."""
        head = {"format": FORMAT, "agent": self.agent, "game": self.game, "version": version("othello-env")}
        return head | {"settings": dict(self.settings), "parts": [part.to_json() for part in self.parts]}

    @classmethod
    def from_json(cls, values: Any) -> Report:
        """A report from the values that `to_json` gives.

        Raises:
            ValueError: they are other values.
        """
        if not isinstance(values, Mapping) or values.get("format") != FORMAT:
            raise ValueError(f'expected a report, {{"format": "{FORMAT}", ...}}, got {values!r:.60}')
        try:
            parts = tuple(map(Found.from_json, values["parts"]))
            return cls(str(values["agent"]), str(values["game"]), parts, dict(values["settings"]))
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"a report is damaged: {type(error).__name__}: {error}") from None


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown. The first column is left-aligned, all other columns are right-aligned."""
    cells = [columns, ("---", *["---:"] * (len(columns) - 1)), *rows]
    return [f"| {' | '.join(row)} |" for row in cells]
