"""What all environments promise, in one place.

There are several ways to play a game: a State, an environment for one game or for a batch, PettingZoo, texts for a
language model, functions inside JAX's `jit`. The first part of this file has an adapter for each of them. All adapters
hand out the same thing, a `Seen`, and take an action for it. The second part has the promises. Each is one test, and it
runs for all ways, for openings at the start and near the end of a game, and for several opponents:

- It is the turn of the player that is asked for an action, and the game is not over.
- What follows an action is what the rules allow. Until the end of a game all rewards are 0. The end pays each player
  its own result, or its own margin, once.
- An illegal action ends the game, and costs 1 or the largest margin (a State refuses it).
- The same seed gives the same games, another seed or no seed gives others.

These promises concern games. Those that concern an interface are checked by the interface's own tests: Gymnasium's
`check_env` in ``envs/test_family.py``, PettingZoo's `api_test`, `seed_test` and others in
``envs/test_aec.py``, TorchRL's `check_env_specs` in ``trainers/test_torchrl_env.py``, and Pgx's `api_test` in
``jax/test_env.py``. Games equal to those of Pgx, of OpenSpiel and of the States are checked in ``jax/test_env.py``,
``test_conventions.py`` and ``envs``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest

from othello_env import Checkers, IllegalActionError, Othello, State, Tribolo, checkers_v0, othello_v0, tribolo_v0
from othello_env.text import OthelloText

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Start:
    """A game, its rules, and where it begins."""

    game: str
    rules: dict[str, Any]
    openings: str | None = None
    reward: str = "result"

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of an environment."""
        more = {} if self.reward == "result" else {"reward": self.reward}
        return self.rules | more | {"openings": self.openings}

    def outcome(self, state: State) -> tuple[float, ...]:
        """What the players get in this position."""
        return state.margins() if self.reward == "margin" else state.returns()

    def penalty(self, state: State) -> float:
        """What an illegal action costs in this position."""
        return state.largest_margin if self.reward == "margin" else 1

    @property
    def spec(self) -> str:
        """The text that names the game."""
        return f"{self.game.lower()}:" + ",".join(f"{name}={value}" for name, value in self.rules.items())


STARTS = {
    "4x4": Start("Othello", {"size": 4}),
    "4x4 late": Start("Othello", {"size": 4}, "random:11"),
    "6x6": Start("Othello", {"size": 6}),
    "6x6 late": Start("Othello", {"size": 6}, "random:28"),
    "8x8": Start("Othello", {"size": 8}),
    "8x8 late": Start("Othello", {"size": 8}, "random:54"),
    "checkers": Start("Checkers", {"size": 6, "draws": "40-move"}, "random:25"),
    "tribolo": Start("Tribolo", {"width": 8, "height": 6, "cells": 3, "walls": 3}),  # more sizes take longer to compile
    "4x4 margin": Start("Othello", {"size": 4}, "random:3", "margin"),
    "checkers margin": Start("Checkers", {"size": 6, "draws": "repetition"}, "random:25", "margin"),
    "tribolo margin": Start("Tribolo", {"width": 8, "height": 6, "cells": 3, "walls": 3}, None, "margin"),
}


