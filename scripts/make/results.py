"""Measure the published results that are missing, and draw the tables and pictures of the documentation from them.

    python scripts/make/results.py                                # only draws
    python scripts/make/results.py --measure                      # what docs/results.json does not have yet
    python scripts/make/results.py --measure --names dqn train    # only results whose names begin so
    python scripts/make/results.py --measure --again --names dqn  # also what another commit measured

To measure all takes days. Ctrl-C ends it; the same command goes on later, and repeats at most the training of one seed.
The agents are written to the folder ``runs/results``. Each seed of a result has its commit, its date, whether the
machine has AVX-512, the CPU minutes of the commands, and its numbers with 95% intervals: ratings of
``othello-env benchmark AGENT --within 40``, or the score of a match.

The other tables are made from the package: what an agent does is the first sentence of its docstring, and its options
are the parameters of its constructor or of the function that makes it. ``--agents`` rates the packaged agents that are
no rungs, as ``othello-env benchmark`` does, and writes ``othello_env/arena/benchmark/agents-v0.json``.
"""

import inspect
import json
import re
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from statistics import mean
from typing import Any

import tyro

from othello_env import place, play_match
from othello_env.agent.spec import split_spec
from othello_env.arena.benchmark.ladder import LADDERS, Rung, load_ladder, rated_agents, rated_programs
from othello_env.arena.number import elo_text, interval_text, score_text
from othello_env.drawing.charts import Row, png, row_chart
from othello_env.support.files import write_file, write_json

ROOT = Path(__file__).parents[2]
NOT_OPTIONS = ("path", "seed", "ask", "tell")
MADE_BY = "made by scripts/make/results.py"
AGENTS = {
    "othello": ("alphabeta:depth=3,eval=weighted", "alphabeta:depth=6", "mcts", "engine:depth=4", "engine"),
    "othello:size=6": ("alphabeta:depth=2", "alphabeta:depth=6", "mcts", "engine:depth=4", "engine"),
    "checkers": ("maximizer", "alphabeta:depth=2", "alphabeta:depth=5"),
    "tribolo": (),
}
"""The packaged agents that are rated beside the rungs of the ladders."""
RESPONSES = {
    "random": (480_000, 2000),
    "maximizer:eval=weighted": (480_000, 2000),
    "alphabeta:depth=2,eval=weighted": (440_320, 2000),
    "alphabeta:depth=4,eval=weighted": (256_000, 2000),
    "mcts": (3_200, 200),
    "ntuple": (2_000_000, 2000),
    "engine:depth=4": (51_200, 1000),
}
"""The agents that others learn to beat, the games of training (a minute against the weak ones, else about five), and
those of the match.
"""
LEAGUE = "maximizer:eval=swh,epsilon=0.1"


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    measure: bool = False  # measure what is missing
    names: tuple[str, ...] = ()  # only results whose names begin with one of these words; the default is all
    again: bool = False  # measure also what has numbers of another commit
    docs: Path = ROOT / "docs"  # the folder of the pages and of results.json
    runs: Path = ROOT / "runs" / "results"  # the folder of the trained agents
    agents: Path | None = None  # rate the packaged agents, and write this file


@dataclass(frozen=True)
class Result:
    """A published result: a command that makes an agent, and what is measured of the agent."""

    name: str  # in results.json
    command: str = ""  # with {seed} and {out}, a file without a suffix; empty if this script cannot make it again
    numbers: dict[str, str] = field(default_factory=dict)  # what is measured: by its name, the agent's spec with {out}
    seeds: int = 3  # their number: 1, 2 and so on
    title: str = ""  # of its row in the table of steps; empty if it has none
    shown: tuple[str, str] = ("Elo", "")  # the numbers in this table: of the agent alone, and in a search
    search: str = ""  # the words about the search
    against: str = ""  # the opponent of a match; empty for a rating
    openings: str = "balanced-v1"  # of the match
    games: int = 2000  # of the match
    game: str = "othello"


