"""The `Trainer`, which plays games of self-play or against an opponent, and lets a network learn from them."""

from __future__ import annotations

import time
from reprlib import repr as short
from types import NoneType
from typing import Any, Self

import numpy as np

from othello_agents.engine import Engine
from othello_agents.ntuple import NTupleAgent, NTupleNetwork
from othello_agents.training.against import GamesAgainst
from othello_agents.training.self_play import OnePlyGames, SearchedGames
from othello_agents.training.td import Learning
from othello_env.agent import Agent, Policy
from othello_env.games.game import check_seed
from othello_env.games.hashing import mix_int
from othello_env.support.jit import interruptible
from othello_env.support.numbers import check_real, check_type, check_whole

__all__ = ["DEPTH", "ONE_PLY_GAMES", "Trainer"]

DEPTH = 4
"""The depth of the searches, if no other is given."""
ONE_PLY_GAMES = 400_000
"""The number of games before those that are searched: about half a minute on 8x8, after which they teach little."""
_DEEPEST = 60
_SEARCHED = {"rate": 1.0, "trace": 0.9, "epsilon": 0.05, "grabbing": 0.25}
"""The settings of searched games."""
_WHOLE = ("seed", "random_plies", "depth", "one_ply_games")


class Trainer:
    """Learns an evaluation by temporal differences on afterstates (positions after a move), by self-play or against an
    opponent.

    Self-play has two parts. In the first `one_ply_games` games, both sides look one ply ahead. Then the network becomes
    wide (see `NTupleNetwork`), the learning rates of its weights start again at their first values, and both sides of
    each further game search `depth` plies ahead.

    Each game begins with a random number of random moves. After these moves, both sides play the best move by the
    present evaluation, or sometimes a random move. In some games one player grabs discs: in most of its turns it plays
    the move that turns the most discs. Without such games, the network would never meet opponents that fill the board
    with their discs. So it would learn to keep few discs, and an opponent that looks ahead could take all of them.

    After a game, each afterstate's value moves towards its TD(lambda) return. The outcome of the game is the mean of
    two numbers: its result (+1, 0 or -1), and its margin divided by the number of squares. If a player did not play the
    best move, the returns of earlier positions use the value of the best move, and ignore the rest of the game.

    Each weight has its own learning rate. The rate falls when the weight's positive and negative errors cancel each
    other (temporal coherence learning).

    In searched games, the values of the best moves are those that the search finds, and exact outcomes near the end. So
    the network learns from deeper looks than its own. It is then stronger in a search. One ply ahead it is weaker,
    since the games show fewer blunders.

    Against an opponent, the network learns only from its own moves. It looks one ply ahead, and now and then it plays a
    random move. The games begin with up to a sixth of the empty squares' number of random moves. They are played in
    rounds of 128 games, and the network learns at the end of each round.

    The seed determines the sequence of games. The same number of games gives the same weights, at any speed.

    Args:
        size: the board's size: 4, 6 or 8.
        seed: the seed for all random choices.
        network: a network to continue with; the training changes it in place, but searched games replace a network that
            is not wide. If the network comes from a Trainer with the same arguments, the training continues as if there
            had been no pause. But if the network was saved with `half`, the learning rates of its weights start again
            at their first values.
        opponent: a spec, an Agent or a callable that is played against. With None, the network plays itself.
        depth: the depth of the searches in plies. With 1, all games look one ply ahead.
        one_ply_games: the number of games of self-play before the searched ones.
        stages: the number of stages of a new network.
        rate: the learning rate at the beginning. At first, a value near 0 moves by this fraction of its distance to the
            return.
        trace: lambda of TD(lambda), in games of self-play that look one ply ahead. With 0, the network learns only from
            the value of the next afterstate. With 1, it learns only from the outcome. But if a later move was not the
            best move, the value of the best move takes the place of the outcome.
        epsilon: the probability of a random move, in these games.
        random_plies: the largest number of random moves at the beginning of a game of self-play. None stands for two
            fifths of the number of squares that are empty at the start.
        grabbing: the probability that one of the players of a game grabs discs, in games that look one ply ahead.

    Raises:
        ValueError: the size is wrong or differs from the network's size, the seed is negative, or a number is out of
            its range. For a wrong spec, the error is a SpecError, and for an opponent that does not play Othello of
            this size, a WrongGameError.
        TypeError: the seed, another number or the opponent has a wrong type.

    Attributes:
        network: the network that learns.
        seconds: the seconds of training so far.
    """

    def __init__(
        self,
        size: int = 8,
        seed: int = 0,
        *,
        network: NTupleNetwork | None = None,
        opponent: str | Agent | Policy | None = None,
        depth: int = DEPTH,
        one_ply_games: int = ONE_PLY_GAMES,
        stages: int = 8,
        rate: float = 1.0,
        trace: float = 0.5,
        epsilon: float = 0.1,
        random_plies: int | None = None,
        grabbing: float = 0.5,
    ) -> None:
        self.network = NTupleNetwork(size, stages) if network is None else check_type("network", network, NTupleNetwork)
        if self.network.size != size:
            raise ValueError(f"the network is for size {self.network.size}, not {size}")
        if random_plies is None:
            random_plies = 2 * (size * size - 4) // 5
        for name, number, least, most in (
            ("depth", depth, 1, _DEEPEST),
            ("one_ply_games", one_ply_games, 0, 2**62),
            ("rate", rate, 0.0, 1e6),
            ("trace", trace, 0.0, 1.0),
            ("epsilon", epsilon, 0.0, 1.0),
            ("random_plies", random_plies, 0, size * size),
            ("grabbing", grabbing, 0.0, 1.0),
        ):
            if isinstance(least, int):
                check_whole(name, number, least, int(most))
            else:
                check_real(name, number, least, most)
        self.seed = check_seed(seed)
        self._depth, self._one_ply_games = int(depth), int(one_ply_games)
        self._key = np.uint64(mix_int(self.seed, 0))
        self._learning = Learning(float(rate), float(trace), float(epsilon), int(random_plies), float(grabbing))
        if self.network.errors is None:
            self.network.errors = np.zeros((*self.network.weights.shape, 2), np.float32)
        training = self.network.training
        self._played = np.array([training.get("games", 0)], np.int64)
        self.seconds: float = training.get("seconds", 0.0)
        self._against = None if opponent is None else GamesAgainst(opponent, self.network, self._key, self._played)
        self._games: OnePlyGames | GamesAgainst | None = None
        self._note()

    @staticmethod
    def check_errors(network: NTupleNetwork) -> None:
        """Check that `network.errors` is not None. Otherwise, a training cannot continue as if it had never stopped.

        Raises:
            ValueError: `network.errors` is None.
        """
        if network.errors is None:
            raise ValueError(
                "the network was saved in half precision or was fitted, so it lacks the errors on which its learning "
                "rates depend, and its training cannot be resumed"
            )

    @classmethod
    def resume(
        cls, network: NTupleNetwork, *, opponent: str | Agent | Policy | None = None, depth: int | None = None
    ) -> Self:
        """A Trainer that continues a network's training, with the settings in `network.training`.

        The training changes the network as `Trainer` says. `opponent` and `depth`, if given, hold from now on.

        Raises:
            ValueError: a setting is missing, has a wrong type, or is out of its range.
        """
        settings = network.training
        found = {"depth": DEPTH, "one_ply_games": ONE_PLY_GAMES, "opponent": None} | settings
        kinds = dict.fromkeys(Learning._fields, (int, float)) | dict.fromkeys(_WHOLE, (int,))
        for name, types in (kinds | {"opponent": (str, NoneType)}).items():
            if type(found.get(name)) not in types:
                raise ValueError(f"the network's card does not have the {name} of its training: {short(settings)}")
        options: dict[str, Any] = {name: found[name] for name in (*kinds, "opponent")}
        options |= {name: value for name, value in (("opponent", opponent), ("depth", depth)) if value is not None}
        return cls(network.size, network=network, **options)

    @property
    def games(self) -> int:
        """The number of games that the network has learned from."""
        return int(self._played[0])

    @property
    def opponent(self) -> str | None:
        """The opponent's spec, or its name if it is an Agent or a callable; None in self-play."""
        return None if self._against is None else self._against.opponent

    @property
    def is_searched(self) -> bool:
        """Whether the games are searched by now."""
        return self._against is None and self._depth > 1 and self.games >= self._one_ply_games

    def agent(self) -> Agent:
        """An agent that plays with the network as in the games of now: one ply ahead, or by a search."""
        return Engine(self._depth, eval=self.network) if self.is_searched else NTupleAgent(self.network)

    def run(self, *, seconds: float | None = None, games: int | None = None) -> int:
        """Play and learn until the seconds have passed or the games are played; return the number of games played.

        Another call continues the training. The time to compile the kernels does not count. Ctrl-C does not undo what
        the network has learned. Against an opponent, the last round is played to its end, also if this is more than
        `games` games.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
            TypeError: `games` is not an integer, or `seconds` is not a number.
            ValueError: neither seconds nor games are given, or a number is negative or not finite.
            AgentError: the opponent answered with an illegal action.
        """
        if seconds is None and games is None:
            raise ValueError("run needs seconds or games")
        games = None if games is None else check_whole("games", games, 0)
        seconds = None if seconds is None else check_real("seconds", seconds, 0)
        before, begun = self.games, self.seconds
        self._next_games()
        while (games is None or self.games - before < games) and (seconds is None or self.seconds - begun < seconds):
            kind, most = self._next_games()
            left = most if games is None else min(most, games - (self.games - before))
            start = time.perf_counter()
            try:
                with interruptible():
                    kind.play(left)
            finally:
                self.seconds += time.perf_counter() - start
                self._note()
        return self.games - before

    def _next_games(self) -> tuple[OnePlyGames | GamesAgainst, int]:
        """How the next games are played, with compiled kernels, and how many of them at most before the next look at
        the clock.
        """
        if self._games is None or self.is_searched != isinstance(self._games, SearchedGames):
            if self.is_searched:
                self._games = self._searched_games()
            elif self._against is not None:
                self._games = self._against
            else:
                self._games = OnePlyGames(self.network, self._key, self._learning, self._played)
            with interruptible():
                self._games.play(0)
        most = self._games.chunk
        if self._depth > 1 and self._against is None and not self.is_searched:
            most = min(most, self._one_ply_games - self.games)
        return self._games, most

    def _searched_games(self) -> SearchedGames:
        """The searched games. If they begin now, the network becomes wide and forgets its errors."""
        if "searched_from" not in self.network.training:
            self.network = self.network if self.network.wide else self.network.widened()
            self.network.errors = np.zeros((*self.network.weights.shape, 2), np.float32)
            self.network.training["searched_from"] = self.games
        learning = self._learning._replace(**_SEARCHED)
        return SearchedGames(self.network, self._key, learning, self._played, self._depth)

    def _note(self) -> None:
        """Write the number of games, the seconds and the settings into `network.training`, which `save` stores."""
        self.network.training |= {
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "depth": self._depth,
            "one_ply_games": self._one_ply_games,
            "opponent": self.opponent,
            **self._learning._asdict(),
        }
