"""The agents that a page offers, and the options of these agents that a page may change.

A spec is a text that names an agent and its options, such as ``alphabeta:depth=4`` (see `othello_env.agent.spec`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from othello_env.agent import Agent, SpecError, WrongGameError, make_agent, option_text, spec_text
from othello_env.agent.spec import number_options, split_spec
from othello_env.arena.benchmark.ladder import LADDERS, load_ladder, rated_agents
from othello_env.arena.number import elo_text
from othello_env.page.assessment import powers
from othello_env.page.messages import MessageError, PageGame, page_games

__all__ = [
    "CHECKPOINT",
    "FIRST_REQUESTS",
    "PACKAGED",
    "SETTINGS",
    "Offer",
    "Offers",
    "games_of",
    "given",
    "with_network",
]

CHECKPOINT = "checkpoint"
"""The label of an agent that was found in the folder that the server watches."""

SETTINGS = {
    "depth": (1, 30),
    "ms": (1, 60_000),
    "nodes": (1, 1_000_000_000),
    "exact": (0, 20),
    "simulations": (0, 100_000),
    "exploration": (0, 10),
    "temperature": (0, 10),
    "epsilon": (0, 1),
}
"""The options of agents that a page may change, each with its smallest and its largest value."""
_LONGEST = 4000  # the most characters of a spec
_DEEPEST_FIRST = 11  # deeper searches take too long to be only the first of several


@dataclass(frozen=True, slots=True)
class Offer:
    """An agent that a page may ask for moves, values and reviews.

    Attributes:
        spec: the agent's spec.
        label: a word or two about the agent, such as its strength.
        games: the games in `page_games` that the agent plays.
        powers: the agent's optional methods that give values; see `othello_env.page.assessment.powers`.
        version: the text ``TIME-SIZE`` if the agent's file is in the folder that the server watches, otherwise an empty
            text. TIME is the time of the file's last change in ns, and SIZE is the file's size in bytes.
        given: whether the agent was given to the command ``othello-env serve``.
    """

    spec: str
    label: str = ""
    games: tuple[str, ...] = field(default_factory=page_games)
    powers: tuple[str, ...] = ()
    version: str = ""
    given: bool = False

    def to_json(self) -> dict[str, Any]:
        """The offer as values for JSON.

        ``elo`` has the agent's rating, as text, in each game that has a packaged ladder, if the rating is known.
        ``head`` is the agent's name. ``settings`` are the options that a page may change. The ``value`` of such an
        option is its number in the spec, as text. It is empty if the spec does not have this option. ``fixed`` are the
        other options in the spec, as text.
        """
        head, options = split_spec(self.spec)
        settings = [
            {
                "name": name,
                "least": least,
                "most": most,
                "isInteger": kind is int,
                "value": options.get(name, ""),
            }
            for name, kind in self.settings().items()
            for least, most in [SETTINGS[name]]
        ]
        fixed = [option_text(name, value) for name, value in options.items() if name not in self.settings()]
        elo = {game: elo_text(ratings[self.spec]) for game, ratings in _ratings().items() if self.spec in ratings}
        shown = {"spec": self.spec, "label": self.label, "given": self.given, "version": self.version}
        shown |= {"games": list(self.games), "powers": list(self.powers), "elo": elo}
        return shown | {"head": head, "fixed": fixed, "settings": settings}

    def shallower(self, spec: str) -> list[str]:
        """The specs of the same agent with less deep searches, if its search has a depth: every second depth from 2.

        The values of a shallow search come at once, and a page shows them until those of the deeper one are there.
        """
        head, options = split_spec(spec)
        if "depth" not in self.settings():
            return []
        depth = int(options.get("depth", _DEEPEST_FIRST if {"ms", "nodes"} & {*options} else 0))
        return [spec_text(head, options | {"depth": less}) for less in range(2, min(depth, _DEEPEST_FIRST), 2)]

    def settings(self) -> dict[str, type]:
        """The names of the options that a page may change, and the type of each: ``int`` or ``float``."""
        known = number_options(self.spec)
        return {name: known[name] for name in SETTINGS if name in known}

    def allows(self, spec: str) -> bool:
        """Whether a page may use a spec.

        The spec may differ from this offer's spec only in options that a page may change, and the new values must be
        within their bounds.
        """
        try:
            (head, options), (mine, own) = split_spec(spec), split_spec(self.spec)
        except SpecError:
            return False
        settings = self.settings()
        changed = {name for name in {**options, **own} if options.get(name) != own.get(name)}
        return (
            head == mine
            and changed <= {*settings}
            and all(_is_within(options[name], settings[name], *SETTINGS[name]) for name in changed if name in options)
        )


def _is_within(text: str, kind: type, least: float, most: float) -> bool:
    try:
        return bool(least <= kind(text) <= most)
    except ValueError:
        return False


class Offers:
    """The agents that a page may ask.

    Args:
        offers: the agents, in the order in which the page lists them.

    Attributes:
        found: more agents, which the server found in the folder that it watches. The page lists these agents directly
            after the agents that were given.
    """

    def __init__(self, offers: Sequence[Offer]) -> None:
        self._offers = tuple(offers)
        self.found: tuple[Offer, ...] = ()

    def __iter__(self) -> Iterator[Offer]:
        by_spec = {offer.spec: offer for offer in self.found}
        # The file of a given agent may also be in the watched folder. The page then lists this agent once, with the
        # file's version.
        known = [replace(by_spec.pop(o.spec, o), label=o.label, given=o.given) for o in self._offers]
        first = [offer for offer in known if offer.given]
        others = [offer for offer in known if not offer.given]
        return iter([*first, *by_spec.values(), *others])

    def to_json(self) -> list[dict[str, Any]]:
        """The offers as values for JSON."""
        return [offer.to_json() for offer in self]

    def find(self, spec: object) -> tuple[str, Offer]:
        """Check that a page may ask the agent with this spec. Return the spec, and the offer that allows the spec.

        The spec must be an offer's spec, or differ from an offer's spec only in options that a page may change.

        Raises:
            MessageError: the page may not ask this agent.
        """
        if isinstance(spec, str) and len(spec) <= _LONGEST:
            exact = [offer for offer in self if offer.spec == spec]
            if able := exact or [offer for offer in self if offer.allows(spec)]:
                return spec, able[0]
        known = ", ".join(offer.spec for offer in self)
        raise MessageError(f"agent is one of {known}, perhaps with other numbers for {', '.join(SETTINGS)}")


_OTHELLO = tuple(game for game in page_games() if game.startswith("othello"))
_TWO = (*_OTHELLO, "checkers")

# The agents of each game are in order of strength, the weakest first.
PACKAGED = (
    Offer("random", "newcomer"),
    Offer("maximizer:eval=weighted", "beginner", _OTHELLO),
    Offer("alphabeta:depth=2", "casual", _TWO),
    Offer("alphabeta:depth=4", "club", _TWO),
    Offer("alphabeta:depth=6", "strong club", _TWO),
    Offer("mcts", "tree search", _OTHELLO),
    Offer("ntuple", "learned by self-play", ("othello", "othello:size=6")),
    Offer("engine:depth=4", "strong", _OTHELLO),
    Offer("engine", "expert", _OTHELLO),
    Offer("engine:ms=2000", "master", _OTHELLO),
    Offer("perfect", "perfect play", ("othello:size=6", "othello:size=4")),
    Offer("tribolo", "club", ("tribolo",)),
    Offer("paranoid:depth=2", "strong", ("tribolo",)),
    Offer("maxn:depth=2", "strong", ("tribolo",)),
)


@cache
def _ratings() -> dict[str, dict[str, float]]:
    """For each game with a packaged ladder, the Elo ratings of agents, by their specs."""
    ratings = {}
    for game in LADDERS:
        known = {rung.spec: rung.elo for rung in (*load_ladder(game).rungs, *rated_agents(game))}
        # Without `eval`, these agents take the evaluation `standard`, which is `weighted` in Othello.
        ratings[game] = known | {spec.removesuffix(",eval=weighted"): elo for spec, elo in known.items()}
    return ratings


def games_of(agent: Agent) -> tuple[str, ...]:
    """The games of the page that an agent plays."""
    return tuple(game for game in page_games() if _plays(agent, game))


def given(specs: Sequence[str], network: str | None = None) -> list[Offer]:
    """The offers of a page whose command names these agents: these agents first, then the packaged ones.

    Args:
        specs: the agents.
        network: the function that makes the networks in files of weights that need one, such as ``nets.py:make``.

    Raises:
        ValueError: a spec names no agent.
    """
    labels = {offer.spec: offer.label for offer in PACKAGED}
    first = []
    for spec in dict.fromkeys(specs):
        try:
            used, agent = spec, make_agent(spec)
        except ValueError:
            if (used := with_network(spec, network)) == spec:
                raise
            agent = make_agent(used)
        first.append(Offer(used, labels.get(used, ""), games_of(agent), powers(agent), given=True))
    others = [offer for offer in PACKAGED if offer.spec not in specs]
    return [*first, *(replace(offer, powers=powers(make_agent(offer.spec))) for offer in others)]


def with_network(spec: str, network: str | None) -> str:
    """The spec of a file of weights, with the function that makes its network. Other specs are not changed."""
    is_weights = network is not None and Path(spec).suffix == ".safetensors"
    return spec_text(spec, {"network": network}) if is_weights else spec


def _plays(agent: Agent, game: str) -> bool:
    try:
        agent.check_game(PageGame(game).start())
    except WrongGameError:
        return False
    return True


FIRST_REQUESTS = tuple(
    {"spec": offer.spec, "task": task, "record": PageGame(game).to_json()}
    for offer in PACKAGED
    if ":ms=" not in offer.spec  # `engine:ms=2000` needs the same compiled code as `engine`
    for game in offer.games
    if ":" not in game or offer.spec == "perfect"  # other agents need the same compiled code on all boards
    for task in ("move", "assess")
)
"""Requests that make the packaged agents compile all their code. Without them, code is compiled at its first use."""
