"""The agent that asks a person. The tests supply the person's answers."""

import io
from collections.abc import Callable

import pytest

from othello_agents.human import Human
from othello_env import Othello, make_agent
from othello_env.agent import AgentLeftError

pytestmark = pytest.mark.nojit


def person(*lines: str) -> tuple[Callable[[str], str], list[str]]:
    """A pair (ask, prompts). `ask` answers prompts with these lines, one after the other, and then ends the input.

    `prompts` is a list to which `ask` appends each prompt.
    """
    prompts: list[str] = []
    answers = iter(lines)

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    return ask, prompts


def test_a_legal_move_is_taken_after_the_board_was_shown() -> None:
    told: list[str] = []
    ask, prompts = person(" F5 ")
    state = Othello()
    assert Human(ask, told.append).act(state) == state.action_from_text("f5")
    assert told == [str(state)]
    assert prompts == ["black's move: "]


def test_wrong_entries_are_explained_and_asked_again() -> None:
    told: list[str] = []
    ask, prompts = person("z9", "", "a1", "pass", "f5")
    assert Human(ask, told.append).act(Othello()) == 37
    assert len(prompts) == 5
    for text, words in zip(told[1:], ("got 'z9'", "got ''", "a1 (action 0) is not legal", "not legal"), strict=True):
        assert words in text


@pytest.mark.parametrize("lines", [["quit"], ["Q "], ["a1", "exit"], []])
def test_leaving_is_an_error_of_its_own(lines: list[str]) -> None:
    ask, _ = person(*lines)
    with pytest.raises(AgentLeftError, match="black left the game"):
        Human(ask, lambda text: None).act(Othello())


def test_the_spec_asks_at_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("e9\nd3\n"))
    agent, state = make_agent("human"), Othello()
    assert repr(agent) == "human"
    assert agent.act(state) == state.action_from_text("d3")
    shown = capsys.readouterr().out
    assert str(state) in shown
    assert shown.count("black's move: ") == 2
    with pytest.raises(AgentLeftError, match="the input ended"):
        agent.act(state)
