"""The packaged agents that a page offers, for each game from the weakest to the strongest."""

from othello_env.agent import Agent, WrongGameError
from othello_env.page.app import Offer
from othello_env.page.messages import GAMES, GameRecord

__all__ = ["FIRST_REQUESTS", "PACKAGED", "games_of"]

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
    """Those of the page's games that an agent plays."""
    return tuple(game for game in GAMES if _plays(agent, game))


def _plays(agent: Agent, game: str) -> bool:
    try:
        agent.check_game(GameRecord(game).start())
    except WrongGameError:
        return False
    return True


FIRST_REQUESTS = tuple(
    {"spec": offer.spec, "task": task, "record": GameRecord(played).to_json()}
    for offer in PACKAGED
    if ":ms=" not in offer.spec  # which runs the same machine code for longer
    for game in offer.games
    for task, played in (("move", game), ("actions", game), ("exact", "othello:size=4"))
    if ":" not in game  # other sizes run the same machine code
)
"""What compiles all that the packaged agents need, if `othello_env.page.worker` answers it once."""
