"""How well an agent moves: packaged endgames, and regret on small boards."""

import math
from itertools import islice

import numpy as np
import pytest
from load_script import load_script
from scipy import stats

from othello_env import Agent, Othello, make_agent
from othello_env.arena import exploitability, measure_positions, play_perfect
from othello_env.arena.benchmark.perfect import OPENINGS, solved_openings
from othello_env.arena.benchmark.positions import LISTS, load_positions
from othello_env.arena.openings import packaged_lines
from othello_env.games.othello import symmetries

pytestmark = pytest.mark.filterwarnings("ignore::othello_env.arena.FaultWarning")  # some agents fail on purpose

EMPTY = {"othello:size=4": range(2, 8), "othello:size=6": range(4, 23)}
SMALL = "othello:size=4"


def canonical(state):
    planes = state.observation(state.to_move)
    return min(symmetries.transform_observation(planes, k).tobytes() for k in range(symmetries.COUNT))


def empty(state):
    return state.size**2 - sum(state.discs())


class Chooses(Agent):
    """Plays the action of a packaged position that a function of the scores returns."""

    def __init__(self, choose, game="othello"):
        self.scores = {position.state: position.scores for position in load_positions(game)}
        self.choose = choose

    def act(self, state, *, seconds_left=None):
        return self.choose(self.scores[state])


def best_of(scores):
    return max(scores, key=scores.get)


def worst_of(scores):
    return min(scores, key=scores.get)


def test_no_legal_answer_is_the_worst_move_and_is_counted():
    worst = measure_positions(Chooses(worst_of))

    def nonsense(observations, masks):
        return np.full(len(masks), 64)

    def fails(observations, masks):
        raise ZeroDivisionError("oops")

    for policy, told in ((nonsense, "is not legal"), (fails, "oops")):
        found = measure_positions(policy)
        assert (found.losses, found.best, len(found.faults)) == (worst.losses, 0, 500)
        assert told in found.faults[0]


def test_one_fault_in_a_batch_spoils_one_answer():
    bad = load_positions()[7].state

    def policy(observations, masks):
        is_bad = (observations == bad.observation(bad.to_move)).all(axis=(1, 2, 3))
        return np.where(is_bad, 64, np.argmax(masks, axis=1))

    def good(observations, masks):
        return np.argmax(masks, axis=1)

    found, expected = measure_positions(policy), measure_positions(good)
    assert len(found.faults) == 1
    assert [i for i in range(500) if found.losses[i] != expected.losses[i]] in ([7], [])
    rows = found.position_rows()
    assert [row["position"] for row in rows if row["move"] is None] == [7]
    assert rows[7]["loss"] == max(map(load_positions()[7].loss, load_positions()[7].scores))


def test_the_rows_are_the_agents_moves_in_the_positions():
    agent = make_agent("maximizer:eval=weighted")
    rows = measure_positions(agent, game=SMALL).position_rows()
    assert len(rows) == len(load_positions(SMALL))
    for row, position in zip(rows, load_positions(SMALL), strict=True):
        state = Othello.from_text(row["board"], row["to_move"])
        assert state == position.state == Othello.from_moves(row["transcript"], 4)
        assert row["empties"] == row["board"].count("-")
        best = max(position.scores.values())
        assert row["move"] == state.action_to_text(agent.act(state))
        assert row["loss"] == best - position.scores[state.action_from_text(row["move"])]
        assert {state.action_from_text(move) for move in row["best"]} == {
            action for action, score in position.scores.items() if score == best
        }


class First(Agent):
    """Plays the first legal move."""

    def act(self, state, *, seconds_left=None):
        return state.legal_actions()[0]


@pytest.mark.parametrize("game", LISTS)
def test_each_position_has_a_choice_and_is_there_once(game):
    positions = load_positions(game)
    numbers, size = [empty(position.state) for position in positions], positions[0].state.size
    if game == "othello":
        assert len(numbers) == 500
        assert {*numbers} == {*range(8, 13)}
    else:
        assert numbers == [EMPTY[game][i % len(EMPTY[game])] for i in range(len(positions))]
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
    late = [each for each in load_positions("othello:size=6") if empty(each.state) <= 11]
    for solver, positions in ((perfect, load_positions(SMALL)), (engine, late), (engine, load_positions()[::10])):
        for position, row in zip(positions, solver.exact_scores([each.state for each in positions]), strict=True):
            assert {action: row[action] for action in np.flatnonzero(~np.isnan(row))} == position.scores
    early = next(each for each in load_positions("othello:size=6") if empty(each.state) == 20)
    assert perfect.action_values(early.state) == early.scores
    latest = [position for position in load_positions() if empty(position.state) == 8]
    for position in sorted(latest, key=lambda position: len(position.scores))[:2]:
        for action, score in position.scores.items():
            after = position.state.play(action)
            sign = 1 if after.to_move == position.state.to_move else -1
            assert sign * full_search(after) == score


