"""Agents (players): the base class `Agent`, specs (texts that name agents), and functions that ask agents for moves."""

from othello_env.agent.answers import (
    Seat,
    act_on_clock,
    answered,
    ask,
    ask_batch,
    check_answer,
    seats_around,
)
from othello_env.agent.clock import LONGEST_SECONDS, Clock
from othello_env.agent.protocol import (
    Agent,
    AgentError,
    AgentLeftError,
    GameAhead,
    OptionalMethods,
    Policy,
    RandomChoices,
    SpecError,
    WrongGameError,
    as_othello,
    check_not_over,
    decision_keys,
)
from othello_env.agent.spec import agent_names, file_hashes, make_agent, name_of, option_text, spec_file, spec_text
from othello_env.agent.wrapper import AgentWrapper

__all__ = [
    "LONGEST_SECONDS",
    "Agent",
    "AgentError",
    "AgentLeftError",
    "AgentWrapper",
    "Clock",
    "GameAhead",
    "OptionalMethods",
    "Policy",
    "RandomChoices",
    "Seat",
    "SpecError",
    "WrongGameError",
    "act_on_clock",
    "agent_names",
    "answered",
    "as_othello",
    "ask",
    "ask_batch",
    "check_answer",
    "check_not_over",
    "decision_keys",
    "file_hashes",
    "make_agent",
    "name_of",
    "option_text",
    "seats_around",
    "spec_file",
    "spec_text",
]
