"""A game against an agent, played with texts: the environment for training a language model."""

from __future__ import annotations

from math import exp
from statistics import fmean
from typing import Any

from othello_env.agent import Agent, Policy, answered, make_agent, seats_around
from othello_env.games.game import State, check_choice, check_seed
from othello_env.games.keys import REDRAWS, GameKeys, learner_seat
from othello_env.games.openings import Openings, OpeningsSpec
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import check_flag, check_real, check_whole, named_arguments
from othello_env.text.regret import discs_lost
from othello_env.text.wording import WrongAnswerError, correction, news_text, play_text, rules_text

__all__ = ["OthelloText", "game_reward"]


class OthelloText:
    """A game of a language model against an agent. The model gets texts, and answers with the name of a move.

    `reset` returns the rules and the first position, and `play` takes an answer and returns the next position. The
    moves of the opponent and all passes are made in between. An answer that names no legal move gets a text that says
    why. The last such answer loses the game: after ``attempts=2``, the second answer in the same position.

    The environment fits the argument `environment_factory` of TRL's trainers: they call `reset` and `get_reward`, and
    give `play` to the model as a tool.

    Args:
        game: the game, such as ``"othello:size=6"``, ``"tribolo"`` or ``"checkers:draws=40-move"``, a `GameSpec` or a
            State to begin from.
        opponent: a spec (a text such as ``"alphabeta:depth=2"``), an Agent or a callable; see
            `othello_env.make_agent`. In Tribolo it plays both other sides.
        side: the name of the model's player, or ``"random"``.
        openings: where games begin: None for the usual start, ``"random:10"`` for ten random plies, or transcripts or
            States, one of which is chosen for each game, from a dict by its weights.
        legal_moves: whether the texts list the legal moves.
        reward: what makes the quality of a game: ``"result"``, or ``"regret"`` for the result and the discs that the
            moves lose against perfect play (see `get_reward`). Regret is for Othello; on 8x8, moves with more than
            12 empty squares are not judged. On 6x6, to judge a move with 20 empty squares takes about a
            tenth of a second, and each further square doubles the time, so begin with ``openings="random:12"``.
        seed: the same seed gives the same games against the same answers; None for a random seed. With the same seed,
            Gymnasium's environment begins with the same positions and sides.
        attempts: the number of answers that the model may give for a move.

    Attributes:
        position: the current State, or None before the first `reset`.
        done: whether the game is over.
        rewards: for each answer, the change of `get_reward`, for trainers that give each turn its own reward. Their sum
            is `get_reward`.
        regrets: for each move of the model, the discs that it lost against perfect play; None if it was not judged.
        faults: ``"illegal"`` or ``"unreadable"`` for each answer in this game that named no legal move.
        messages: the conversation of this game so far, as a list of dicts with `role` and `content`.

    Raises:
        TypeError, ValueError: an argument is wrong. For a wrong spec, the error is a SpecError. For an opponent that
            does not play this game, it is a WrongGameError.

    >>> env = OthelloText("othello:size=6", side="black", seed=1)
    >>> print(env.reset().splitlines()[-1])
    You are black. It is your move.
    >>> print(env.play("I take h8").splitlines()[0])
    That was not accepted: h8 is not legal: there is no such move on this board. Answer with a legal move.
    >>> print(env.play("{'move': 'B3'}").splitlines()[0])
    You played b3.
    """

    @named_arguments
    def __init__(
        self,
        game: GameLike = "othello",
        opponent: str | Agent | Policy = "random",
        side: str = "random",
        openings: OpeningsSpec = None,
        legal_moves: bool = False,
        reward: str = "result",
        seed: int | None = None,
        *,
        attempts: int = 2,
    ) -> None:
        check_choice("reward", reward, ("result", "regret"))
        self._with_regret = reward == "regret"
        self._agents: dict[str, Agent] = {}  # by spec, so that an opponent of a column is made once
        self._usual = {"game": game, "opponent": opponent, "side": side, "openings": openings}
        self._set_up(**self._usual)
        self._legal_moves = check_flag("legal_moves", legal_moves)
        self._attempts = check_whole("attempts", attempts, 1)
        self._seed = None if seed is None else check_seed(seed)
        self._keys: GameKeys | None = None
        self.position: State | None = None
        self.done = True
        self.rewards: list[float] = []
        self.regrets: list[float | None] = []
        self.faults: list[str] = []
        self.messages: list[dict[str, str]] = []

    def _set_up(self, game: GameLike, opponent: str | Agent | Policy, side: str, openings: OpeningsSpec) -> None:
        """Take these arguments, which the class describes, for the games from now on."""
        spec = GameSpec.parse(game)
        start = spec.start(0)
        check_choice("side", side, ("random", *start.player_names))
        if self._with_regret and type(start) is not Othello:  # only for Othello is perfect play known
            raise ValueError(f"the reward 'regret' is for Othello, not for {spec}")
        drawn = Openings(openings, spec.start)
        agent = self._agents.get(opponent) if isinstance(opponent, str) else None
        agent = make_agent(opponent) if agent is None else agent
        agent.check_game(start)
        if isinstance(opponent, str):
            self._agents[opponent] = agent
        self._openings, self._opponent = drawn, agent
        self._side = None if side == "random" else start.player_names.index(side)
        self._current = {"game": game, "opponent": opponent, "side": side, "openings": openings}

    def get_reward(self) -> float:
        """The reward of the game so far, from 0 to 1. To end a game early never pays; see `game_reward`.

        With ``reward="result"``, the quality of a finished game is its result: 1 for a win, 0.5 for a draw, 0 for a
        loss (0.25 in Tribolo). With ``"regret"``, a quarter of the quality is this number, and three quarters are the
        mean of exp(-d / 2) over the judged moves, where d is the number of discs that a move lost against perfect play.
        If no move was judged, the quality is the result.
        """
        quality = None
        if self.position is not None and self.position.is_over:
            quality = (1 + self.position.returns()[self._player]) / 2
            judged = [exp(-regret / 2) for regret in self.regrets if regret is not None]
            if judged:
                quality = (quality + 3 * fmean(judged)) / 4
        return game_reward(quality, len(self.regrets), len(self.faults))

    @named_arguments
    def reset(
        self,
        *,
        seed: int | None = None,
        game: GameLike | None = None,
        opponent: str | Agent | Policy | None = None,
        side: str | None = None,
        openings: OpeningsSpec = None,
        prompt: Any = None,
    ) -> str:
        """Begin a game and return the rules and the first position.

        TRL passes each column of a data set by its name. So the columns `opponent`, `game` and so on are a curriculum.

        Args:
            seed: the first game of this seed begins; by default the next game.
            game: as in the class, for this game; None for that of the class.
            opponent: the same.
            side: the same.
            openings: the same.
            prompt: not used; each data set of TRL has this column.

        Raises:
            TypeError, ValueError: there is no such argument, an argument is wrong (as in the class; then nothing has
                changed), or all games end before the first move.
        """
        given = {"game": game, "opponent": opponent, "side": side, "openings": openings}
        asked = self._usual | {name: value for name, value in given.items() if value is not None}
        if asked != self._current:
            self._set_up(**asked)
        if seed is None and self._keys is None:
            seed = self._seed
        keys = GameKeys.after_reset(self._keys, seed)
        for key in keys.attempts():
            start = self._openings.draw(key)
            players, others = start.num_players, [self._opponent] * (start.num_players - 1)
            self._player = learner_seat(key, players) if self._side is None else self._side
            self._seats = seats_around(self._player, others, key)
            state = self._answered(start)
            if not state.is_over:
                break
        else:
            raise ValueError(f"each of {REDRAWS + 1} games ended before the model's first move")
        self._keys = keys
        self.position, self.done, self._failed = state, False, 0
        self.rewards, self.regrets, self.faults = [], [], []
        news = news_text(start, state, self._player, legal_moves=self._legal_moves)
        text = f"{rules_text(state, self._attempts)}\n\n{news}"
        self.messages = [{"role": "user", "content": text}]
        return text

    def play(self, move: str) -> str:
        """Play your next move.

        Args:
            move: The name of your move, in the notation of the rules.

        Returns:
            What the other side played and the new position, or why the move was not accepted.
        """
        answer = str(move)
        self.messages.append({"role": "assistant", "content": answer})
        text = self._reply(answer)
        self.messages.append({"role": "user", "content": text})
        return text

    def _reply(self, answer: str) -> str:
        before, paid = self.position, self.get_reward()
        if before is None or self.done:
            return "There is no game: it has not begun, or it is over."
        try:
            after = play_text(before, answer)
        except WrongAnswerError as error:
            self.faults.append(error.kind)
            self._failed += 1
            self.done = self._failed == self._attempts
            text = f"That was not accepted: {error}. You lose the game." if self.done else correction(error)
        else:
            regret = discs_lost(before, after) if self._with_regret else None
            self.position = self._answered(after)
            self.regrets.append(regret)
            self.done, self._failed = self.position.is_over, 0
            text = news_text(before, self.position, self._player, legal_moves=self._legal_moves)
        self.rewards.append(self.get_reward() - paid)
        return text

    def _answered(self, state: State) -> State:
        """The position after the opponent's moves and all passes, when the model is to move or the game is over."""
        state = answered(state, self._seats)
        while state.must_pass:
            state = answered(state.play(state.legal_actions()[0]), self._seats)
        return state


