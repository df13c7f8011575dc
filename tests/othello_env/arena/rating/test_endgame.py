"""The packaged endgames: the positions and their scores are right, and an agent's moves are counted correctly."""

from itertools import islice

import numpy as np
import pytest
from load_script import load_script

from othello_agents.engine import exact_scores
from othello_env import Agent, Othello, WrongGameError
from othello_env.arena.openings import packaged_lines
from othello_env.arena.rating.endgame import endgame_positions, measure_endgame, random_endgame
from othello_env.games.othello import symmetries

pytestmark = pytest.mark.filterwarnings("ignore::othello_env.arena.FaultWarning")  # some agents fail on purpose

SAMPLE = endgame_positions()[::10]


def full_search(state):
    """The final margin for the player to move under perfect play, found by a search through all games."""
    if state.is_over:
        return int(state.margins()[state.to_move])
    values = []
    for action in state.legal_actions():
        after = state.play(action)
        values.append(full_search(after) * (1 if after.to_move == state.to_move else -1))
    return max(values)


class Chooses(Agent):
    """Plays the action that a function of the scores returns."""

    def __init__(self, choose):
        self.scores = {position.state: position.scores for position in endgame_positions()}
        self.choose = choose

    def act(self, state, *, seconds_left=None):
        return self.choose(self.scores[state])


def test_each_is_late_has_a_choice_and_is_there_once():
    seen = set()
    for position in endgame_positions():
        state = position.state
        assert 8 <= 64 - sum(state.discs()) <= 12
        assert tuple(position.scores) == state.legal_actions()
        assert len(set(position.scores.values())) > 1
        assert all(score % 2 == 0 and abs(score) <= 64 for score in position.scores.values())
        planes = state.observation(state.to_move)
        seen.add(min(symmetries.transform_observation(planes, k).tobytes() for k in range(symmetries.COUNT)))
    assert len(seen) == len(endgame_positions()) == 500


def test_the_scores_are_those_of_the_solver():
    rows = exact_scores([position.state for position in SAMPLE])
    for position, row in zip(SAMPLE, rows, strict=True):
        assert {action: int(row[action]) for action in np.flatnonzero(~np.isnan(row))} == position.scores


def test_the_scores_are_those_of_a_full_search():
    late = [position for position in endgame_positions() if sum(position.state.discs()) == 56]
    for position in sorted(late, key=lambda position: len(position.scores))[:3]:
        for action, score in position.scores.items():
            after = position.state.play(action)
            sign = 1 if after.to_move == position.state.to_move else -1
            assert sign * full_search(after) == score


def test_the_script_draws_the_packaged_positions():
    made = islice(load_script("make/scored_positions").positions(8, 0), 5)
    assert [*made] == [*packaged_lines("othello_env.arena.rating", "endgame-v0.txt")[:5]]


def test_perfect_and_worst_play():
    best = measure_endgame(Chooses(lambda scores: max(scores, key=scores.get)))
    assert (best.rate, best.loss, best.positions) == (1.0, 0.0, 500)
    assert best.rate_interval == pytest.approx((500 / (500 + 1.95996**2), 1))
    worst = measure_endgame(Chooses(lambda scores: min(scores, key=scores.get)))
    assert worst.best == 0
    losses = [max(p.scores.values()) - min(p.scores.values()) for p in endgame_positions()]
    assert worst.loss == pytest.approx(np.mean(losses))
    low, high = worst.loss_interval
    assert (high - low) / 2 == pytest.approx(1.96 * np.std(losses) / 500**0.5, rel=1e-3)


def test_random_moves_reach_what_is_expected_of_them():
    rate, loss = random_endgame()
    found = [measure_endgame("random", seed=seed) for seed in range(20)]
    assert np.mean([each.rate for each in found]) == pytest.approx(rate, abs=0.015)
    assert np.mean([each.loss for each in found]) == pytest.approx(loss, abs=0.4)
    assert measure_endgame("random", seed=3) == found[3]


def test_no_legal_answer_is_the_worst_move_and_is_counted():
    worst = measure_endgame(Chooses(lambda scores: min(scores, key=scores.get)))

    def nonsense(observations, masks):
        return np.full(len(masks), 64)

    def fails(observations, masks):
        raise ZeroDivisionError("oops")

    for policy, told in ((nonsense, "is not legal"), (fails, "oops")):
        found = measure_endgame(policy)
        assert (found.losses, found.best, len(found.faults)) == (worst.losses, 0, 500)
        assert told in found.faults[0]


@pytest.mark.parametrize("in_batches", [False, True])
def test_an_agent_for_another_board_is_an_error(in_batches):
    class Small(Agent):
        def act(self, state, *, seconds_left=None):
            raise WrongGameError("trained for size 6")

        if in_batches:

            def act_batch(self, batch):
                raise WrongGameError("trained for size 6")

    with pytest.raises(WrongGameError, match="trained for size 6"):
        measure_endgame(Small())


def test_the_board_is_checked_before_an_agent_is_asked():
    class Small(Agent):
        def check_game(self, state):
            raise WrongGameError("trained for size 6")

        def act(self, state, *, seconds_left=None):
            return state.legal_actions()[0]

    with pytest.raises(WrongGameError, match="trained for size 6"):
        measure_endgame(Small())


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


def test_the_positions_can_be_played_again_from_the_start():
    state = Othello()
    for action in SAMPLE[0].state.moves:
        state = state.play(action)
    assert state == SAMPLE[0].state
