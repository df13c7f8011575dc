"""Begin, play and end the games of a batch. These compiled functions (kernels) serve every kind of game.

In every step, the fast kernel `play_all` plays the actions of all games. Few games begin or end in a step, so plain
loops over these few games are fast enough. Everything random in a game depends only on the game's key. From the same
key, `othello_env.games.openings` makes the same opening as these kernels.

Python passes the structures to the first kernels of this module as plain tuples of their fields, because passing named
tuples takes twice as long. `othello_env.games.batch.batch` explains the letters in shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.functions import (
    check,
    choose,
    encode,
    is_legal,
    largest_margin,
    must_pass,
    placed,
    play,
    play_all,
    play_some,
    result,
    score,
    set_start,
    store_board,
)
from othello_env.games.batch.state import (
    ILLEGAL,
    NO_OPENING,
    NO_TURN,
    OVER,
    SIDE_DRAWN,
    UNCHECKED,
    BatchState,
    EndedGames,
    InitialArrays,
    Outputs,
    StepOptions,
)
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, POOL, REDRAW, SIDE, first_above, mix
from othello_env.support.jit import Int, kernel

__all__ = [
    "answer",
    "are_legal",
    "begin",
    "draw_actions",
    "observe",
    "play_all_checked",
    "play_at",
    "play_randomly",
    "randomise",
    "results",
    "step",
    "waiting",
]

_Fields = tuple[Any, ...]
_0, _1, _32 = np.uint64(0), np.uint64(1), np.uint64(32)


@kernel
def step(
    constants: Any,
    arrays: _Fields,
    actions: npt.NDArray[np.int64],
    problems: Int,
    out_fields: _Fields,
    initial_fields: _Fields,
    option_fields: _Fields,
) -> tuple[npt.NDArray[Any], npt.NDArray[np.integer], int, Int]:
    """Play an action in each of N games, unless the actions have a problem that is refused. Then nothing changes.

    Args:
        constants: the game's constants.
        arrays: the fields of the `BatchState` of N games, changed in place.
        actions: (N,). An illegal action ends its game. If a game was already over, its action is ignored and the next
            game begins.
        problems: the result of `check` for the actions, or UNCHECKED if the step must check them.
        out_fields: the fields of `Outputs`, which the step overwrites.
        initial_fields: the fields of `InitialArrays`: how new games begin.
        option_fields: the fields of `StepOptions`.

    Returns:
        Four items: the two fields of `EndedGames`, a number that is NO_OPENING if a game could not begin, else 0, and
        the problems.
    """
    state, out = BatchState(*arrays), Outputs(*out_fields)
    initial, options = InitialArrays(*initial_fields), StepOptions(*option_fields)
    if problems == UNCHECKED:
        problems = np.int64(check(constants, state, actions, options.num_actions))
    if problems & options.refused:
        refused = _new_records(state, out, np.empty(0, np.int64))
        return refused.rows, refused.moves, 0, problems
    was_over = _true_places(state.over) if problems & OVER else np.empty(0, np.int64)
    unplayable = _unplayable(constants, state, actions) if problems else np.empty(0, np.bool_)

    _clear_last_step(state, out)
    _note_all(state, actions, unplayable)
    play_all(constants, state, actions, unplayable)
    failed = _begin_games(constants, state, was_over, initial)
    for index in was_over:
        out.reward_to[index] = -1

    indices = _true_places(state.over)
    ended = _new_records(state, out, indices)
    if problems & ILLEGAL:
        _note_illegal(ended, actions, unplayable)
    for i in range(len(actions)):
        out.terminated[i] = state.over[i]
    _end_games(constants, state, ended, out, options.by_margin)
    if options.begin_next and _begin_games(constants, state, indices, initial) != 0:
        failed = NO_OPENING
    if options.observes:
        encode(constants, state, out)
    return ended.rows, ended.moves, failed, problems


@kernel
def observe(constants: Any, arrays: _Fields, out_fields: _Fields) -> None:
    """Write the observations, masks and scores of N games."""
    encode(constants, BatchState(*arrays), Outputs(*out_fields))


@kernel
def waiting(
    constants: Any, arrays: _Fields
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8], npt.NDArray[np.uint64], npt.NDArray[np.int16]]:
    """Play the forced passes of opponents, and find the M games in which an opponent must choose an action.

    In games without a learner, all players are opponents.

    Returns:
        Four arrays (M,): the indices of the games in ascending order, the players to move, the keys for the opponents'
        random choices, and the indices of the opponents (-1 in games without a learner).
    """
    state = BatchState(*arrays)
    n, players = 0, state.opponents.shape[1] + 1
    places = np.empty(len(state.over), np.int64)
    for i in range(len(state.over)):
        while state.learner[i] != state.to_move[i] and not state.over[i]:
            if not must_pass(constants, state, i):
                places[n] = i
                n += 1
                break
            action = choose(constants, state, i, _0)
            _note(state, i, action)
            play(constants, state, i, action)
    indices = places[:n].copy()
    to_move, key, opponent = np.empty(n, np.int8), np.empty(n, np.uint64), np.empty(n, np.int16)
    for k in range(n):
        i = int(indices[k])
        to_move[k], key[k] = state.to_move[i], mix(state.key[i], np.uint64(OPPONENT))
        seat = 0
        if players > 2:
            key[k] = mix(key[k], np.uint64(to_move[k]))
            seat = (to_move[k] - state.learner[i] - 1) % players  # a division, so only if there is more than one seat
        opponent[k] = state.opponents[i, seat] if state.learner[i] >= 0 else -1
    return indices, to_move, key, opponent


@kernel
def answer(
    constants: Any,
    arrays: _Fields,
    indices: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
    out_fields: _Fields,
    initial_fields: _Fields,
    option_fields: _Fields,
) -> tuple[npt.NDArray[Any], npt.NDArray[np.integer], int]:
    """Play a legal action of an opponent in each of the M games at `indices`.

    `step` explains the other arguments. If an action ends a game before the learner's first turn, a new game replaces
    this game.

    Returns:
        Three items: the two fields of `EndedGames`, and a number. The number is NO_OPENING or NO_TURN if a game could
        not begin, else 0.
    """
    state, out = BatchState(*arrays), Outputs(*out_fields)
    initial, options = InitialArrays(*initial_fields), StepOptions(*option_fields)
    play_at(constants, arrays, indices, actions)
    places = np.empty(len(indices), np.int64)
    n, failed = 0, 0
    for index in indices:
        i = int(index)
        if not state.over[i]:
            continue
        if state.redraws[i] < 0:
            places[n] = i
            out.terminated[i] = True
            n += 1
        elif state.redraws[i] == initial.redraws:
            failed = NO_TURN
        else:
            state.redraws[i] += 1
            if not _begin(constants, state, i, mix(state.key[i], np.uint64(REDRAW)), initial):
                failed = NO_OPENING
    over = places[:n]
    ended = _new_records(state, out, over)
    _end_games(constants, state, ended, out, options.by_margin)
    if options.begin_next and _begin_games(constants, state, over, initial) != 0:
        failed = NO_OPENING
    return ended.rows, ended.moves, failed


@kernel
def play_at(constants: Any, arrays: _Fields, indices: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
    """Play a legal action in each of the M games at `indices`."""
    state = BatchState(*arrays)
    for k in range(len(actions)):
        _note(state, indices[k], actions[k])
    play_some(constants, state, indices, actions)


@kernel
def begin(constants: Any, arrays: _Fields, indices: npt.NDArray[np.int64], initial_fields: _Fields) -> int:
    """Begin the next game at each of the M places `indices`, and count it in `state.episode`.

    Returns:
        0, or NO_OPENING if a game could not begin.
    """
    return _begin_games(constants, BatchState(*arrays), indices, InitialArrays(*initial_fields))


@kernel(no_refcount=True)
def _begin_games(constants: Any, state: BatchState, indices: npt.NDArray[np.int64], initial: InitialArrays) -> int:
    """Do what `begin` does. Only other kernels call this kernel."""
    failed = 0
    for index in indices:
        i = int(index)
        state.episode[i] += _1
        state.redraws[i] = 0
        if not _begin(constants, state, i, mix(state.env_key[i], state.episode[i]), initial):
            failed = NO_OPENING
    return failed


@kernel(no_refcount=True)
def _begin(constants: Any, state: BatchState, i: int, key: np.uint64, initial: InitialArrays) -> bool:
    """Begin game i with this key. Returns False if it could not begin; NO_OPENING explains the reasons."""
    opening_key = mix(key, np.uint64(OPENING))
    chosen = first_above(initial.bounds, mix(opening_key, _0) >> _32) if len(initial.bounds) > 1 else 0
    has_begun = False
    for attempt in range(initial.attempts):
        state.over[i], state.plies[i] = False, 0
        if not set_start(constants, state, i, key, initial, chosen):
            break
        if len(initial.plies) > 0:
            state.plies[i] = initial.plies[chosen]
            for ply in range(initial.plies[chosen]):
                state.moves[i, ply] = initial.moves[chosen, ply]
        has_begun = _random_plies(constants, state, i, initial.random_plies, mix(opening_key, np.uint64(attempt)))
        if has_begun:
            break
    state.over[i] = not has_begun
    state.key[i] = key
    _seat(state, i, key, initial)
    return has_begun


@kernel(no_refcount=True)
def _random_plies(constants: Any, state: BatchState, i: int, plies: int, key: np.uint64) -> bool:
    """Play random plies in game i. Returns False if they end the game, or if `state.moves` has no space for them."""
    for _ in range(plies):
        if state.over[i] or state.plies[i] >= state.moves.shape[1]:
            return False
        action = choose(constants, state, i, mix(key, placed(constants, state, i)))
        _note(state, i, action)
        play(constants, state, i, action)
    return not state.over[i]


@kernel(no_refcount=True)
def _seat(state: BatchState, i: int, key: np.uint64, initial: InitialArrays) -> None:
    """Choose the learner's player and the opponents in game i, by the key of the game."""
    others = state.opponents.shape[1]
    state.learner[i] = initial.side
    if initial.side == SIDE_DRAWN:
        state.learner[i] = np.int64(mix(key, np.uint64(SIDE)) % np.uint64(others + 1))
    seat_key = mix(key, np.uint64(POOL))
    for seat in range(others):
        drawn = (seat_key if seat == 0 else mix(seat_key, np.uint64(seat))) >> _32
        state.opponents[i, seat] = initial.first + first_above(initial.pool[seat], drawn)


