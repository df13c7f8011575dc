"""A league: the opponents of a learner, among them its own past selves, and who is met next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from othello_env.agent import Agent, Policy, make_agent
from othello_env.arena.play.records import GameRecord
from othello_env.games.hashing import mix_int
from othello_env.games.registry import Rules
from othello_env.league.files import policies_in, read_league, save_members, tidy, write_league
from othello_env.league.matches import play_missing
from othello_env.league.matchmaking import choose
from othello_env.league.members import Member, Player, Save, source_of
from othello_env.league.payoffs import Payoffs
from othello_env.league.results import Results, ended
from othello_env.league.rules import probabilities, surplus
from othello_env.league.settings import Settings
from othello_env.league.stored import FORMAT, check_state, member_from_json, member_to_json

__all__ = ["League"]

_POINTS = (0.0, 0.5, 1.0)
_DRAW = 1  # the purpose of the random numbers of the draws


class League:
    """The opponents of a learner in a game for two players: fixed ones, and snapshots of the learner itself.

    A rollout of a batch against the league is one line more than without it, and a line for the results::

        envs.set_opponents(league.opponents())
        ...
        league.record(envs, rewards, terminated, info)  # after each step

    What is random depends only on the seed and on what was added and recorded before. So a league that was saved and
    loaded goes on as if nothing had happened.

    Args:
        fixed: specs, Agents or callables that are always members.
        matchmaking: ``"pfsp"`` prefers members by the learner's results against them, see
            `othello_env.league.matchmaking`. ``"uniform"`` meets all members alike. ``"latest"`` meets the newest
            snapshot only; before the first snapshot, and for `fixed_share`, it meets the fixed members alike.
        weighting: how pfsp weighs the learner's score: ``"hard"``, ``"linear"``, ``"capped"`` or ``"even"``.
        fixed_share: the share of the games against fixed members, 0 to 1, once there are snapshots. None: fixed members
            are chosen like snapshots (and never by ``"latest"``).
        keep: the most snapshots that are members, without frozen ones; None for no limit.
        forget: which snapshot goes when there are too many: the ``"oldest"``, the one that the learner has ``"beaten"``
            most clearly, or the most ``"crowded"`` one, which was added close to its neighbours.
        freeze_every: each snapshot whose number (from 1) is a multiple of this is frozen: it is never forgotten. None
            freezes no snapshot.
        half_life: the number of games against a member after which an older game against it counts half in the
            learner's score. This matters for pfsp only, since the learner changes.
        seed: the seed of all draws.

    Raises:
        TypeError, ValueError: an argument is wrong. For a member this may be a SpecError.
    """

    def __init__(
        self,
        fixed: Sequence[str | Path | Agent | Policy] = (),
        *,
        matchmaking: str = "pfsp",
        weighting: str = "hard",
        fixed_share: float | None = None,
        keep: int | None = None,
        forget: str = "oldest",
        freeze_every: int | None = None,
        half_life: float = 200.0,
        seed: int = 0,
    ) -> None:
        self.settings = Settings(matchmaking, weighting, fixed_share, keep, forget, freeze_every, half_life, seed)
        self.results = Results()
        self._members: dict[str, Member] = {}
        self._added = self._snapshots = self._drawn = 0
        self._matches: dict[str, Any] | None = None
        for policy in fixed:
            self._enter(policy, None, fixed=True, frozen=True)

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
        """The members in the order in which they were added; the fixed ones come first."""
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
        frozen: bool = False,
        save: Save | None = None,
    ) -> Member:
        """Add a snapshot of the learner, and forget another one if there are now too many.

        The games that the learner has played since the last snapshot become the new snapshot's results.

        Args:
            policy: a spec, the path of a file, an Agent or a callable. It must not change later: give a copy of a
                network that is being trained. A file is read now, so it may change later.
            name: a name that no member has; by default ``snapshot 1``, ``snapshot 2`` and so on.
            played: how many plies, steps or games the learner has played, for charts.
            frozen: whether the snapshot is never forgotten.
            save: saves the policy, see `othello_env.league.members.Save`. By default the policy's own method `save` is
                called, if it has one. A spec needs none.

        Raises:
            TypeError, ValueError: the policy or the name is wrong.
        """
        if isinstance(played, bool) or int(played) != played or not 0 <= played < 2**62:
            raise ValueError(f"played must be a whole number of at least 0, not {played!r}")
        every, number = self.settings.freeze_every, self._snapshots + 1
        member = self._enter(
            policy,
            f"snapshot {number}" if name is None else name,
            fixed=False,
            frozen=frozen or (every is not None and number % every == 0),
            played=int(played),
            save=save,
        )
        self._snapshots += 1
        self.results.settle(member.number)
        for each in surplus(self.snapshots, self.settings):
            self.forget(each.name)
        return member

    def _enter(self, policy: Any, name: str | None, *, save: Save | None = None, **what: Any) -> Member:
        agent = make_agent(policy, self.settings.seed)
        if name is None:
            name = str(policy) if isinstance(policy, str | Path) else repr(agent)
        if not isinstance(name, str) or not name or name in self._members:
            raise ValueError(f"expected a name that no member has, not {name!r}")
        source = source_of(policy, save, read=True)
        member = self._members[name] = Member(self._added, name, Player(name, agent), source=source, **what)
        self._added += 1
        return member

    def forget(self, name: str) -> None:
        """Remove a member and its results. Games that go on against it end as usual, and do not count."""
        self.results.forget(self[name].number)
        del self._members[name]

    def freeze(self, name: str, frozen: bool = True) -> None:
        """Freeze a snapshot, so that it is never forgotten; with False, let it be forgotten again."""
        if self[name].fixed and not frozen:
            raise ValueError(f"{name!r} is a fixed member, which is always frozen")
        self[name].frozen = frozen

    def probabilities(self) -> dict[str, float]:
        """The probability of each member to be drawn, by name.

        Raises:
            ValueError: the league has no members.
        """
        if not self._members:
            raise ValueError("the league has no members; give fixed ones, or add a snapshot")
        return probabilities(self.members, self.settings)

    def draw(self, n: int = 1) -> list[Player]:
        """Draw n members by their probabilities, as agents. A member may be drawn more than once.

        Each call draws anew. The draws are spread evenly, see `othello_env.league.matchmaking.choose`.

        Raises:
            ValueError: the league has no members, or n is not at least 1.
        """
        if n < 1:
            raise ValueError(f"expected to draw at least 1 member, not {n}")
        found = self.probabilities()
        point = (mix_int(mix_int(self.settings.seed, _DRAW), self._drawn) >> 32) / 2.0**32
        chosen = choose([*found.values()], n, point)
        self._drawn += 1
        names = [*found]
        return [self._members[names[k]].player for k in chosen]

    def opponents(self, at_once: int = 4) -> dict[Player, float]:
        """Draw the opponents for the next games of a batch: ``envs.set_opponents(league.opponents())``.

        The batch asks each opponent that is to move once in a step. So a few opponents at a time are cheaper than the
        whole league, and over several calls the members are met with the same probabilities.

        Args:
            at_once: the number of draws, so the most opponents.

        Returns:
            The drawn members, with the number of times that each was drawn as its weight.
        """
        found: dict[Player, float] = {}
        for player in self.draw(at_once):
            found[player] = found.get(player, 0.0) + 1.0
        return found

    def record(self, env: Any, rewards: Any, terminated: Any, info: Mapping[str, Any]) -> int:
        """Count the games that ended in a step of an environment: a batch in any mode, or a single environment.

        Call it after each step, before `set_opponents` gives the opponents other numbers. The sign of the reward is the
        learner's result. Games against opponents that are no members do not count.

        Args:
            env: the environment, which may be wrapped; it names the opponents.
            rewards: the rewards of the step, (N,) or a number.
            terminated: whether each game ended, (N,) or a bool.
            info: the step's info.

        Returns:
            The number of games that count.

        Raises:
            ValueError: the game has more than two players, or it is self-play.
        """
        if not np.any(terminated):
            return 0
        over, numbers = ended(terminated, info)
        if numbers.ndim > 1 or (numbers < 0).any():
            raise ValueError("a league is for games of a learner against one opponent")
        results = 1 + np.sign(np.atleast_1d(rewards)[over]).astype(np.int64)
        counts = np.bincount(3 * numbers + results).tolist()
        counted = 0
        for number, name in enumerate(env.unwrapped.opponents):
            member, games = self._members.get(name), counts[3 * number : 3 * number + 3]
            if member is not None and any(games):
                self._count(member, [*games, 0, 0][:3])
                counted += sum(games)
        return counted

    def record_game(self, name: str, points: float) -> None:
        """Count a game of the learner against a member.

        Args:
            name: the member's name, or the agent that `draw` returned, as text.
            points: the learner's: 1 for a win, 0.5 for a draw, 0 for a loss.

        Raises:
            KeyError: there is no such member.
            ValueError: the points are wrong.
        """
        if points not in _POINTS:
            raise ValueError(f"expected 0, 0.5 or 1 as the learner's points, not {points!r}")
        self._count(self[name], [int(points == each) for each in _POINTS])

    def _count(self, member: Member, results: Sequence[int]) -> None:
        member.count(results, self.settings.decay)
        self.results.count(member.number, results)

    def payoffs(self) -> Payoffs:
        """The results between all members so far."""
        return Payoffs.of(self.members, self.results)

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
        """Play matches until each two members have played this number of games against each other.

        The games are those of a tournament of the members with the league's seed. Only those that are missing are
        played. Ctrl-C keeps the pairs of games that are complete.

        Args:
            games: the number of games for each two members, even: each opening is played with both colours.
            openings: where games begin, as for a tournament; always the same in one league.
            game: the game and its options, such as ``"othello:size=6"``; always the same in one league.
            workers: the number of processes that play, by default 1, which is this process.
            ray: whether to play on a Ray cluster.
            progress: called with the record of each game.

        Returns:
            The number of games that were played and count.

        Raises:
            TypeError: a policy cannot be sent to a worker; one that was saved to a folder can.
            ValueError: an argument is wrong, or the earlier matches had other openings or another game.
            WrongGameError: a member does not play this game.
        """
        rules = Rules.parse(game)
        settings = {"game": str(rules), "openings": openings}
        if self._matches not in (None, settings):
            raise ValueError(f"the matches of this league were played with {self._matches}, so not with {settings}")
        before = self.results.all_pairs
        try:
            play_missing(self.members, self.results, games, openings, rules, self.settings.seed, workers, ray, progress)
        finally:
            self._matches = settings if self.results.all_pairs else None
        return 2 * (self.results.all_pairs - before)

    def state(self) -> dict[str, Any]:
        """Everything but the policies, as values that JSON can hold; see `from_state`."""
        return {
            "format": FORMAT,
            "settings": self.settings.to_json(),
            "added": self._added,
            "snapshots": self._snapshots,
            "drawn": self._drawn,
            "matches": self._matches,
            "members": [member_to_json(member) for member in self.members],
            "results": self.results.to_json(),
        }

    @staticmethod
    def snapshots_in(state: Any) -> list[str]:
        """The names of the snapshots of a league's state, the oldest first; `from_state` needs their policies.

        Raises:
            ValueError: the state is damaged.
        """
        check_state(state)
        return [each["name"] for each in state["members"] if not each.get("fixed")]

    @classmethod
    def from_state(cls, state: Any, policies: Mapping[str, str | Agent | Policy]) -> Self:
        """A league that goes on where `state` was called.

        The state may come from anybody: it is checked, and names no code. The policies are the caller's.

        Args:
            state: what `state` returned.
            policies: the policy of each member, by the member's name.

        Raises:
            ValueError: the state is damaged, or a policy is missing.
        """
        check_state(state)
        try:
            settings = Settings.from_json(state["settings"])
        except TypeError as error:
            raise ValueError(str(error)) from None
        league = cls()
        league.settings = settings
        for values in state["members"]:
            member = member_from_json(values, policies, settings.seed)
            league._members[member.name] = member
        league.results = Results.from_json(state["results"], [member.number for member in league])
        league._added, league._snapshots, league._drawn = (state[name] for name in ("added", "snapshots", "drawn"))
        league._matches = state["matches"]
        return league

    def save(self, folder: str | Path) -> None:
        """Write the league to a folder: a JSON file, and a file for each policy (see `othello_env.league.files`).

        A policy is written once. If the process is killed meanwhile, the folder has the league as it was saved before.

        Raises:
            OSError: a file cannot be written.
            ValueError: a policy cannot be saved. The league in the folder has not changed.
        """
        folder = Path(folder)
        save_members(self.members, folder)
        write_league(self.state(), folder)
        tidy(self.members, folder)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """The league that `save` wrote; it goes on where it was saved.

        The specs of members may name Python files and programs. So load only leagues whose author you trust.

        Raises:
            FileNotFoundError: there is no league in the folder.
            OSError, ValueError: it cannot be read, or is damaged; the message names the file.
        """
        folder = Path(folder)
        state = read_league(folder)
        try:
            return cls.from_state(state, policies_in(state, folder))
        except ValueError as error:
            raise ValueError(f"{str(folder)!r} has no league that can be read: {error}") from error
