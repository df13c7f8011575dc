"""A league: a learner's opponents, including past versions of the learner, and the choice of the next opponents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from othello_env.agent import Agent, Policy, make_agent, name_of
from othello_env.arena.play.records import GameRecord
from othello_env.games.hashing import mix_int
from othello_env.games.registry import GameSpec
from othello_env.league.files import (
    FORMAT,
    LeagueState,
    Matches,
    MemberState,
    ResultsState,
    check_folder,
    check_save,
    read_league,
    save_members,
    source_of_member,
    tidy,
    write_league,
)
from othello_env.league.matches import check_same, play_missing
from othello_env.league.matchmaking import Settings, choose, probabilities
from othello_env.league.members import MOST_GAMES, Member, Player, Results, Save, source_of, step_results, weighted
from othello_env.league.payoffs import Payoffs
from othello_env.support.numbers import as_integer, check_whole, named_arguments

__all__ = ["League"]

_POINTS = (0.0, 0.5, 1.0)
_DRAW = 1  # `draw` hashes it with the seed, to get random numbers that nothing else uses


class League:
    """The opponents of a learner in a game for two players: fixed agents, and snapshots of the learner itself.

    To train with a batch of games against the league, set the opponents from time to time, and record every step::

        envs.set_opponents(league.opponents())
        ...
        league.record(envs, rewards, terminated, info)  # after each step

    The league's random choices depend only on its seed and on the earlier calls of its methods. So a league that was
    saved and loaded makes the same choices as a league that was never saved.

    Args:
        fixed: the first members, as specs (see `othello_env.agent.make_agent`), Agents or callables. A dict gives each
            a weight above 0: its probability is multiplied by the weight.
        matchmaking: the rule that chooses the next opponents. ``"pfsp"`` uses the learner's results against the members
            (see `othello_env.league.matchmaking`). ``"uniform"`` gives all members the same probability. ``"latest"``
            chooses only the newest snapshot, or fixed members if there is no snapshot.
        fixed_share: the share of games against fixed members, 0 to 1, once there are snapshots. With None,
            ``"latest"`` chooses only a snapshot, and the other rules treat fixed members like snapshots.
        keep: the greatest number of snapshots in the league. If there are more, the oldest is removed. None sets no
            limit.
        half_life: older games have less weight in the learner's score against a member. After this number of further
            games against the member, a game has half its weight. ``"pfsp"`` uses this score.
        seed: determines all random choices of the league.

    Raises:
        TypeError, ValueError: an argument is wrong. If a member's spec is wrong, the error is a SpecError.
    """

    def __init__(
        self,
        fixed: Sequence[str | Path | Agent | Policy] | Mapping[Any, float] = (),
        *,
        matchmaking: str = "pfsp",
        fixed_share: float | None = None,
        keep: int | None = None,
        half_life: float = 200.0,
        seed: int = 0,
    ) -> None:
        self.settings = Settings(matchmaking, fixed_share, keep, half_life, seed)
        self.results = Results()
        self._members: dict[str, Member] = {}
        self._added = self._snapshots = self._drawn = 0
        for policy, weight in weighted(fixed):
            self._enter(policy, None, fixed=True, weight=weight)

    def __repr__(self) -> str:
        return f"<League of {len(self)} members, {len(self.snapshots)} of them snapshots, {self.settings.matchmaking}>"

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members)

    def __getitem__(self, name: str) -> Member:
        if name not in self._members:
            raise KeyError(f"there is no member {name!r}; there are {', '.join(self._members) or 'none'}")
        return self._members[name]

    @property
    def members(self) -> tuple[Member, ...]:
        """The members in the order in which they were added. The fixed members come first."""
        return tuple(self._members.values())

    @property
    def snapshots(self) -> tuple[Member, ...]:
        """The members that are snapshots of the learner, the oldest first."""
        return tuple(member for member in self.members if not member.fixed)

    def add(
        self,
        policy: str | Path | Agent | Policy,
        name: str | None = None,
        *,
        played: int = 0,
        save: Save | None = None,
    ) -> Member:
        """Add a snapshot of the learner. If there are now too many snapshots, the league removes the oldest.

        Unfinished games against a removed snapshot go on, but do not count.

        The games that the learner has played since the last snapshot become the new snapshot's results.

        Args:
            policy: a spec, the path of a file, an Agent or a callable. An Agent or callable must not change later, so
                give a copy of a network that is still in training. A file may change later, because it is read now.
            name: a name that no other member has; by default ``snapshot 1``, ``snapshot 2`` and so on.
            played: the number of plies, steps or games that the learner has played so far, for charts.
            save: a function that saves the policy, see `othello_env.league.members.Save`. By default this is the
                policy's own method `save`, if there is one. A policy that is given as a spec needs no such function.
                To check the function, this method saves the policy to a temporary folder and loads it.

        Raises:
            TypeError, ValueError: the policy, the name or `save` is wrong. The league has not changed.
        """
        played = check_whole("played", played, 0, 2**62 - 1)
        name = f"snapshot {self._snapshots + 1}" if name is None else name
        member = self._enter(policy, name, fixed=False, played=played, save=save)
        self._snapshots += 1
        self.results.settle(member.number)
        for oldest in self.snapshots[: -self.settings.keep] if self.settings.keep is not None else ():
            self.results.forget(oldest.number)
            del self._members[oldest.name]
        return member

    def _enter(self, policy: Any, name: str | None, *, save: Save | None = None, **what: Any) -> Member:
        agent = make_agent(policy, self.settings.seed)
        if name is None:
            name = name_of(policy, agent)
        if not isinstance(name, str) or not name or name in self._members:
            raise ValueError(f"expected a name that no member has, not {name!r}")
        source = source_of(policy, save, read=True, snapshot=not what["fixed"])
        member = Member(self._added, name, Player(name, agent), source=source, **what)
        if save is not None:
            check_save(member)
        self._members[name] = member
        self._added += 1
        return member

    def probabilities(self) -> dict[str, float]:
        """A dict from each member's name to the probability that `draw` chooses this member.

        Raises:
            ValueError: the league has no members.
        """
        if not self._members:
            raise ValueError("the league has no members; give it fixed members, or add a snapshot")
        return probabilities(self.members, self.settings)

    def draw(self, n: int = 1) -> list[Player]:
        """Draw n members at random, with the probabilities that `probabilities` returns, and return them as agents.

        A member may be drawn more than once. `othello_env.league.matchmaking.choose` explains how members are chosen.

        Raises:
            TypeError: n is not an integer.
            ValueError: the league has no members, or n is not at least 1.
        """
        n = check_whole("the number of drawn members", n, 1, MOST_GAMES)
        chances = self.probabilities()
        point = (mix_int(mix_int(self.settings.seed, _DRAW), self._drawn) >> 32) / 2.0**32
        chosen = choose([*chances.values()], n, point)
        self._drawn += 1
        names = [*chances]
        return [self._members[names[k]].player for k in chosen]

    def opponents(self, at_once: int = 4) -> dict[Player, float]:
        """Draw the opponents for the next games of a batch: ``envs.set_opponents(league.opponents())``.

        A step of the batch is faster with few opponents than with the whole league, so each call draws only a few.
        Over many calls, each member still plays as often as its probability says.

        Args:
            at_once: the number of draws. The result has at most this number of different opponents.

        Returns:
            A dict from each drawn member, as an agent, to its weight: the number of times that it was drawn.
        """
        return {player: float(times) for player, times in Counter(self.draw(at_once)).items()}

    def record(self, env: Any, rewards: Any, terminated: Any, info: Mapping[str, Any]) -> int:
        """Count the games that ended in a step of a batch (in any autoreset mode) or of a single environment.

        Call this method after each step, and before the next call of `set_opponents`. A reward above 0 is a win of the
        learner, 0 is a draw, and a reward below 0 is a loss. Games against opponents that are not members do not count.

        Args:
            env: the environment, which may be wrapped. This method reads the names of the opponents from it.
            rewards: the rewards of the step, (N,) for a batch of N games, or a number for a single game.
            terminated: whether each game ended, (N,) for a batch, or a bool for a single game.
            info: the step's info.

        Returns:
            The number of games that count.

        Raises:
            ValueError: the game has more than two players, or the learner plays both sides (self-play).
        """
        results = step_results(env, rewards, terminated, info)
        return sum(self.record_results(name, counts) for name, counts in results)

    def record_results(self, name: str, results: Sequence[int]) -> int:
        """Count games of the learner that were played elsewhere, for example by an actor on another machine.

        Args:
            name: the opponent's name. If no member has this name, the games do not count.
            results: the numbers of games that the learner lost, drew and won. All these games get the same weight.
                `othello_env.league.step_results` finds these numbers for a step of an environment.

        Returns:
            The number of games that count.

        Raises:
            ValueError: the results are not three integers of at least 0, or the member would have more than 2**53
                games of one result. Nothing is counted.
        """
        counts = [n for n in map(as_integer, results) if n is not None and 0 <= n <= MOST_GAMES]
        if not len(counts) == len(results) == len(_POINTS):
            raise ValueError(
                f"expected the numbers of games lost, drawn and won, each at least 0 and at most 2**53, not {results!r}"
            )
        if name not in self._members:
            return 0
        self._count(self._members[name], counts)
        return sum(counts)

    def record_game(self, name: str, points: float) -> None:
        """Count a game of the learner against a member.

        Args:
            name: the member's name. For an agent that `draw` returned, this is ``str(agent)``.
            points: the learner's points: 1 for a win, 0.5 for a draw, 0 for a loss.

        Raises:
            KeyError: there is no such member.
            ValueError: the points are wrong.
        """
        if isinstance(points, bool) or points not in _POINTS:
            raise ValueError(f"expected 0, 0.5 or 1 as the learner's points, not {points!r}")
        self._count(self[name], [int(points == value) for value in _POINTS])

    def _count(self, member: Member, results: Sequence[int]) -> None:
        self.results.count(member.number, results)  # first, because it may refuse
        member.count(results, self.settings.decay)

    def payoffs(self) -> Payoffs:
        """The results of all members against each other so far."""
        return Payoffs.from_results(self.members, self.results)

    @named_arguments
    def complete(
        self,
        games: int = 20,
        *,
        openings: str | None = "random:10",
        game: str = "othello",
        workers: int | None = None,
        ray: bool = False,
        progress: Callable[[GameRecord], None] | None = None,
    ) -> int:
        """Play matches until each member has played at least `games` games against each other member.

        The matches are a tournament of all members with the league's seed. Games of earlier calls are not repeated.
        After Ctrl-C, a game counts only if its two members have played its opening and all earlier openings twice.

        Args:
            games: the number of games between two members. It must be even, because each opening is played twice.
            openings: where games begin, such as ``"random:10"`` (ten random plies). It must be the same in all calls.
            game: the game and its options, such as ``"othello:size=6"``. It must be the same in all calls.
            workers: the number of processes that play, by default 1. With 1, the games are played in this process.
            ray: whether to play on a Ray cluster.
            progress: a function that is called with the record of each game.

        Returns:
            The number of games that this call added to the results.

        Raises:
            TypeError: a number is not an integer, `ray` is not a bool, or a policy cannot be sent to a worker process.
                After `save`, every policy can be sent.
            ValueError: an argument is wrong, or the earlier matches had other openings or another game.
            WrongGameError: a member does not play this game.
        """
        spec = GameSpec.parse(game)
        if spec.initial is not None:
            raise ValueError(f"the matches of a league begin at the game's own start, not at {spec.initial!r}")
        settings = Matches(str(spec), openings)
        check_same(self.results.matches, settings)
        before = self.results.all_pairs
        try:
            play_missing(self.members, self.results, games, openings, spec, self.settings.seed, workers, ray, progress)
        finally:
            self.results.matches = settings if self.results.all_pairs else None
        return 2 * (self.results.all_pairs - before)

    @property
    def _state(self) -> LeagueState:
        return LeagueState(
            FORMAT,
            self.settings,
            self._added,
            self._snapshots,
            self._drawn,
            self.results.matches,
            [MemberState.from_member(member) for member in self.members],
            ResultsState.from_results(self.results),
        )

    def state(self) -> dict[str, Any]:
        """The league without its policies, as the values in its JSON file."""
        state: dict[str, Any] = msgspec.to_builtins(self._state)
        return state

    def save(self, folder: str | Path) -> None:
        """Write the league to a folder: a JSON file, and a file for each policy (see `othello_env.league.files`).

        The folder must be new or empty, or hold an earlier state of this league, which is replaced. Matches that were
        played in the folder after this league was loaded or saved are lost, so play them after a training.

        Raises:
            FileExistsError: the folder has another league, a later state of this league, or other files.
            OSError: a file cannot be written.
            ValueError: a policy cannot be saved. The folder then keeps its earlier state, if it has one.
        """
        folder = Path(folder)
        check_folder(folder, self._state)
        for member in self:
            source_of_member(member)
        save_members(self.members, folder)
        write_league(self._state, folder)
        tidy(self.members, folder)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Load the league that `save` wrote. The league continues from the point at which it was saved.

        The specs of members may name Python files and programs. So load only leagues whose author you trust.

        Raises:
            FileNotFoundError: there is no league in the folder.
            OSError, ValueError: the league cannot be read, or is damaged; the message names the file.
        """
        folder = Path(folder)
        state, league = read_league(folder), cls()
        try:
            league._members = {member.name: member.member(folder, state.settings.seed) for member in state.members}
        except ValueError as error:
            raise ValueError(f"{str(folder)!r} has no league that can be read: {error}") from error
        league.settings, league.results = state.settings, state.results.results(state.matches)
        league._added, league._snapshots, league._drawn = state.added, state.snapshots, state.drawn
        return league