@kernel(no_refcount=True)
def _clear_last_step(state: BatchState, out: Outputs) -> None:
    """Overwrite what the last step wrote: `reward` with 0, `reward_to` with `to_move`, and `redraws` with -1."""
    for i in range(len(out.reward)):
        out.reward[i] = 0.0
    for i in range(len(out.reward)):
        out.reward_to[i] = state.to_move[i]
    for i in range(len(out.reward)):
        state.redraws[i] = -1


@kernel
def _unplayable(constants: Any, state: BatchState, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """(N,) flags. A flag is True if its action cannot be played, because the game is over or the action is illegal."""
    flags = np.empty(len(actions), np.bool_)
    for i in range(len(actions)):
        flags[i] = state.over[i] or not is_legal(constants, state, i, actions[i])
    return flags


@kernel(no_refcount=True)
def _note_all(state: BatchState, actions: npt.NDArray[np.int64], unplayable: npt.NDArray[np.bool_]) -> None:
    """Add an action to the moves of each of N games, except those with the flag `unplayable`."""
    last = state.moves.shape[1] - 1
    for i in range(len(actions)):
        state.moves[i, min(np.int64(state.plies[i]), last)] = actions[i]
    for i in range(len(actions)):
        state.plies[i] += 1
    for i in range(len(unplayable)):
        state.plies[i] -= np.int64(unplayable[i])


@kernel(inline=True, no_refcount=True)
def _note(state: BatchState, i: int, action: int) -> None:
    """Add an action to the moves of game i."""
    state.moves[i, state.plies[i]] = action
    state.plies[i] += 1


@kernel
def _new_records(state: BatchState, out: Outputs, indices: npt.NDArray[np.int64]) -> EndedGames:
    """Records of the games at `indices`, (E,), as games that no illegal action ended. `_end_games` fills the rest."""
    rows = np.empty(len(indices), out.template.dtype)
    for k in range(len(indices)):
        rows["game"][k], rows["illegal"][k] = indices[k], -1
    return EndedGames(rows, np.empty((len(indices), state.moves.shape[1]), state.moves.dtype))


@kernel(no_refcount=True)
def _note_illegal(ended: EndedGames, actions: npt.NDArray[np.int64], unplayable: npt.NDArray[np.bool_]) -> None:
    """Write the illegal actions, which have the flag `unplayable`, into the records of the games that they ended."""
    for k in range(len(ended.rows)):
        i = ended.rows["game"][k]
        if unplayable[i]:
            ended.rows["illegal"][k] = actions[i]


@kernel(no_refcount=True)
def _end_games(constants: Any, state: BatchState, ended: EndedGames, out: Outputs, by_margin: bool) -> None:
    """Write the rewards of the E games that ended, and the rest of their records.

    A record has the last board from the point of view of the learner or, in self-play, of the player to move. This
    player is the viewer of the record.
    """
    players = state.opponents.shape[1] + 1
    rows = ended.rows
    for k in range(len(rows)):
        i, illegal = int(rows["game"][k]), rows["illegal"][k] >= 0
        winner, best = -1, -np.inf
        for player in range(players):
            outcome = result(constants, state, i, player, False)
            winner = player if outcome > best else (-1 if outcome == best else winner)
            best = max(best, outcome)
            rows["scores"][k][player] = score(constants, state, i, player)
        if illegal:
            winner = -1
            out.reward[i] = -largest_margin(constants, state, i) if by_margin else -1.0
        else:
            out.reward[i] = result(constants, state, i, int(out.reward_to[i]), by_margin)
        rows["viewer"][k] = state.learner[i] if state.learner[i] >= 0 else state.to_move[i]
        rows["to_move"][k], rows["winner"][k], rows["plies"][k] = state.to_move[i], winner, state.plies[i]
        for seat in range(players - 1):
            rows["opponents"][k][seat] = state.opponents[i, seat]
        for ply in range(state.plies[i]):
            ended.moves[k, ply] = state.moves[i, ply]
        store_board(constants, state, i, rows, k)


@kernel
def draw_actions(constants: Any, arrays: _Fields, key: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """(N,) uniformly random legal actions, one for each game.

    `key`, (N,), has each game's key for random choices. For the same key and position,
    `othello_env.agent.protocol.RandomChoices.choose` returns the same action.
    """
    state = BatchState(*arrays)
    actions = np.empty(len(key), np.int64)
    for i in range(len(key)):
        decision_key = mix(key[i], placed(constants, state, i))
        actions[i] = choose(constants, state, i, mix(decision_key, np.uint64(CHOICE)))
    return actions


@kernel
def randomise(
    constants: Any,
    arrays: _Fields,
    key: npt.NDArray[np.uint64],
    threshold: np.uint64,
    actions: npt.NDArray[np.int64],
) -> None:
    """Replace each action, with probability `threshold` / 2**32, by a uniformly random legal action.

    `actions`, (N,), is changed in place. `key`, (N,), has each game's key for random choices.
    """
    state = BatchState(*arrays)
    for i in range(len(key)):
        decision_key = mix(mix(key[i], np.uint64(EPSILON)), placed(constants, state, i))
        if mix(decision_key, np.uint64(EPSILON)) >> _32 < threshold:
            actions[i] = choose(constants, state, i, mix(decision_key, np.uint64(CHOICE)))


@kernel
def play_all_checked(
    constants: Any, arrays: _Fields, actions: npt.NDArray[np.int64], num_actions: int
) -> npt.NDArray[np.bool_]:
    """Play an action in each of N games.

    Returns:
        (N,) flags, True if the game was over or its action is not legal. These games are over now. The array is empty
        if there is no such game.
    """
    state, unplayable = BatchState(*arrays), np.empty(0, np.bool_)
    if check(constants, state, actions, num_actions) != 0:
        unplayable = ~are_legal(constants, arrays, np.arange(len(actions)), actions, num_actions)
        for i in range(len(actions)):
            unplayable[i] |= state.over[i]
    _note_all(state, actions, unplayable)
    play_all(constants, state, actions, unplayable)
    return unplayable


@kernel
def play_randomly(constants: Any, arrays: _Fields, key: npt.NDArray[np.uint64]) -> None:
    """Play random actions in N games until all are over, or until `state.moves` has no space for one more action.

    The actions are those of `draw_actions`.
    """
    state = BatchState(*arrays)
    actions, unplayable = np.zeros(len(key), np.int64), np.empty(len(key), np.bool_)
    while True:
        most, playing = 0, False
        for i in range(len(key)):
            unplayable[i] = state.over[i]
            if not state.over[i]:
                decision_key = mix(key[i], placed(constants, state, i))
                actions[i] = choose(constants, state, i, mix(decision_key, np.uint64(CHOICE)))
                most, playing = max(most, int(state.plies[i])), True
        if not playing or most >= state.moves.shape[1]:
            break
        _note_all(state, actions, unplayable)
        play_all(constants, state, actions, unplayable)


@kernel
def results(constants: Any, arrays: _Fields, by_margin: bool) -> npt.NDArray[np.float64]:
    """(N, P) each player's result in N games or, if `by_margin`, margin; 0 in unfinished games."""
    state = BatchState(*arrays)
    players = state.opponents.shape[1] + 1
    values = np.zeros((len(state.over), players))
    for i in range(len(state.over)):
        if state.over[i]:
            for player in range(players):
                values[i, player] = result(constants, state, i, player, by_margin)
    return values


@kernel
def are_legal(
    constants: Any, arrays: _Fields, indices: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], num_actions: int
) -> npt.NDArray[np.bool_]:
    """(M,) flags, whether each action is in range and legal in the game at its place of `indices`."""
    state = BatchState(*arrays)
    flags = np.empty(len(indices), np.bool_)
    for k in range(len(indices)):
        flags[k] = 0 <= actions[k] < num_actions and is_legal(constants, state, indices[k], actions[k])
    return flags


@kernel
def _true_places(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The indices of the flags that are True, in ascending order. The loop is fast, because it has no branch."""
    places = np.empty(len(flags) + 1, np.int64)
    n = 0
    for i in range(len(flags)):
        places[n] = i
        n += int(flags[i])
    return places[:n]
