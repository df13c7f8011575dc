"""How well an agent moves: packaged endgames, and regret on small boards."""

import math
from itertools import islice

import numpy as np
import pytest
from load_script import load_script

from othello_env import Agent, Othello, make_agent
from othello_env.arena import measure_regret, run_perfection
from othello_env.arena.openings import packaged_lines
from othello_env.arena.rating.accuracy import (
    REGRET_SIZES,
    endgame_positions,
    measure_endgame,
    openings_name,
    random_accuracy,
    random_endgame,
    regret_name,
    regret_positions,
    solved_openings,
)
from othello_env.games.othello import symmetries

pytestmark = pytest.mark.filterwarnings("ignore::othello_env.arena.FaultWarning")  # some agents fail on purpose

EMPTY = {4: range(2, 8), 6: range(4, 23)}


def packaged(size):
    return endgame_positions() if size == 8 else regret_positions(size)


def measure(agent, size, seed=0):
    return measure_endgame(agent, seed=seed) if size == 8 else measure_regret(agent, size=size, seed=seed)


def canonical(state):
    planes = state.observation(state.to_move)
    return min(symmetries.transform_observation(planes, k).tobytes() for k in range(symmetries.COUNT))


def empty(state):
    return state.size**2 - sum(state.discs())


class Chooses(Agent):
    """Plays the action of a packaged position that a function of the scores returns."""

    def __init__(self, choose, size):
        self.scores = {position.state: position.scores for position in packaged(size)}
        self.choose = choose

    def act(self, state, *, seconds_left=None):
        return self.choose(self.scores[state])


def best_of(scores):
    return max(scores, key=scores.get)


def worst_of(scores):
    return min(scores, key=scores.get)


def test_no_legal_answer_is_the_worst_move_and_is_counted():
    worst = measure_endgame(Chooses(worst_of, 8))

    def nonsense(observations, masks):
        return np.full(len(masks), 64)

    def fails(observations, masks):
        raise ZeroDivisionError("oops")

    for policy, told in ((nonsense, "is not legal"), (fails, "oops")):
        found = measure_endgame(policy)
        assert (found.losses, found.best, len(found.faults)) == (worst.losses, 0, 500)
        assert told in found.faults[0]


def test_one_fault_in_a_batch_spoils_one_answer():
    bad = endgame_positions()[7].state

    def policy(observations, masks):
        is_bad = (observations == bad.observation(bad.to_move)).all(axis=(1, 2, 3))
        return np.where(is_bad, 64, np.argmax(masks, axis=1))

    def good(observations, masks):
        return np.argmax(masks, axis=1)

    found, expected = measure_endgame(policy), measure_endgame(good)
    assert len(found.faults) == 1
    assert [i for i in range(500) if found.losses[i] != expected.losses[i]] in ([7], [])
    rows = found.position_rows()
    assert [row["position"] for row in rows if row["move"] is None] == [7]
    assert rows[7]["loss"] == max(map(endgame_positions()[7].loss, endgame_positions()[7].scores))


def test_the_rows_are_the_agents_moves_in_the_positions():
    agent = make_agent("maximizer:eval=weighted")
    rows = measure_regret(agent, size=4).position_rows()
    assert len(rows) == len(regret_positions(4))
    for row, position in zip(rows, regret_positions(4), strict=True):
        state = Othello.from_text(row["board"], row["to_move"])
        assert state == position.state == Othello.from_moves(row["transcript"], 4)
        assert row["empties"] == row["board"].count("-")
        best = max(position.scores.values())
        assert row["move"] == state.action_to_text(agent.act(state))
        assert row["loss"] == best - position.scores[state.action_from_text(row["move"])]
        assert {state.action_from_text(move) for move in row["best"]} == {
            action for action, score in position.scores.items() if score == best
        }


def test_the_error_for_8x8_names_the_function_for_8x8():
    with pytest.raises(ValueError, match="size 4 or 6, not 8; measure_endgame is for 8x8"):
        measure_regret("random", size=8)


class First(Agent):
    """Plays the first legal move."""

    def act(self, state, *, seconds_left=None):
        return state.legal_actions()[0]


@pytest.mark.parametrize("size", [*REGRET_SIZES, 8])
def test_each_position_has_a_choice_and_is_there_once(size):
    positions = packaged(size)
    numbers = [empty(position.state) for position in positions]
    if size == 8:
        assert len(numbers) == 500
        assert {*numbers} == {*range(8, 13)}
    else:
        assert numbers == [EMPTY[size][i % len(EMPTY[size])] for i in range(len(positions))]
    for position in positions:
        assert tuple(position.scores) == position.state.legal_actions()
        assert len(set(position.scores.values())) > 1
        assert all(score % 2 == 0 and abs(score) <= size**2 for score in position.scores.values())
    assert len({canonical(position.state) for position in positions}) == len(positions)


def full_search(state):
    """The final margin for the player to move under perfect play, found by a search through all games."""
    if state.is_over:
        return int(state.margins()[state.to_move])
    values = []
    for action in state.legal_actions():
        after = state.play(action)
        values.append(full_search(after) * (1 if after.to_move == state.to_move else -1))
    return max(values)


