"""Matches: their games, agents and scores."""

import numpy as np
import pytest

from othello_env import Agent
from othello_env.arena.match import play_match
from othello_env.arena.sprt import Sprt

pytestmark = pytest.mark.filterwarnings("ignore::othello_env.arena.FaultWarning")  # some agents fail on purpose


class Broken(Agent):
    """Gives a fixed answer when the board has at least 20 discs."""

    def __init__(self, answer):
        self.answer = answer

    def __repr__(self):
        return "broken"

    def act(self, state, *, seconds_left=None):
        if state.placed < 20:
            return state.legal_actions()[0]
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class BrokenBatch(Broken):
    def act_batch(self, batch):
        return np.array([self.act(batch.state(i)) for i in range(len(batch))])


@pytest.mark.parametrize("wrapper", [Broken, BrokenBatch])
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (0, "a1 (action 0) is not legal"),
        (1.5, "an action must be an integer, not 1.5"),
        (ZeroDivisionError("oops"), "ZeroDivisionError: oops"),
    ],
)
def test_a_wrong_answer_loses_that_game_and_the_match_goes_on(wrapper, answer, told):
    match = play_match(wrapper(answer), "random", games=6, seed=2)
    assert match.losses == match.games == 6
    assert match.margin == -64
    assert not match.faults(1)
    faults = match.faults(0)
    assert len(faults) == 6
    for fault in faults:
        assert "broken" in fault
        assert told in fault
        assert "Othello.from_text(" in fault


class Interrupted(Broken):
    """Raises an interrupt as a kernel does: it is the cause of a SystemError."""

    def act(self, state, *, seconds_left=None):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error


class InterruptedBatch(Interrupted):
    def act_batch(self, batch):
        return np.array([self.act(batch.state(0))])


@pytest.mark.parametrize("agent", [Interrupted, InterruptedBatch])
def test_an_interrupt_in_a_kernel_is_no_fault(agent):
    with pytest.raises(KeyboardInterrupt):
        play_match(agent(0), "random", games=2)


def test_the_number_of_workers_changes_nothing():
    def play(workers):
        seen = []
        agents = ("maximizer:eval=weighted", "random:epsilon=0")
        played = play_match(*agents, games=100, seed=2, sprt=Sprt(0, 200), workers=workers, progress=seen.append)
        assert tuple(seen) == played.records
        return played

    assert play(2) == play(None)
    assert play(1).games < 100


def test_an_agent_that_fails_before_the_game_forfeits():
    class Unwell(Broken):
        def check_game(self, state):
            raise RuntimeError("it does not feel well")

    match = play_match(Unwell(0), "random", games=2)
    assert (match.losses, len(match.faults(0))) == (2, 2)
