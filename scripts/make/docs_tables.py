"""Write the tables of the pages that are made from the package, a chart of all ratings, and one of the steps.


    python scripts/make/docs_tables.py

What an agent does is the first sentence of its docstring, and its options are the parameters of its constructor or of
the function that makes it. The ratings are those of the packaged ladders. The steps from the first recipe to the
strongest agent are in ``docs/ratings.json``.
"""

import inspect
import json
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from statistics import mean
from typing import Any

import tyro

from othello_env.agent.spec import split_spec
from othello_env.arena.benchmark.ladder import LADDERS, load_ladder, rated_agents, rated_programs
from othello_env.arena.number import elo_text, interval_text
from othello_env.drawing.charts import Row, png, row_chart

DOCS = Path(__file__).parents[2] / "docs"
NOT_OPTIONS = ("path", "seed", "ask", "tell")


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    docs: Path = DOCS  # the folder of the pages


def purpose(made_by: Any) -> str:
    """The first sentence of the docstring of an agent's class, or of the function that makes the agent."""
    paragraph = " ".join((inspect.getdoc(made_by) or "").partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".").replace("``", "`")


def options(made_by: Any) -> str:
    """The options of a spec with their defaults; an option without a default, or with None, has only its name."""
    texts = []
    for name, parameter in inspect.signature(made_by).parameters.items():
        default = getattr(parameter.default, "name", parameter.default)
        if name in NOT_OPTIONS:
            continue
        if default in (None, parameter.empty):
            texts.append(f"`{name}`")
        else:
            text = f"{default:g}" if isinstance(default, float) else str(default).lower()
            texts.append(f"`{name}={text}`")
    return ", ".join(texts)


def ratings(name: str) -> str:
    """The lowest and the highest rating of an agent on the ladder for 8x8, over all options with which it is rated."""
    rated = (*load_ladder().rungs, *rated_agents())
    found = [rung.elo for rung in rated if split_spec(rung.spec)[0] == name]
    return " to ".join(dict.fromkeys(map(elo_text, (min(found), max(found))))) if found else ""


def row(point: EntryPoint) -> str:
    spec = f"FILE{point.name}" if point.name.startswith(".") else point.name
    made_by = point.load()
    return f"| `{spec}` | {purpose(made_by)} | {options(made_by)} | {ratings(point.name)} |\n"


def agents() -> str:
    """The table of all agents in Markdown, in the order of their names, then the files."""
    points = entry_points(group="othello_env.agents")
    packaged = [point for point in points if point.value.startswith("othello_agents.")]
    packaged.sort(key=lambda point: (point.name.startswith("."), point.name))
    head = "| spec | what it does | options and their defaults | Elo on `ladder-v0` |\n|---|---|---|---|\n"
    return head + "".join(map(row, packaged))


def ladder(game: str) -> str:
    """The table of a ladder in Markdown."""
    text = "| rung | Elo | 95% interval | games |\n|---|---|---|---|\n"
    for number, rung in enumerate(load_ladder(game).rungs):
        interval = interval_text(*rung.interval, "elo") if number else "by definition"
        text += f"| `{rung.spec}` | {elo_text(rung.elo)} | {interval} | {rung.games:,} |\n"
    return text


def over_seeds(texts: list[str]) -> str:
    """The ratings of several seeds as their mean with the lowest and the highest; that of one seed as a number."""
    elos = [float(text.split()[0]) for text in texts]
    if len(elos) < 2:
        return "".join(map(elo_text, elos))
    return f"{elo_text(mean(elos))} ({interval_text(min(elos), max(elos), 'elo')})"


def steps() -> list[dict[str, Any]]:
    """The steps of `docs/ratings.json`, with the ratings of each, ``elo`` and ``searched``, as lists of texts."""
    figures = json.loads((DOCS / "ratings.json").read_text(encoding="utf-8"))
    found = figures[LADDERS["othello"]]
    return [
        step | {kind: found[step[kind]] if kind in step else [] for kind in ("elo", "searched")}
        for step in figures["steps"]
    ]


def steps_table() -> str:
    """The table of the steps in Markdown."""
    text = "| change | minutes | Elo | Elo, searched | command |\n|---|---|---|---|---|\n"
    for step in steps():
        elo, searched = over_seeds(step["elo"]), over_seeds(step["searched"])
        searched += f", {step['search']}" if searched else ""
        text += f"| {step['change']} | {step['minutes']} | {elo} | {searched} | `{step['command']}` |\n"
    return text


def steps_chart() -> bytes:
    """A chart of the steps, as a PNG: the mean of the seeds' ratings, the lowest and the highest."""
    rows = []
    for step in steps():
        for kind, label in (("elo", step["change"]), ("searched", f"the same, {step.get('search')}")):
            if elos := [float(text.split()[0]) for text in step[kind]]:
                value = mean(elos)
                rows.append(Row(label, value, min(elos), max(elos), elo_text(value), own=kind == "searched"))
    subtitle = "one core; the mean of the seeds, the lowest and the highest; searched: orange"
    return png(
        row_chart("From the first recipe to the strongest agent", subtitle, rows, f"Elo on {LADDERS['othello']}")
    )


def programs() -> str:
    """The table of programs of other people in Markdown."""
    text = "| program | Elo | 95% interval | games |\n|---|---|---|---|\n"
    for rated in rated_programs():
        text += f"| {rated.spec} | {elo_text(rated.elo)} | {interval_text(*rated.interval, 'elo')} | {rated.games} |\n"
    return text


def scale(docs: Path) -> bytes:
    """A chart of the rungs, of the packaged and trained agents, and of programs of other people (marked)."""
    packaged = [
        Row(each.spec, each.elo, *each.interval, elo_text(each.elo)) for each in (*load_ladder().rungs, *rated_agents())
    ]
    others = [Row(each.spec, each.elo, *each.interval, elo_text(each.elo), own=True) for each in rated_programs()]
    trained = []
    for name, texts in json.loads((docs / "ratings.json").read_text(encoding="utf-8"))[LADDERS["othello"]].items():
        if name.startswith("the same"):  # of the entry before it, with another setting
            continue
        runs = [float(text.split()[0]) for text in texts]
        trained.append(Row(name, sum(runs) / len(runs), min(runs), max(runs), elo_text(sum(runs) / len(runs))))
    rows = sorted([*packaged, *others, *trained], key=lambda row: -row.value)
    subtitle = "95% intervals (trained agents: range of runs); orange: programs of other people"
    return png(row_chart(f"Ratings on {LADDERS['othello']}", subtitle, rows, "Elo"))


def tables() -> dict[tuple[str, str], str]:
    """Each table by its page and the name between its marks."""
    made = {("how-to/measure.md", f"ladder {game}"): ladder(game) for game in LADDERS}
    return {
        ("agents/index.md", "agents"): agents(),
        ("how-to/measure.md", "programs"): programs(),
        ("tutorials/elo.md", "steps"): steps_table(),
        **made,
    }


def main(args: Args) -> None:
    for (page, name), table in tables().items():
        file = args.docs / page
        begin, end = f"<!-- {name}: made by scripts/make/docs_tables.py -->\n", f"<!-- end of {name} -->\n"
        before, found, rest = file.read_text(encoding="utf-8").partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            sys.exit(f"{file} has no place for the table {name!r}")
        file.write_text(f"{before}{begin}\n{table}\n{end}{after}", encoding="utf-8")
        print(f"{file} has the table {name!r}")
    (args.docs / "scale.png").write_bytes(scale(args.docs))
    (args.docs / "elo.png").write_bytes(steps_chart())


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