def last_legal(observations: Array, masks: Array) -> Array:
    """An opponent that is a function: it plays the last legal action."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


OPPONENTS = {"random": "random", "maximizer": "maximizer:eval=count", "function": last_legal}


# The ways to play.


class Seen(NamedTuple):
    """What a player gets before its action."""

    state: State
    player: int
    mask: Array  # (A,), which actions are legal
    planes: Array | None  # (C, H, W), the board from the player's side; None if the player gets a text


def seen_by_mover(state: State, observation: dict[str, Array]) -> Seen:
    return Seen(state, state.to_move, observation["action_mask"], observation["observation"])


class After(NamedTuple):
    """What an action led to."""

    rewards: dict[int, float]  # by player: those that were paid
    is_over: bool
    next: Seen | None  # perhaps of the next game; None if the next step only begins the next game
    last: State | None = None  # the last position of the game that ended, if the environment tells it


class Way:
    """Plays `n` games at once.

    An adapter has the method ``begin(seed)``, which begins new games and returns a `Seen` for each, and the method
    ``step(actions)``, which returns an `After` for each. If a game ends, another one begins.
    """

    n = 1
    loses_illegal = 0.0
    """What the other players get for an illegal action, or None if the action is refused."""
    plays_passes = False
    """Whether the player is never asked for a pass."""
    pays_margins = True
    """Whether rewards can be margins."""
    draws_seeds = True
    """Whether there is a way to begin without a seed."""

    def __init__(self, start: Start, opponent: Any) -> None:
        self.start, self.opponent = start, opponent

    def begin(self, seed: int | None) -> list[Seen]:
        raise NotImplementedError

    def step(self, actions: list[int]) -> list[After]:
        raise NotImplementedError


class States(Way):
    """The State itself, which is immutable. Who plays with it begins games as they like."""

    loses_illegal = None
    draws_seeds = False

    def begin(self, seed):
        self.rng = np.random.default_rng(seed)
        return [self._next()]

    def _next(self):
        plies = int((self.start.openings or "random:0").removeprefix("random:"))
        if self.start.game == "Tribolo":  # a board with random walls
            self.state = Tribolo(int(self.rng.integers(2**32)), **self.start.rules)
        else:
            self.state = {"Othello": Othello, "Checkers": Checkers}[self.start.game](**self.start.rules)
        for _ in range(plies):
            if self.state.is_over:
                return self._next()
            self.state = self.state.play(self.rng.choice(self.state.legal_actions()))
        return self._next() if self.state.is_over else self._seen()

    def _seen(self):
        state = self.state
        return Seen(state, state.to_move, state.action_mask(), state.observation(state.to_move))

    def step(self, actions):
        try:
            self.state = self.state.play(actions[0])
        except IllegalActionError:
            return [After({}, False, self._seen())]
        after = self.state
        paid = dict(enumerate(self.start.outcome(after)))
        return [After(paid, after.is_over, self._next() if after.is_over else self._seen())]


class Single(Way):
    """A Gymnasium environment for one game."""

    name = "{}-v0"

    def __init__(self, start, opponent):
        name = f"othello_env/{self.name.format(start.game)}"
        self.env = gymnasium.make(name, opponent=opponent, disable_env_checker=True, **start.arguments)

    def _seen(self, observation, info):
        return Seen(self.env.unwrapped.position, self.env.unwrapped.position.to_move, **self._arrays(observation, info))

    def _arrays(self, observation, info):
        assert info["action_mask"] is observation["action_mask"]
        return {"mask": observation["action_mask"], "planes": observation["observation"]}

    def begin(self, seed):
        self.seen = self._seen(*self.env.reset(seed=seed))
        return [self.seen]

    def step(self, actions):
        player = self.seen.player
        observation, reward, is_over, truncated, info = self.env.step(actions[0])
        assert not truncated
        last = self.env.unwrapped.position
        self.seen = self._seen(*(self.env.reset() if is_over else (observation, info)))
        return [After({player: reward}, is_over, self.seen, last if is_over else None)]


class Flat(Single):
    """The same with flat observations."""

    name = "{}-flat-v0"

    def _arrays(self, observation, info):
        return {
            "mask": info["action_mask"],
            "planes": observation.reshape(self.env.unwrapped.position.observation_shape),
        }


class Vector(Way):
    """Gymnasium's environment for a batch of games."""

    n = 12

    def __init__(self, start, opponent, mode, name="{}-v0"):
        name = f"othello_env/{name.format(start.game)}"
        arguments = start.arguments | {"opponent": opponent, "autoreset_mode": mode}
        self.env = gymnasium.make_vec(name, num_envs=self.n, **arguments).unwrapped
        self.mode, self.is_self_play = mode, opponent is None

    def _seen(self, observation, info, i):
        state = self.env.position(i)
        if isinstance(observation, dict):
            assert info["action_mask"] is observation["action_mask"]
            return seen_by_mover(state, {name: each[i] for name, each in observation.items()})
        assert self.env.observation_space.contains(observation)  # rows of float32
        planes = observation[i].reshape(state.observation_shape)
        return Seen(state, state.to_move, info["action_mask"][i], planes)

    def begin(self, seed):
        told = self.env.reset(seed=seed)
        self.seen = [self._seen(*told, i) for i in range(self.n)]
        return self.seen

    def step(self, actions):
        observation, rewards, over, truncated, info = self.env.step(np.array(actions))
        assert not truncated.any()
        players = [each.player if each else None for each in self.seen]
        if self.is_self_play:
            assert info["reward_to"].tolist() == [-1 if player is None else player for player in players]
        last = [self.env.final_position(i) if over[i] else None for i in range(self.n)]
        if self.mode == "Disabled" and over.any():
            observation, info = self.env.reset(options={"reset_mask": over})
        waits = over & (self.mode == "NextStep")
        self.seen = [None if waits[i] else self._seen(observation, info, i) for i in range(self.n)]
        paid = [{player: reward} for player, reward in zip(players, rewards.tolist(), strict=True)]
        return [After(*each) for each in zip(paid, over.tolist(), self.seen, last, strict=True)]