def test_the_openings():
    perfect = make_agent("perfect")
    for state, black in solved_openings(SMALL):
        assert perfect.score(state) == (black if state.to_move == 0 else -black)
    openings = solved_openings("othello:size=6")
    assert openings[0] == (Othello(6), -4)
    assert [black for _, black in openings[1:]].count(0) == 25
    for state, black in openings[1:3]:
        assert perfect.score(state) == (black if state.to_move == 0 else -black)
    for size, plies in ((4, 4), (6, 10)):
        rest = [state for state, _ in solved_openings(f"othello:size={size}")[1:]]
        assert all(len(state.moves) == plies and not state.is_over for state in rest)
        assert len({canonical(state) for state in rest}) == len(rest)


def test_the_script_makes_the_packaged_lists():
    script = load_script("make/scored_positions")
    for name, made, count in (
        ("endgame-v0", script.positions(8, 0), 5),
        ("regret-4x4-v0", script.positions(4, 0), 8),
        (OPENINGS[SMALL][0], script.openings(4, 0), 8),
        ("regret-6x6-v0", script.positions(6, 0), 3),
    ):
        assert [*islice(made, count)] == [*packaged_lines("othello_env.arena.benchmark", f"{name}.txt")[:count]]


def by_chance(positions):
    """The share of best moves and the mean loss, if every legal move is equally likely."""
    losses = [max(p.scores.values()) - np.array([*p.scores.values()]) for p in positions]
    return np.mean([(loss == 0).mean() for loss in losses]), np.mean([loss.mean() for loss in losses])


@pytest.mark.parametrize("game", LISTS)
def test_best_worst_and_random_moves(game):
    positions = load_positions(game)
    best = measure_positions(Chooses(best_of, game), game=game)
    assert (best.rate, best.loss) == (1.0, 0.0)
    worst = measure_positions(Chooses(worst_of, game), game=game)
    losses = [max(p.scores.values()) - min(p.scores.values()) for p in positions]
    assert (worst.rate, worst.loss) == (0.0, pytest.approx(np.mean(losses)))
    several = [measure_positions("random", game=game, seed=seed) for seed in range(20)]
    rate, loss = by_chance(positions)
    assert best.random == pytest.approx((rate, loss))
    assert np.mean([each.rate for each in several]) == pytest.approx(rate, abs=0.03)
    assert np.mean([each.loss for each in several]) == pytest.approx(loss, abs=0.4)
    assert measure_positions("random", game=game, seed=3) == several[3]
    n = len(positions)
    assert best.rate_interval == pytest.approx((n / (n + 1.95996**2), 1))
    low, high = worst.loss_interval
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, n - 1) * np.std(losses, ddof=1) / n**0.5)
    share, lost = worst.numbers
    assert (share.name, share.game, share.value, share.chance) == (LISTS[game].best, game, 0.0, worst.random[0])
    assert (lost.value, (lost.low, lost.high), lost.chance) == (worst.loss, worst.loss_interval, worst.random[1])
    if game == "othello":
        assert worst.tables == ()
        return
    assert sum(len(stage.positions) for stage in worst.stages.values()) == len(positions)
    for (name, stage), row in zip(worst.stages.items(), worst.tables[0].rows, strict=True):
        fewest, most = map(int, name.split(" to "))
        chosen = [p for p in positions if fewest <= empty(p.state) <= most]
        assert stage.loss == np.mean([max(p.scores.values()) - min(p.scores.values()) for p in chosen])
        assert stage.random == pytest.approx(by_chance(chosen))
        assert (row["empty"], row["positions"]) == (name, len(chosen))
        assert row["discs lost a move"].value == stage.loss


def test_perfect_play_has_no_regret_on_4x4():
    found, games = measure_positions("perfect", game=SMALL), play_perfect("perfect", game=SMALL)
    assert (found.rate, found.loss) == (1.0, 0.0)
    assert set(games.losses) == {0.0}
    assert (games.kept, games.loss_interval) == (1.0, (0.0, 0.0))
    worst = exploitability("perfect")
    assert (worst.discs, worst.worst) == (0.0, (-10.0, 10.0))


def test_games_against_perfect_play_by_hand():
    """The discs lost in a game are the sum of the discs that each move of the agent lost."""
    found, perfect = play_perfect(First(), game=SMALL, games=42), make_agent("perfect")
    records, openings = found.match.records, solved_openings(SMALL)
    assert len(records) == 42
    for record, loss in zip(records, found.losses, strict=True):
        seat, state = record.agents.index("first"), openings[record.opening][0]
        lost = 0
        for name in record.moves.split():
            before, mover = perfect.score(state), state.to_move
            state = state.play(state.pass_action if name == "pass" else state.action_from_text(name))
            after = -perfect.score(state)
            assert after == before or mover == seat
            lost += before - after
        assert lost == loss >= 0
    means = [np.mean(found.losses[i : i + 2]) for i in range(0, 42, 2)]
    half = stats.t.ppf(0.975, 20) * np.std(means, ddof=1) / math.sqrt(21)
    assert found.loss == pytest.approx(np.mean(means))
    assert found.loss_interval == pytest.approx((np.mean(means) - half, np.mean(means) + half))

    # With more games, the openings are played again. Neither player draws moves at random, so this tells nothing new.
    twice = play_perfect(First(), game=SMALL, games=84)
    assert twice.losses == 2 * found.losses
    assert twice.loss_interval == pytest.approx(found.loss_interval)
    assert play_perfect(First(), game=SMALL, games=2).loss_interval is None
