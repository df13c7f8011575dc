"""The processes that answer the page: limits, cancelling and failures."""

import asyncio
import os
import textwrap
from pathlib import Path

import pytest
from asking import run_async

from othello_env import Othello
from othello_env.page.messages import PageGame
from othello_env.page.pool import AgentFailedError, AnswerError, WorkerPool

pytestmark = pytest.mark.slow

RECORD = PageGame("othello").to_json()


@pytest.fixture
def slow(tmp_path):
    """Specs of policies that dawdle, sleep, die, fail and print. One writes its process id to a file."""
    file = tmp_path / "slow.py"
    file.write_text(
        textwrap.dedent(f"""
        import os, pathlib, time

        from othello_env import Agent

        class Stopped(Agent):
            def act(self, state, *, seconds_left=None):
                return state.legal_actions()[0]

            def stop(self):
                pathlib.Path({str(tmp_path / "stopped")!r}).write_text("1")

            def evaluate(self, state, player):
                pathlib.Path({str(tmp_path / "pid")!r}).write_text(str(os.getpid()))
                while not pathlib.Path({str(tmp_path / "stopped")!r}).exists():
                    time.sleep(0.01)
                return os.getpid()

        class Looker(Stopped):
            stop = None

            def evaluate(self, state, player):
                return sleeper(None, None)

        class Dawdler(Looker):
            def evaluate(self, state, player):
                time.sleep(1)
                return 0.5

        def sleeper(observations, masks):
            pathlib.Path({str(tmp_path / "pid")!r}).write_text(str(os.getpid()))
            time.sleep(600)

        def dying(observations, masks):
            os._exit(3)

        def failing(observations, masks):
            raise RuntimeError("no idea")

        def printing(observations, masks):
            print("a word")
            return masks.argmax(1)
        """)
    )
    return lambda name: f"{file}:{name}"


def request(spec, task="move"):
    return {"spec": spec, "task": task, "record": RECORD}


def run(use, **options):
    """Run an async function with a new WorkerPool, and close it after it."""

    async def main():
        pool = WorkerPool(processes=2, **options)
        try:
            return await use(pool)
        finally:
            await pool.close()
            assert pool.alive == 0

    return run_async(main())


async def until(path):
    while not (path.exists() and path.read_text()):
        await asyncio.sleep(0.02)
    return int(path.read_text())


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_move_does_not_wait_for_values_that_are_shown_and_cancelled_requests_end_soon(slow, tmp_path):
    async def use(pool):
        shown = [asyncio.create_task(pool.ask(request(slow("Looker"), "assess"))) for _ in range(2)]
        pid = await until(tmp_path / "pid")
        move = await pool.ask(request("random"))
        assert not any(task.done() for task in shown)
        for task in shown:
            task.cancel()
        await asyncio.gather(*shown, return_exceptions=True)
        assert is_running(pid)  # a cancelled request may go on for a short time
        # One of the two processes is kept for moves, so this request begins after the end of the cancelled one.
        told = await pool.ask(request("maximizer", "assess"))
        assert not is_running(pid)
        return move, told

    move, told = run(use)
    assert "action" in move
    assert told["moves"]


def test_an_agent_that_can_stop_keeps_its_process(slow, tmp_path):
    async def use(pool):
        deep = asyncio.create_task(pool.ask(request(slow("Stopped"), "assess")))
        pid = await until(tmp_path / "pid")
        deep.cancel()
        await asyncio.gather(deep, return_exceptions=True)
        again = await pool.ask(request(slow("Stopped"), "assess"))
        assert again["values"][0] == pid  # the same process has answered
        assert pool.alive == 1

    run(use, grace_seconds=600)


def test_neither_a_move_nor_an_analysis_waits_for_the_other(slow, tmp_path):
    async def use(pool):
        moves = [asyncio.create_task(pool.ask(request(slow("sleeper")))) for _ in range(3)]
        await until(tmp_path / "pid")
        assert (await pool.ask(request("maximizer", "assess")))["moves"]
        assert not any(task.done() for task in moves)

    run(use)


def test_the_first_answer_of_each_task_is_a_start():
    async def use(pool):
        told = []
        for task in ("move", "about", "move"):
            await pool.ask(request("random", task), told.append)
        return [news["doing"] for news in told]

    assert run(use) == ["starting", "starting", "thinking"]


def test_the_current_folder_has_agents_but_replaces_no_module_of_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("json.py").write_text("raise SystemExit('the wrong json')")
    Path("helping.py").write_text(
        "def last(observations, masks):\n    return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)"
    )
    Path("mine.py").write_text("from helping import last")

    async def use(pool):
        return [await pool.ask(request(spec)) for spec in ("mine.py:last", "helping:last")]

    assert [told["action"] for told in run(use)] == [Othello().legal_actions()[-1]] * 2


def test_a_long_request_is_stopped_but_a_first_answer_has_more_time_because_code_may_be_compiled(slow):
    async def use(pool):
        await pool.ask(request("maximizer", "assess"))  # all of this is asked in one process
        assert (await pool.ask(request(slow("Dawdler"), "about")))["powers"] == ("evaluate",)
        assert (await pool.ask(request(slow("Dawdler"), "assess")))["values"]
        with pytest.raises(AnswerError, match=r"needed more than 0\.5 s"):
            await pool.ask(request(slow("Dawdler"), "assess"))

    run(use, seconds=0.5, start_seconds=60, margin_seconds=0)


def test_an_agent_that_dies_fails_or_prints(slow):
    async def use(pool):
        with pytest.raises(AnswerError, match="died"):
            await pool.ask(request(slow("dying")))
        with pytest.raises(AgentFailedError, match="no idea") as failed:
            await pool.ask(request(slow("failing")))
        assert failed.value.details["agent"] == slow("failing")
        assert "no idea" in failed.value.details["where"]
        return await pool.ask(request(slow("printing")))

    told = run(use)
    assert (told["action"], told["name"]) == (Othello().legal_actions()[0], "d3")


def test_two_processes_at_least():
    with pytest.raises(ValueError, match="at least 2"):
        WorkerPool(processes=1)