class PettingZoo(Way):
    """PettingZoo's environment, read as its users read it: an agent's last turn tells it its reward."""

    modules = {"Othello": othello_v0, "Checkers": checkers_v0, "Tribolo": tribolo_v0}  # noqa: RUF012

    def __init__(self, start, opponent):
        self.env = self.modules[start.game].env(**start.arguments)

    def _seen(self):
        agent = self.env.agent_selection
        return seen_by_mover(self.env.position, self.env.last()[0])._replace(
            player=self.env.possible_agents.index(agent)
        )

    def begin(self, seed):
        self.env.reset(seed=seed)
        return [self._seen()]

    def step(self, actions):
        self.env.step(actions[0])
        rewards = {}
        if is_over := any(self.env.terminations.values()):
            for agent in self.env.agent_iter():
                _, rewards[self.env.possible_agents.index(agent)], terminated, _, _ = self.env.last()
                assert terminated
                self.env.step(None)
            self.env.reset()
        else:
            rewards = dict(enumerate(self.env.rewards.values()))
        return [After(rewards, is_over, self._seen())]


class Text(Way):
    """The environment for language models: what it hands out is read from its texts."""

    plays_passes, pays_margins = True, False
    paid = {"You won.": 1, "The game is a draw.": 0, "You lost.": -1}  # noqa: RUF012

    def __init__(self, start, opponent):
        arguments = {"openings": start.openings, "legal_moves": True, "attempts": 1}
        self.env = OthelloText(game=start.spec, opponent=opponent, **arguments)

    def _seen(self, text):
        board, legal = text.splitlines()[:-1], text.splitlines()[-1]
        state, mask = self.env.position, np.zeros(self.env.position.num_actions, bool)
        assert str(state) in text
        mask[[state.action_from_text(name) for name in legal.removeprefix("Legal moves: ").split()]] = True
        player = board[-1].removeprefix("You are ").partition(".")[0]
        return Seen(state, state.player_names.index(player), mask, None)

    def begin(self, seed):
        self.seen = self._seen(self.env.reset(seed=seed))
        return [self.seen]

    def step(self, actions):
        player, text = self.seen.player, self.env.play(self.seen.state.action_to_text(actions[0]))
        is_over = self.env.done
        is_refused = text.startswith("That was not accepted")
        reward = 0 if not is_over else -1 if is_refused else self.paid[text.splitlines()[-1]]
        self.seen = self._seen(self.env.reset() if is_over else text)
        return [After({player: reward}, is_over, self.seen)]


class JAX(Way):
    """Functions inside `jit`. Players 0 and 1 are not yet the sides: a key decides who has the black discs."""

    n = 32
    loses_illegal = 1.0  # as in Pgx
    draws_seeds = False  # JAX's functions take a key
    pays_margins = False

    def __init__(self, start, opponent, auto_reset):
        self.jax = pytest.importorskip("jax", reason="JAX is an optional extra")
        from othello_env.jax import Othello

        env = Othello(**start.arguments, auto_reset=auto_reset)
        if opponent is not None:
            env = env.vs(self.inside(opponent))
        self.auto_reset = auto_reset
        self._init, self._step = (self.jax.jit(self.jax.vmap(each)) for each in (env.init, env.step))

    @staticmethod
    def inside(opponent):
        """The same opponent inside `jit`."""
        if opponent is not last_legal:
            return opponent
        return lambda state, key: state.observation.shape[0] ** 2 - state.legal_action_mask[::-1].argmax()

    def game(self, i):
        return self.jax.tree.map(lambda x: x[i], self.state)

    def _seen(self, i):
        game = self.game(i)
        position = game.position()
        planes = np.moveaxis(game.observation, -1, 0)
        return Seen(position, position.to_move, game.legal_action_mask, planes)

    def begin(self, seed):
        self.key = self.jax.random.key(seed)
        self.state = self._fresh()
        return [self._seen(i) for i in range(self.n)]

    def _fresh(self):
        self.key, key = self.jax.random.split(self.key)
        return self.jax.tree.map(np.asarray, self._init(self.jax.random.split(key, self.n)))

    def step(self, actions):
        before = [self.game(i) for i in range(self.n)]
        after = self.state = self.jax.tree.map(np.asarray, self._step(self.state, np.array(actions)))
        is_over = after.terminated
        if not self.auto_reset and is_over.any():

            def renewed(new, old):
                return np.where(is_over.reshape(-1, *[1] * (old.ndim - 1)), new, old)

            self.state = self.jax.tree.map(renewed, self._fresh(), after)
        found = []
        for i, game in enumerate(before):
            seat = game.position().to_move
            rewards = {seat: after.rewards[i][game.current_player], 1 - seat: after.rewards[i][1 - game.current_player]}
            found.append(After(rewards, bool(is_over[i]), self._seen(i)))
        return found