@pytest.mark.slow
def test_the_scores_are_those_of_the_solvers_and_of_a_full_search():
    perfect, engine = make_agent("perfect"), make_agent("engine")
    late = [each for each in regret_positions(6) if empty(each.state) <= 11]
    for solver, positions in ((perfect, regret_positions(4)), (engine, late), (engine, endgame_positions()[::10])):
        for position, row in zip(positions, solver.exact_scores([each.state for each in positions]), strict=True):
            assert {action: row[action] for action in np.flatnonzero(~np.isnan(row))} == position.scores
    early = next(each for each in regret_positions(6) if empty(each.state) == 20)
    assert perfect.action_values(early.state) == early.scores
    latest = [position for position in endgame_positions() if empty(position.state) == 8]
    for position in sorted(latest, key=lambda position: len(position.scores))[:2]:
        for action, score in position.scores.items():
            after = position.state.play(action)
            sign = 1 if after.to_move == position.state.to_move else -1
            assert sign * full_search(after) == score


def test_the_openings():
    perfect = make_agent("perfect")
    for state, black in solved_openings(4):
        assert perfect.score(state) == (black if state.to_move == 0 else -black)
    openings = solved_openings(6)
    assert openings[0] == (Othello(6), -4)
    assert [black for _, black in openings[1:]].count(0) == 25
    for state, black in openings[1:3]:
        assert perfect.score(state) == (black if state.to_move == 0 else -black)
    for size, plies in ((4, 4), (6, 10)):
        rest = [state for state, _ in solved_openings(size)[1:]]
        assert all(len(state.moves) == plies and not state.is_over for state in rest)
        assert len({canonical(state) for state in rest}) == len(rest)


def test_the_script_makes_the_packaged_lists():
    script = load_script("make/scored_positions")
    for name, made, count in (
        ("endgame-v0", script.positions(8, 0), 5),
        (regret_name(4), script.positions(4, 0), 8),
        (openings_name(4), script.openings(4, 0), 8),
        (regret_name(6), script.positions(6, 0), 3),
    ):
        assert [*islice(made, count)] == [*packaged_lines("othello_env.arena.rating", f"{name}.txt")[:count]]


@pytest.mark.parametrize("size", [*REGRET_SIZES, 8])
def test_best_worst_and_random_moves(size):
    positions = packaged(size)
    best = measure(Chooses(best_of, size), size)
    assert (best.rate, best.loss) == (1.0, 0.0)
    worst = measure(Chooses(worst_of, size), size)
    losses = [max(p.scores.values()) - min(p.scores.values()) for p in positions]
    assert (worst.rate, worst.loss) == (0.0, pytest.approx(np.mean(losses)))
    several = [measure("random", size, seed) for seed in range(20)]
    rate, loss = random_accuracy(positions)
    assert np.mean([each.rate for each in several]) == pytest.approx(rate, abs=0.03)
    assert np.mean([each.loss for each in several]) == pytest.approx(loss, abs=0.4)
    assert measure("random", size, 3) == several[3]
    if size == 8:
        assert random_endgame() == (rate, loss)
        assert best.rate_interval == pytest.approx((500 / (500 + 1.95996**2), 1))
        low, high = worst.loss_interval
        assert (high - low) / 2 == pytest.approx(1.96 * np.std(losses) / 500**0.5, rel=1e-3)
        return
    assert sum(stage.accuracy.positions for stage in worst.stages) == len(positions)
    for stage in worst.stages:
        chosen = [p for p in positions if stage.fewest <= empty(p.state) <= stage.most]
        assert stage.accuracy.loss == np.mean([max(p.scores.values()) - min(p.scores.values()) for p in chosen])
        assert stage.random == random_accuracy(chosen)
    assert regret_name(size) == worst.to_json()["positions"]


def test_perfect_play_has_no_regret_on_4x4():
    found = run_perfection("perfect", size=4)
    assert (found.regret.rate, found.regret.loss) == (1.0, 0.0)
    assert set(found.games.losses) == {0.0}
    assert (found.games.kept, found.games.loss_interval) == (1.0, (0.0, 0.0))
    assert (found.exploitability.discs, found.exploitability.worst) == (0.0, (-10.0, 10.0))


def test_games_against_perfect_play_by_hand():
    """The discs lost in a game are the sum of the discs that each move of the agent lost."""
    found, perfect = run_perfection(First(), size=4, games=42), make_agent("perfect")
    records, openings = found.games.match.records, solved_openings(4)
    assert len(records) == 42
    for record, loss in zip(records, found.games.losses, strict=True):
        seat, state = record.agents.index("first"), openings[record.opening][0]
        lost = 0
        for name in record.moves.split():
            before, mover = perfect.score(state), state.to_move
            state = state.play(state.pass_action if name == "pass" else state.action_from_text(name))
            after = -perfect.score(state)
            assert after == before or mover == seat
            lost += before - after
        assert lost == loss >= 0
    means = [np.mean(found.games.losses[i : i + 2]) for i in range(0, 42, 2)]
    half = 1.959964 * np.std(means, ddof=1) / math.sqrt(21)
    assert found.games.loss == pytest.approx(np.mean(means))
    assert found.games.loss_interval == pytest.approx((np.mean(means) - half, np.mean(means) + half))

    # With more games, the openings are played again. Neither player draws moves at random, so this tells nothing new.
    twice = run_perfection(First(), size=4, games=84)
    assert twice.games.losses == 2 * found.games.losses
    assert twice.games.loss_interval == pytest.approx(found.games.loss_interval)