def recipe(name: str, words: str, title: str = "", searches: tuple[str, ...] = (), **options: Any) -> Result:
    """The result of a recipe of ``scripts/train``, rated as it is and with these options of its spec."""
    file = "{out}.safetensors"
    command = f"python scripts/train/{words} --seed {{seed}} --out {file}"
    return Result(name, command, {"Elo": file} | {each: f"{file}:{each}" for each in searches}, title=title, **options)


def train(games: int, title: str, seeds: int = 3, depth: int = 1) -> Result:
    """The result of games of self-play at one ply, and then of searches if `depth` is more, rated with and without."""
    command = f"othello-env train --games {games} --depth {depth} --seed {{seed}} --out {{out}}.npz"
    numbers = {"Elo": "{out}.npz"} | {f"depth={depth}": f"{{out}}.npz:depth={depth}" for depth in (4, 8)}
    return Result(f"train --games {games}", command, numbers, seeds, title, ("Elo", "depth=8"), "depth 8, 1.1 ms")


def against(opponent: str, trained: int, name: str, options: str = "", seeds: int = 1, **match: Any) -> Result:
    """The score against an opponent of an agent that learned to beat it in so many games."""
    command = f"othello-env train --opponent {opponent} --games {trained} --seed {{seed}} --out {{out}}.npz"
    return Result(name, command, {"score": f"{{out}}.npz{options}"}, seeds, against=opponent, **match)


BEST = "best response to "
RESIDUAL = "--network residual --games 128 --rate 2.5e-3 --entropy 0.02 --gae-lambda 0.95 --precision bfloat16"
STRONG = "othello-env data make match engine:depth=4,exact=12,eval=ntuple,epsilon=0.05 --games 6000 --out {out}-games"
ALPHAZERO = tuple(f"simulations={simulations}" for simulations in (16, 128, 512))
RESULTS = (
    recipe("dqn.py", "dqn.py", "DQN"),
    recipe("dqn.py --network convolution", "dqn.py --network convolution", "a convolution, with legal moves"),
    recipe("self_play.py", "self_play.py", "both sides: self-play"),
    recipe(
        "ppo.py --network residual, 60 minutes",
        f"ppo.py {RESIDUAL} --seconds 3600",
        "PPO with past selves, a convolution",
        ("symmetric=true",),
    ),
    recipe(
        "ppo.py, 166 iterations",
        "ppo.py --iterations 166",
        "a better network: afterstates",
        ("depth=5",),
        shown=("Elo", "depth=5"),
        search="depth 5, 0.6 ms",
    ),
    recipe("ppo.py, 30 minutes", "ppo.py --seconds 1800", "the same, 30 minutes", ("depth=5",)),
    recipe(
        "ppo.py, 997 iterations",
        "ppo.py --iterations 997",
        "the same, another run",
        ("depth=5",),
        seeds=1,
        shown=("Elo", "depth=5"),
        search="depth 5, 0.6 ms",
    ),
    Result(
        "rootstrap.py, 30 iterations",
        "python scripts/train/ppo.py --iterations 166 --seed {seed} --out {out}-ppo.safetensors && python "
        "scripts/train/rootstrap.py --init {out}-ppo.safetensors --iterations 30 --seed {seed} --out {out}.safetensors",
        {"Elo": "{out}.safetensors", "depth=5": "{out}.safetensors:depth=5"},
        title="five minutes of it, then values of its own search",
        shown=("Elo", "depth=5"),
        search="depth 5, 0.6 ms",
    ),
    Result(
        "imitation.py, 60 iterations",
        f"{STRONG} && python scripts/train/imitation.py --games-from {{out}}-games --iterations 60 --seed {{seed}} "
        "--out {out}.safetensors",
        {"Elo": "{out}.safetensors", "depth=5": "{out}.safetensors:depth=5"},
        title="imitation of an engine",
        shown=("Elo", "depth=5"),
        search="depth 5, 0.7 ms",
    ),
    recipe(
        "alphazero.py, 60 minutes",
        "alphazero.py --seconds 3600 --precision bfloat16",
        "AlphaZero",
        (*ALPHAZERO, "symmetric=true", "symmetric=true,simulations=16"),
        seeds=1,
        shown=("Elo", "simulations=128"),
        search="128 simulations",
    ),
    train(434_560, "the n-tuple network"),
    train(2_091_328, "the same, five minutes"),
    train(24_598_272, "the same, an hour", seeds=1),
    train(424_780, "searched games after half a minute", depth=4),
    train(455_940, "the same, five minutes", depth=4),
    train(650_000, "the same, 20 minutes", seeds=1, depth=4),
    train(1_150_000, "the same, an hour", seeds=1, depth=4),
    Result(
        "train --games 600000, 6x6",
        "othello-env train --size 6 --games 600000 --seed {seed} --out {out}.npz",
        {"Elo": "{out}.npz", "depth=4": "{out}.npz:depth=4", "depth=8": "{out}.npz:depth=8"},
        seeds=1,
        game="othello:size=6",
    ),
    recipe(
        "alphazero.py, 60 minutes, 6x6",
        "alphazero.py --size 6 --seconds 3600 --precision bfloat16",
        searches=ALPHAZERO[:1],
        seeds=1,
        game="othello:size=6",
    ),
    Result(
        "quickstart",
        "othello-env quickstart --out {out}",
        {"Elo": "{out}/agent.npz", "depth=4": "{out}/agent.npz:depth=4"},
        seeds=1,
    ),
    against(LEAGUE, 503_040, "Othello League", ":epsilon=0.1", 3, openings="start", games=4000),
    *(against(agent, trained, BEST + agent, games=games) for agent, (trained, games) in RESPONSES.items()),
    Result("MaskablePPO, 3 minutes"),
    Result("league_sb3.py, 10 minutes"),
    Result("sequence_gpt.py, 30 minutes"),
    Result("othello-env export ntuple, 200 ms in node"),
)


