"""Write the table of all agents in ``docs/agents/index.md`` from the agents themselves.

    python scripts/make/agents_page.py

What an agent does is the first sentence of its docstring, and its options are the parameters of its constructor. The
ratings are those of the packaged ladder.
"""

import inspect
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, get_type_hints

import tyro

from othello_env.agent.spec import split_spec
from othello_env.arena.rating.ladder import load_ladder

PAGE = Path(__file__).parents[2] / "docs" / "agents" / "index.md"
BEGIN, END = "<!-- agents: scripts/make/agents_page.py writes this table -->\n", "<!-- end of the table -->\n"
NOT_OPTIONS = ("path", "seed", "ask", "tell")


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    page: Path = PAGE  # the page that has the table


def purpose(made_by: Any) -> str:
    """The first sentence of the docstring of an agent's class."""
    agent = made_by if inspect.isclass(made_by) else get_type_hints(made_by)["return"]
    paragraph = " ".join((inspect.getdoc(agent) or "").partition("\n\n")[0].split())
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
    """The ratings of an agent's rungs on the ladder for 8x8."""
    found = []
    for rung in load_ladder().rungs:
        head, _ = split_spec(rung.spec)
        if head == name:
            given = rung.spec.partition(":")[2]
            found.append(f"`{given}`: {rung.elo:.0f}" if given else f"{rung.elo:.0f}")
    return "; ".join(found)


def row(point: EntryPoint) -> str:
    spec = f"FILE{point.name}" if point.name.startswith(".") else point.name
    made_by = point.load()
    return f"| `{spec}` | {purpose(made_by)} | {options(made_by)} | {ratings(point.name)} |\n"


def table() -> str:
    """The table in Markdown: the agents in the order of their names, then the files."""
    packaged = [
        point for point in entry_points(group="othello_env.agents") if point.value.startswith("othello_agents.")
    ]
    packaged.sort(key=lambda point: (point.name.startswith("."), point.name))
    head = "| spec | what it does | options and their defaults | Elo on `ladder-v0` |\n|---|---|---|---|\n"
    return head + "".join(map(row, packaged))


def main(args: Args) -> None:
    text = args.page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    args.page.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")
    print(f"{args.page} has the table")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
