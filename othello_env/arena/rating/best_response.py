"""How exploitable is a policy on 6x6: an opponent that is searched against this policy alone, within a budget.

On 4x4, `othello_env.arena.exploitability` looks at all games and is exact. On 6x6, there are too many games, so the
search has a budget, and what it finds is a lower bound: a better opponent may exist.

The search knows the policy's answers. It begins with the game in which the policy plays both sides. Wherever the
opponent had a choice in a game, another choice gives another game, which the policy then continues for both sides. The
game that is worst for the policy so far is taken first, and all its other choices are tried. Each result is that of a
game that really was played, so the bound needs no evaluation. If no choice is left, the result is exact.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from othello_env.agent import Agent, Policy, Seat, make_agent
from othello_env.arena.rating.benchmark import solved_openings
from othello_env.games.game import check_seed
from othello_env.games.hashing import mix_int
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_whole

__all__ = ["BestResponse", "best_response"]


@dataclass(frozen=True)
class BestResponse:
    """The best opponent of an agent that a search found, one in each seat. Seat 0 is Black, seat 1 is White.

    Attributes:
        perfect: in each seat, the margin in discs that the agent would have if both sides played perfectly.
        found: in each seat, the agent's margin in the worst game that was found.
        games: in each seat, the moves of this game.
        positions: the number of positions in which the agent was asked for a move.
        exact: whether all choices of the opponent were tried. Then no opponent is better.
    """

    perfect: tuple[float, float]
    found: tuple[float, float]
    games: tuple[str, str]
    positions: int
    exact: bool

    def __repr__(self) -> str:
        games = zip(Othello.player_names, self.found, self.games, strict=True)
        told = ", ".join(f"{margin:+g} as {colour} in {moves}" for colour, margin, moves in games)
        bound = "" if self.exact else "at least "
        return f"<BestResponse {bound}{self.discs:.1f} discs a game below perfect play: {told}>"

    @property
    def discs(self) -> float:
        """The mean of `perfect` minus `found` over both seats: a lower bound of the exploitability in discs.

        If `found` is more than `perfect`, the difference counts 0: a perfect opponent allows no more.
        """
        return sum(max(best - worst, 0) for best, worst in zip(self.perfect, self.found, strict=True)) / 2


def best_response(agent: str | Agent | Policy, *, size: int = 6, budget: int = 20_000, seed: int = 0) -> BestResponse:
    """Search an opponent that wins as many discs as possible against an agent, from the start of the game.

    The agent is asked once for its move in a position, so its games are those of an agent that always gives these
    answers. If an agent moves at random, the seed fixes its choices, and the opponent knows them; then the result is no
    lower bound for an opponent that does not know them.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        size: the board's height and width, 6 or 4.
        budget: the search ends after the agent was asked in this number of positions, in both seats together; the last
            game is finished. On 6x6, take thousands. The budget does not limit the time that the agent takes.
        seed: determines the agent's random choices. The search itself has none.

    Raises:
        AgentError: the agent gave an illegal answer.
        TypeError: the budget or the seed is not an integer.
        ValueError: the size is neither 6 nor 4, the budget is below 2, or the seed is negative.
        WrongGameError: the agent does not play Othello on boards of this size.

    >>> found = best_response("maximizer:eval=count", size=4, budget=200)
    >>> found.discs > 0, found.exact
    (True, False)
    """
    seed, budget = check_seed(seed), check_whole("budget", budget, 2)
    start, black = solved_openings(size)[0]
    player = make_agent(agent, seed)
    player.check_game(start)
    searches = [_Search(player, seat, mix_int(seed, seat), budget // 2) for seat in (0, 1)]
    exact = [search.run(start) for search in searches]
    first, second = (search.worst for search in searches)
    return BestResponse(
        (float(black), float(-black)),
        (first.margins()[0], second.margins()[1]),
        (first.transcript(), second.transcript()),
        sum(len(search.answers) for search in searches),
        all(exact),
    )


class _Search:
    """The search against an agent in one seat.

    Attributes:
        answers: the agent's answers by position.
        worst: the last position of the worst game for the agent that was found.
    """

    worst: Othello

    def __init__(self, agent: Agent, seat: int, key: int, budget: int) -> None:
        self._player = Seat(agent, key)
        self._seat, self._budget = seat, budget
        self.answers: dict[Othello, int] = {}
        self._seen: set[Othello] = set()
        self._games: list[tuple[float, int, list[tuple[Othello, int]]]] = []
        """A heap of games with the agent's margin, a number, and the opponent's choices that still can be changed."""

    def run(self, start: Othello) -> bool:
        """Search until the budget is used. Returns whether all choices were tried."""
        self.worst = self._play(start)
        while self._games:
            _, _, choices = heapq.heappop(self._games)
            for state, chosen in choices:
                for action in state.legal_actions():
                    if action == chosen:
                        continue
                    if len(self.answers) >= self._budget:
                        return False
                    final = self._play(state.play(action))
                    if final.margins()[self._seat] < self.worst.margins()[self._seat]:
                        self.worst = final
        return True

    def _play(self, state: Othello) -> Othello:
        """Finish a game with the agent on both sides, and add it to the heap. Returns the last position."""
        choices = []
        while not state.is_over:
            legal = state.legal_actions()
            if len(legal) == 1:
                state = state.play(legal[0])
                continue
            if state not in self.answers:
                self.answers[state] = self._player.ask(state)
            action = self.answers[state]
            if state.to_move != self._seat and state not in self._seen:
                self._seen.add(state)
                choices.append((state, action))
            state = state.play(action)
        heapq.heappush(self._games, (state.margins()[self._seat], len(self._seen), choices))
        return state