class Device(JAX):
    """The batch on a device. It pays the player that acted."""

    loses_illegal = 0.0
    draws_seeds = True

    def __init__(self, start, opponent):
        self.jax = pytest.importorskip("jax", reason="JAX is an optional extra")
        from othello_env.jax import DeviceVectorEnv

        self.env = DeviceVectorEnv(self.n, self.inside(opponent), **start.arguments)

    def begin(self, seed):
        self.seen = self._all_seen(self.env.reset(seed=seed)[0])
        return self.seen

    def _all_seen(self, observation):
        self.state = self.jax.tree.map(np.asarray, self.env.state)
        arrays = self.jax.tree.map(np.asarray, observation)
        return [
            seen_by_mover(self.game(i).position(), {name: each[i] for name, each in arrays.items()})
            for i in range(self.n)
        ]

    def step(self, actions):
        players = [each.player for each in self.seen]
        observation, rewards, over, truncated, _ = self.env.step(np.array(actions))
        assert not truncated.any()
        self.seen = self._all_seen(observation)
        paid = [{player: reward} for player, reward in zip(players, rewards.tolist(), strict=True)]
        return [After(*each) for each in zip(paid, over.tolist(), self.seen, strict=True)]


ALL, OTHELLO = ("Othello", "Checkers", "Tribolo"), ("Othello",)
SELF_PLAY = {
    "State": (States, ALL),
    "PettingZoo": (PettingZoo, ALL),
    "vector": (partial(Vector, mode="SameStep"), ALL),
    "vector, next step": (partial(Vector, mode="NextStep"), ALL),
    "jax": (partial(JAX, auto_reset=False), OTHELLO),
    "jax, auto_reset": (partial(JAX, auto_reset=True), OTHELLO),
    "device": (Device, OTHELLO),
}
AGAINST_OPPONENTS = {
    "single": (Single, ALL),
    "flat": (Flat, OTHELLO),
    "vector": (partial(Vector, mode="SameStep"), ALL),
    "vector, next step": (partial(Vector, mode="NextStep"), ALL),
    "vector, disabled": (partial(Vector, mode="Disabled"), ALL),
    "vector, flat": (partial(Vector, mode="SameStep", name="{}-flat-v0"), OTHELLO),
    "text": (Text, ("Othello", "Checkers")),
    "jax": (partial(JAX, auto_reset=False), OTHELLO),
    "jax, auto_reset": (partial(JAX, auto_reset=True), OTHELLO),
    "device": (Device, OTHELLO),
}


JAX_CASES = [
    *((size, None) for size in ("4x4", "6x6 late", "8x8")),
    *(("4x4 late", "random"), ("4x4 late", "function"), ("8x8 late", "maximizer")),
]
"""JAX compiles each case, which takes seconds, so it has only these."""


def cases() -> Iterator[Any]:
    """All ways, starts and opponents."""
    rows = [(*each, [None]) for each in SELF_PLAY.items()] + [(*each, OPPONENTS) for each in AGAINST_OPPONENTS.items()]
    for name, (way, games), opponents in rows:
        for start, opponent in product(STARTS, opponents):
            kind = way.func if isinstance(way, partial) else way
            is_slow, pays = issubclass(kind, JAX), kind.pays_margins or STARTS[start].reward == "result"
            if STARTS[start].game in games and pays and (not is_slow or (start, opponent) in JAX_CASES):
                yield pytest.param((way, start, opponent), id=f"{name}-{start}-{opponent or 'self-play'}")


@cache
def made(case: Any) -> Way:
    way, start, opponent = case
    return way(STARTS[start], OPPONENTS.get(opponent))


# How a player plays: uniformly random, now and then with an illegal action.


class Turn(NamedTuple):
    seen: Seen
    action: int
    after: After


