"""Threads share the steps of a batch exactly when sharing is faster."""

import pytest

from othello_env.envs.vector import sharing
from othello_env.envs.vector.sharing import Sharing


def counts(steps, most, seconds_of, monkeypatch, gap_of=lambda count, step: 0.0):
    """The number of threads in each step. `seconds_of(count, step)` is the time of a step with `count` threads.

    `gap_of(count, step)` is the time between the step and the next step.
    """
    clock = 0.0
    monkeypatch.setattr(sharing, "perf_counter", lambda: clock)
    shared, found = Sharing(most), []
    for step in range(steps):
        found.append(shared.begin())
        clock += seconds_of(found[-1], step)
        shared.end()
        clock += gap_of(found[-1], step)
    return found


TRIAL = ([1] * 5 + [4] * 5) * 2


def test_one_thread_needs_no_trial(monkeypatch):
    assert counts(2000, 1, lambda count, step: 1.0, monkeypatch) == [1] * 2000


def test_the_faster_way_makes_the_rest(monkeypatch):
    found = counts(513, 4, lambda count, step: 1e-3 if count == 1 else 4e-4, monkeypatch)
    assert found == [1, *(TRIAL + [4] * 236) * 2]


@pytest.mark.parametrize(
    ("shared", "lengths"), [(1e-3, [256] * 9), (1.4e-3, [256] * 9), (2e-3, [512, 1024, 2048, 2048, 2048])]
)
def test_trials_are_rarer_while_one_thread_is_much_faster(shared, lengths, monkeypatch):
    found = counts(1 + sum(lengths), 4, lambda count, step: 1e-3 if count == 1 else shared, monkeypatch)
    periods = [TRIAL + [1] * (length - 20) for length in lengths]
    assert found == [1, *(count for period in periods for count in period)]


def test_trials_are_frequent_again_when_threads_are_faster(monkeypatch):
    found = counts(
        1 + 512 + 2 * 256, 4, lambda count, step: 1e-3 if (count == 1) == (step < 500) else 2e-3, monkeypatch
    )
    assert found == [1, *TRIAL, *[1] * 492, *(TRIAL + [4] * 236) * 2]


def test_very_short_steps_are_never_shared(monkeypatch):
    assert counts(2000, 4, lambda count, step: 2e-5, monkeypatch, lambda count, step: 3e-4) == [1] * 2000


def test_the_first_steps_after_a_change_do_not_count(monkeypatch):
    def seconds(count, step):
        return 1.0 if (step - 1) % 256 in (5, 15) else 1e-3 / count

    assert counts(257, 4, seconds, monkeypatch)[21:] == [4] * 236


def test_steps_that_are_cheap_and_expensive_in_turn_favour_neither_way(monkeypatch):
    def seconds(count, step):
        return (1e-3, 9e-3)[step % 2] * (1.0 if count == 1 else 0.9)

    for first in (0, 1):
        found = counts(100, 4, lambda count, step, first=first: seconds(count, step + first), monkeypatch)
        assert found[21:] == [4] * 79


@pytest.mark.parametrize(("gap", "faster"), [(3e-4, 1), (5e-3, 4)])
def test_what_threads_that_wait_take_from_a_policy_counts(gap, faster, monkeypatch):
    """The gap after a step is twice as long if threads shared the step.

    A long gap does not count as time of the step, because the threads sleep in a long gap.
    """
    found = counts(
        257, 4, lambda count, step: 4e-4 / count**0.5, monkeypatch, lambda count, step: gap if count == 1 else 2 * gap
    )
    assert found[21:] == [faster] * 236


@pytest.mark.parametrize(("gap", "expected"), [(1e-4, 1e-4), (5e-3, 1e-3)])
def test_the_usual_gap(gap, expected, monkeypatch):
    clock = 0.0
    monkeypatch.setattr(sharing, "perf_counter", lambda: clock)
    shared = Sharing(2)
    for step in range(60):
        shared.begin()
        clock += 1e-3
        shared.end()
        clock += gap if step % 50 else 1.0  # one long gap does not change much
    assert shared.gap == pytest.approx(expected, rel=0.8)
    assert (shared.gap < 4e-4) == (gap == 1e-4)


def test_a_change_is_noticed_in_the_next_period(monkeypatch):
    def seconds(count, step):
        return 1e-5 if step < 200 else 1e-3 / count

    found = counts(300, 4, seconds, monkeypatch)
    assert found[:240] == [1] * 240  # the first trial ends after three steps, so the first period is shorter
    assert found[240:] == TRIAL + [4] * 40


def test_one_slow_trial_does_not_change_the_choice(monkeypatch):
    def seconds(count, step):
        return 1e-3 if count == 1 else 1.2e-3 if 512 < step < 534 else 5e-4

    found = counts(1025, 4, seconds, monkeypatch)
    assert found == [1, *(TRIAL + [4] * 236) * 4]


@pytest.mark.parametrize("lost", [1e-4, 100.0])
def test_a_step_that_fails_does_not_count(lost, monkeypatch):
    clock = 0.0
    monkeypatch.setattr(sharing, "perf_counter", lambda: clock)
    shared = Sharing(4)
    for count in [1, *TRIAL]:
        assert shared.begin() == count
        clock += lost if count == 4 else 1e-3  # an error ends this step, so `end` is not called
        assert shared.begin() == count
        clock += 1e-3 / count
        shared.end()
    assert shared.begin() == 4