def game_reward(quality: float | None, legal: int, wrong: int) -> float:
    """The reward of a player's game, from 0 to 1.

    A finished game pays ``0.2 + 0.8 * quality - 0.1 * wrong / (legal + wrong)``. All other games (given up, cut off by
    a limit, lost by wrong answers) pay ``0.1 * legal / (legal + wrong + 10)``. So:

    - To end or leave a game never pays. Each finished game pays more than 0.1: if it has wrong answers, it also has
      legal moves, so ``wrong / (legal + wrong) < 1``. All other games pay less than 0.1.
    - No legal move lowers the reward: ``legal / (legal + wrong + 10)`` grows with ``legal``, and the end raises it.
    - A wrong answer costs, also if it is corrected: with the same moves (one at least), more wrong answers pay less.

    Args:
        quality: how well a finished game was played, from 0 to 1; None for all other games.
        legal: the number of legal moves that the player has played.
        wrong: the number of the player's wrong answers.

    Raises:
        TypeError: an argument is not a number.
        ValueError: a number is out of range.
    """
    legal, wrong = check_whole("legal", legal, 0), check_whole("wrong", wrong, 0)
    if quality is None:
        return 0.1 * legal / (legal + wrong + 10)
    return 0.2 + 0.8 * check_real("quality", quality, 0, 1) - 0.1 * wrong / max(1, legal + wrong)