def play(way: Way, seed: int | None, steps: int, illegal: float = 0.0) -> list[list[Turn]]:
    """The turns of games; the last games need not be over. In this share of turns, an illegal action is played."""
    rng, games, unfinished = np.random.default_rng(1), [], [[] for _ in range(way.n)]
    seen = way.begin(seed)
    for _ in range(steps):
        actions = [0 if each is None else choose(each.mask, rng, illegal) for each in seen]
        for i, after in enumerate(way.step(actions)):
            if seen[i] is None:  # this step only began a game
                assert not after.is_over
                assert not any(after.rewards.values())
            else:
                unfinished[i].append(Turn(seen[i], actions[i], after))
            if after.is_over:
                games.append(unfinished[i])
                unfinished[i] = []
            seen[i] = after.next
    return games + [turns for turns in unfinished if turns]


def choose(mask: Array, rng: np.random.Generator, illegal: float) -> int:
    return int(rng.choice(np.flatnonzero(mask == (rng.random() >= illegal))))


@cache
def legal_games(case: Any) -> list[list[Turn]]:
    way = made(case)
    return play(way, seed=7, steps=100 if way.n == 1 else 62 if case[2] is None else 32)


# The promises.


@pytest.fixture(params=cases())
def case(request):
    return request.param


def outcomes(state: State, player: int, passes: bool) -> Iterator[State]:
    """The positions at the player's next turn, and the ends of the game before it, for all that others may play."""
    if state.is_over or (state.to_move == player and not (passes and state.must_pass)):
        yield state
    else:
        for action in state.legal_actions():
            yield from outcomes(state.play(action), player, passes)


def test_it_is_the_players_turn(case):
    for turns in legal_games(case):
        for seen, _, _ in turns:
            state = seen.state
            assert not state.is_over
            assert seen.player == state.to_move
            assert seen.mask.astype(bool).tolist() == state.action_mask().astype(bool).tolist()
            assert seen.planes is None or (seen.planes == state.observation(seen.player)).all()
        assert case[2] is None or len({seen.player for seen, _, _ in turns}) == 1  # of a game against opponents


def test_what_follows_is_what_the_rules_allow_and_the_end_pays_each_player_its_result(case):
    way, start, is_self_play, ends = made(case), STARTS[case[1]], case[2] is None, 0
    for turns in legal_games(case):
        assert not any(turn.after.is_over for turn in turns[:-1])
        for seen, action, after in turns:
            assert seen.player in after.rewards
            assert after.is_over or not any(after.rewards.values())
            ends += after.is_over
            played = seen.state.play(action)
            if after.last is not None:
                assert after.last.is_over
                assert all(paid == start.outcome(after.last)[player] for player, paid in after.rewards.items())
            if played.num_players > 2 and not is_self_play:  # two opponents have too many answers to list them
                continue
            allowed = [played] if is_self_play else [*outcomes(played, seen.player, way.plays_passes)]
            if after.is_over:
                results = [start.outcome(state) for state in allowed if state.is_over]
                assert any(all(result[p] == paid for p, paid in after.rewards.items()) for result in results)
            elif after.next is not None:
                assert after.next.state in [state for state in allowed if not state.is_over]
    assert ends >= way.n / 3


@pytest.mark.filterwarnings("ignore::othello_env.IgnoredMaskWarning")
def test_an_illegal_action_ends_the_game_and_costs_its_player(case):
    way, start, count = made(case), STARTS[case[1]], 0
    for turns in play(way, seed=8, steps=60 if way.n == 1 else 10, illegal=0.2):
        for seen, action, after in turns:
            if seen.state.is_legal(action):
                continue
            count += 1
            if way.loses_illegal is None:
                assert (after.rewards, after.is_over, after.next.state) == ({}, False, seen.state)
                continue
            assert after.is_over
            others = dict.fromkeys(after.rewards, way.loses_illegal)
            assert after.rewards == others | {seen.player: -start.penalty(seen.state)}
    assert count > 2


def test_seeds(case):
    way, start, steps = made(case), STARTS[case[1]], 40 if made(case).n == 1 else 6

    def games(way, seed):
        played = play(way, seed, steps)
        return [[(turn.seen.state, turn.action, turn.after.rewards) for turn in turns] for turns in played]

    first = games(way, 7)
    assert games(way, 7) == first
    if start.game == "Othello" and start.openings is None:
        return  # all games begin with the same position
    assert games(way, 8) != first
    assert len({turns[0][0] for turns in first}) > 1  # the games after the first are other games
    if way.draws_seeds:
        new = [case[0](start, OPPONENTS.get(case[2])) for _ in range(2)]
        one, other = ([seen.state for _ in range(5) for seen in each.begin(None)] for each in new)
        assert one != other