def read_results(docs: Path) -> dict[str, dict[str, Any]]:
    """The runs of each result by its name: by the seed, what is known of it."""
    runs: dict[str, dict[str, Any]] = json.loads((docs / "results.json").read_text(encoding="utf-8"))
    return runs


def write_results(docs: Path, found: dict[str, dict[str, Any]]) -> None:
    """Write the runs, one a line."""
    rows = [
        f" {json.dumps(name)}: {{\n"
        + ",\n".join(f"  {json.dumps(seed)}: {json.dumps(run)}" for seed, run in runs.items())
        + "\n }"
        for name, runs in found.items()
    ]
    write_file(docs / "results.json", ("{\n" + ",\n".join(rows) + "\n}\n").encode())


def measured(result: Result, spec: str) -> list[float]:
    """A number of an agent, and the ends of its 95% interval."""
    if result.against:
        match = play_match(spec, result.against, games=result.games, openings=result.openings, game=result.game)
        return [round(each, 4) for each in (match.score, *match.interval)]
    found = place(spec, game=result.game, half_width=40)
    assert found.elo is not None, f"{spec} lost all games"
    return [int(elo_text(each)) for each in (found.elo, *found.interval)]


def measure(result: Result, seed: int, commit: str, runs: Path) -> dict[str, Any]:
    """Run the command of a seed and measure its agent, as far as an earlier call on this commit has not done so."""
    out = runs / f"{re.sub(r'[^a-z0-9]+', '-', result.name.lower())}-{seed}-{commit}"
    kept = Path(f"{out}.result.json")
    if kept.exists():
        run = json.loads(kept.read_text(encoding="utf-8"))
    else:
        for left in runs.glob(f"{out.name}*"):  # by a command that was stopped
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(result.command.format(seed=seed, out=out), shell=True, check=True, cwd=ROOT)  # noqa: S602
        minutes = round((resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) / 60, 1)
        has_avx512 = "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
        run = {"commit": commit, "date": time.strftime("%Y-%m-%d"), "avx512": has_avx512, "minutes": minutes}
        run["numbers"] = {}
        write_json(kept, run)
    for name, spec in result.numbers.items():
        if name not in run["numbers"]:
            run["numbers"][name] = measured(result, spec.format(out=out))
            write_json(kept, run)
    return run


