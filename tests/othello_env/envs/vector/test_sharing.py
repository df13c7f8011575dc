"""Threads share steps if this is faster, and only then."""

import pytest

from othello_env.envs.vector import sharing
from othello_env.envs.vector.sharing import Sharing


def counts(steps, most, seconds_of, monkeypatch):
    """The number of threads of each step. `seconds_of(count, step)` is the time of a step with `count` threads."""
    clock = 0.0
    monkeypatch.setattr(sharing, "perf_counter", lambda: clock)
    shared, found = Sharing(most), []
    for step in range(steps):
        found.append(shared.begin())
        clock += seconds_of(found[-1], step)
        shared.end()
    return found


TRIAL = [1, 1, 4, 4] * 4


def test_one_thread_needs_no_trial(monkeypatch):
    assert counts(2000, 1, lambda count, step: 1.0, monkeypatch) == [1] * 2000


@pytest.mark.parametrize(("alone", "shared", "faster"), [(1e-3, 4e-4, 4), (1e-3, 2e-3, 1), (1e-3, 1e-3, 1)])
def test_the_faster_way_makes_the_rest(alone, shared, faster, monkeypatch):
    found = counts(513, 4, lambda count, step: alone if count == 1 else shared, monkeypatch)
    assert found == [1, *(TRIAL + [faster] * 240) * 2]


def test_very_short_steps_are_never_shared(monkeypatch):
    assert counts(2000, 4, lambda count, step: 2e-5, monkeypatch) == [1] * 2000


def test_steps_that_are_cheap_and_expensive_in_turn_favour_neither_way(monkeypatch):
    def seconds(count, step):
        return (1e-3, 9e-3)[step % 2] * (1.0 if count == 1 else 0.9)

    for first in (0, 1):
        found = counts(100, 4, lambda count, step, first=first: seconds(count, step + first), monkeypatch)
        assert found[17:] == [4] * 83


def test_a_change_is_noticed_in_the_next_period(monkeypatch):
    def seconds(count, step):
        return 1e-5 if step < 200 else 1e-3 / count

    found = counts(300, 4, seconds, monkeypatch)
    assert found[:243] == [1] * 243  # a trial that ends after two steps makes the period shorter
    assert found[243:] == TRIAL + [4] * 41


def test_one_slow_trial_does_not_change_the_choice(monkeypatch):
    def seconds(count, step):
        return 1e-3 if count == 1 else 1.2e-3 if 512 < step < 530 else 5e-4

    found = counts(1025, 4, seconds, monkeypatch)
    assert found == [1, *(TRIAL + [4] * 240) * 4]


def test_a_step_that_fails_does_not_count(monkeypatch):
    clock = 0.0
    monkeypatch.setattr(sharing, "perf_counter", lambda: clock)
    shared = Sharing(4)
    for count in [1, *TRIAL]:
        assert shared.begin() == count
        clock += 100.0 if count == 4 else 1e-3  # then an error is raised
        assert shared.begin() == count
        clock += 1e-3 / count
        shared.end()
    assert shared.begin() == 4
