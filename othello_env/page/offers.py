"""The agents that a page offers. For each game, the packaged agents are listed from the weakest to the strongest."""

from dataclasses import dataclass

from othello_env.agent import Agent, WrongGameError
from othello_env.page.messages import GAMES, PageGame

__all__ = ["FIRST_REQUESTS", "PACKAGED", "Offer", "games_of"]


@dataclass(frozen=True, slots=True)
class Offer:
    """An agent that a page may ask.

    Attributes:
        spec: the agent's spec.
        label: the agent's strength in a word or two.
        games: the games of `GAMES` that the agent plays.
    """

    spec: str
    label: str = ""
    games: tuple[str, ...] = GAMES


_OTHELLO = tuple(game for game in GAMES if game.startswith("othello"))
_TWO = (*_OTHELLO, "checkers")

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
    Offer("tribolo", "club", ("tribolo",)),
    Offer("paranoid:depth=2", "strong", ("tribolo",)),
    Offer("maxn:depth=2", "strong", ("tribolo",)),
)


def games_of(agent: Agent) -> tuple[str, ...]:
    """The games of the page that an agent plays."""
    return tuple(game for game in GAMES if _plays(agent, game))


def _plays(agent: Agent, game: str) -> bool:
    try:
        agent.check_game(PageGame(game).start())
    except WrongGameError:
        return False
    return True


FIRST_REQUESTS = tuple(
    {"spec": offer.spec, "task": task, "record": PageGame(played).to_json()}
    for offer in PACKAGED
    if ":ms=" not in offer.spec  # the same agent with another time limit runs the same machine code
    for game in offer.games
    for task, played in (("move", game), ("actions", game), ("exact", "othello:size=4"))
    if ":" not in game  # other sizes run the same machine code
)
"""Answering each of these requests once compiles everything that the packaged agents need."""