def commit_now() -> str:
    """The first 8 digits of the present commit."""
    git = ["git", "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603


def measure_missing(args: Args, results: tuple[Result, ...] = RESULTS) -> None:
    """Measure what ``results.json`` does not have, and write it after each seed."""
    commit = commit_now()
    args.runs.mkdir(parents=True, exist_ok=True)
    for result in results:
        for seed in range(1, result.seeds + 1) if result.command and result.name.startswith(args.names or "") else ():
            run = read_results(args.docs).get(result.name, {}).get(str(seed))
            if run is None or (args.again and run["commit"] != commit):
                run = measure(result, seed, commit, args.runs.absolute())
                found = read_results(args.docs)  # again: somebody may have written it meanwhile
                found.setdefault(result.name, {})[str(seed)] = run
                write_results(args.docs, found)
                print(result.name, seed, run, flush=True)


def rate_agents(file: Path) -> None:
    """Rate the packaged agents that are no rungs."""
    ladders = {}
    for game, specs in AGENTS.items():
        found = {spec: place(spec, game=game) for spec in specs}
        rungs = [
            Rung(spec, each.elo, each.interval, each.games) for spec, each in found.items() if each.elo is not None
        ]
        ladders[LADDERS[game]] = [rung.to_json() for rung in rungs]
    write_json(file, {"format": "othello-env rated agents 1", **ladders})


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
    """The row of an agent in the table `agents`."""
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
    """The table of a ladder in Markdown; for other games than Othello also with the other rated agents."""
    text, rungs = "| rung | Elo | 95% interval | games |\n|---|---|---|---|\n", [*load_ladder(game).rungs]
    if not game.startswith("othello"):
        rungs = sorted((*rungs, *rated_agents(game)), key=lambda rung: rung.elo)
    for number, rung in enumerate(rungs):
        interval = interval_text(*rung.interval, "elo") if number else "by definition"
        text += f"| `{rung.spec}` | {elo_text(rung.elo)} | {interval} | {rung.games:,} |\n"
    return text


def brief(values: list[float], *, is_score: bool = False) -> str:
    """A number with its interval, if it has one."""
    text, form = (score_text, "score") if is_score else (elo_text, "elo")
    return text(values[0]) + (f" ({interval_text(values[1], values[2], form)})" if len(values) > 1 else "")


def over_seeds(runs: list[list[float]], *, is_score: bool = False) -> str:
    """The numbers of several seeds as their mean with the lowest and the highest; that of one seed as it is."""
    if len(runs) < 2:
        return "".join(brief(each, is_score=is_score) for each in runs)
    values = [each[0] for each in runs]
    return brief([mean(values), min(values), max(values)], is_score=is_score)


def rows(docs: Path) -> list[tuple[Result, dict[str, list[list[float]]], str, str]]:
    """What is known of each result: its numbers of all seeds by their name, its minutes, and where it was measured."""
    found = read_results(docs)
    known = []
    for result in RESULTS:
        if runs := list(found.get(result.name, {}).values()):
            names = dict.fromkeys(name for run in runs for name in run["numbers"])
            numbers = {name: [run["numbers"][name] for run in runs if name in run["numbers"]] for name in names}
            minutes = [run["minutes"] for run in runs if run["minutes"] is not None]
            where = ", ".join(dict.fromkeys(f"`{run['commit']}`" if run["commit"] else run["date"] for run in runs))
            known.append((result, numbers, f"{mean(minutes):.2g}" if minutes else "", where))
    return known


def steps_table(docs: Path) -> str:
    """The table of the steps in Markdown."""
    text = "| change | minutes | Elo | Elo, searched | command | commit |\n|---|---|---|---|---|---|\n"
    for result, numbers, minutes, where in rows(docs):
        if result.title:
            elo, searched = (over_seeds(numbers.get(name, [])) for name in result.shown)
            searched += f", {result.search}" if searched else ""
            command = result.command.split(" && ")[-1].partition(" --seed")[0]
            command = command.replace("{out}-games", "strong").replace("{out}-", "")
            text += f"| {result.title} | {minutes} | {elo} | {searched} | `{command}` | {where} |\n"
    return text


def others_table(docs: Path) -> str:
    """The table in Markdown of what is not in `steps_table` nor in `responses_table`."""
    text = "| result | seeds | numbers | minutes | measured |\n|---|---|---|---|---|\n"
    for result, numbers, minutes, where in rows(docs):
        shown = result.shown if result.title else ()
        cells = [
            f"{name} {over_seeds(runs, is_score=name == 'score')}"
            for name, runs in numbers.items()
            if name not in shown
        ]
        if cells and not result.name.startswith(BEST):
            seeds = max(map(len, numbers.values()))
            text += f"| {result.name} | {seeds} | {'; '.join(cells)} | {minutes} | {where} |\n"
    return text


def responses_table(docs: Path) -> str:
    """The table of best responses in Markdown."""
    elo = {rung.spec: elo_text(rung.elo) for rung in (*load_ladder().rungs, *rated_agents())}
    text = "| agent | Elo | score of the best response | games | minutes | commit |\n|---|---|---|---|---|---|\n"
    for result, numbers, minutes, where in rows(docs):
        if result.name.startswith(BEST):
            score = over_seeds(numbers["score"], is_score=True)
            games = f"{RESPONSES[result.against][0]:,}"
            text += f"| `{result.against}` | {elo[result.against]} | {score} | {games} | {minutes} | {where} |\n"
    return text


def steps_chart(docs: Path) -> bytes:
    """A chart of the steps, as a PNG: the mean of the seeds' ratings, the lowest and the highest."""
    bars = []
    for result, numbers, *_ in rows(docs):
        for name, label in zip(result.shown, (result.title, f"the same, {result.search}"), strict=True):
            if result.title and (elos := [each[0] for each in numbers.get(name, [])]):
                value = mean(elos)
                bars.append(Row(label, value, min(elos), max(elos), elo_text(value), own=name != result.shown[0]))
    subtitle = "one core; the mean of the seeds, the lowest and the highest; searched: orange"
    return png(
        row_chart("From the first recipe to the strongest agent", subtitle, bars, f"Elo on {LADDERS['othello']}")
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
    for result, numbers, *_ in rows(docs):
        for name, runs in numbers.items() if result.game == "othello" and not result.against else ():
            elos = [each[0] for each in runs]
            label = result.name + ("" if name == "Elo" else f", {name}")
            trained.append(Row(label, mean(elos), min(elos), max(elos), elo_text(mean(elos))))
    bars = sorted([*packaged, *others, *trained], key=lambda row: -row.value)
    subtitle = "95% intervals (trained agents: range of runs); orange: programs of other people"
    return png(row_chart(f"Ratings on {LADDERS['othello']}", subtitle, bars, "Elo"))


def tables(docs: Path) -> dict[tuple[str, str], str]:
    """Each table by its page and the name between its marks."""
    made = {
        ("how-to/measure.md" if "othello" in game else f"environments/{game}.md", f"ladder {game}"): ladder(game)
        for game in LADDERS
    }
    return {
        ("agents/index.md", "agents"): agents(),
        ("how-to/measure.md", "programs"): programs(),
        ("results.md", "best responses"): responses_table(docs),
        ("results.md", "others"): others_table(docs),
        ("tutorials/elo.md", "steps"): steps_table(docs),
        **made,
    }


def main(args: Args) -> None:
    if args.agents is not None:
        rate_agents(args.agents)
    if args.measure:
        measure_missing(args)
    for (page, name), table in tables(args.docs).items():
        file = args.docs / page
        begin, end = f"<!-- {name}: {MADE_BY} -->\n", f"<!-- end of {name} -->\n"
        before, found, rest = file.read_text(encoding="utf-8").partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            sys.exit(f"{file} has no place for the table {name!r}")
        file.write_text(f"{before}{begin}\n{table}\n{end}{after}", encoding="utf-8")
        print(f"{file} has the table {name!r}")
    (args.docs / "scale.png").write_bytes(scale(args.docs))
    (args.docs / "elo.png").write_bytes(steps_chart(args.docs))


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
