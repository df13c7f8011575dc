"""The agent that asks a person. The tests supply the person's answers."""

import io

import pytest

from othello_agents.human import Human
from othello_env import Othello, make_agent
from othello_env.agent import AgentLeftError

pytestmark = pytest.mark.nojit


def person(*lines):
    """A person with these answers, the list of the prompts, and that of the texts that were shown."""
    prompts, told, answers = [], [], iter(lines)

    def ask(prompt):
        prompts.append(prompt)
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    return Human(ask, told.append), prompts, told


def test_wrong_entries_are_explained_and_asked_again_until_a_move_is_legal():
    human, prompts, told = person("z9", "", "a1", "pass", " F5 ")
    assert human.act(Othello()) == 37
    assert prompts == ["black's move: "] * 5
    assert told[0] == str(Othello())
    for text, words in zip(told[1:], ("got 'z9'", "got ''", "a1 (action 0) is not legal", "not legal"), strict=True):
        assert words in text


@pytest.mark.parametrize("lines", [["quit"], ["Q "], ["a1", "exit"], []])
def test_leaving_is_an_error_of_its_own(lines):
    with pytest.raises(AgentLeftError, match="black left the game"):
        person(*lines)[0].act(Othello())


def test_the_spec_asks_at_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("e9\nd3\n"))
    agent = make_agent("human")
    assert (repr(agent), agent.act(Othello())) == ("human", 19)
    shown = capsys.readouterr().out
    assert str(Othello()) in shown
    assert shown.count("black's move: ") == 2
