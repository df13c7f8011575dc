"""What all agents share: their specs, what they refuse, and copies that play the same moves."""

import pickle

import pytest

from othello_agents.engine import Engine
from othello_agents.mcts.agent import Mcts
from othello_agents.ntuple import NTupleAgent, NTupleNetwork, shipped_network
from othello_agents.perfect import Perfect
from othello_agents.programs import NBoard
from othello_agents.search.alphabeta import AlphaBeta
from othello_agents.search.minimax import Minimax
from othello_agents.search.multiplayer import MaxN, Paranoid
from othello_env import Checkers, Othello, SpecError, Tribolo, WrongGameError, make_agent

SPECS = {
    "alphabeta:depth=3,eval=mobility": None,
    "engine": None,
    "engine:hash=16": "engine",
    "engine:depth=3,hash=1": None,
    "engine:ms=100": None,
    "gtp:command=sh": None,
    'gtp:command="sh -name ""A, B""",seconds=1.5,start=2.5': None,
    "maxn:depth=1,eval=mobility": None,
    "mcts": "mcts:simulations=1000,exploration=1",
    "mcts:simulations=50,exploration=0.5": None,
    "nboard:command=sh,depth=21,seconds=1.5,start=2.5": None,
    """nboard:command="sh 'b ""c""' d=1\"""": None,
    "paranoid": "paranoid:depth=3,eval=count",
}
"""Specs and the `repr` of their agents; None if it is the spec itself."""


@pytest.mark.parametrize("spec", SPECS)
def test_an_agent_is_named_by_its_spec_also_in_another_process(spec):
    agent = make_agent(spec)
    named = SPECS[spec] or spec
    assert repr(agent) == repr(make_agent(named)) == named
    again = pickle.loads(pickle.dumps(agent))
    assert repr(again) == named
    if spec.startswith(("alphabeta", "engine:depth", "mcts")):
        for each in (agent, again):
            each.new_game(1)
        assert again.act(Othello.from_moves("f5d6")) == agent.act(Othello.from_moves("f5d6"))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("alphabeta:depth=0", "depth must be 1 to 100, not 0"),
        ("alphabeta:depth=x", "depth must be a whole number, not 'x'"),
        ("alphabeta:plies=4", "no option plies; it takes depth, eval"),
        ("engine:depth=0", "depth must be 1 to 60, not 0"),
        ("engine:depth=1.5", "depth must be a whole number"),
        ("engine:eval=best", "no evaluation 'best'; it has ntuple"),
        ("engine:exact=61", "exact must be 0 to 60"),
        ("engine:hash=0", "hash must be 1 to"),
        ("engine:ms=0", "ms must be a positive number"),
        ("engine:ms=inf", "ms must be a finite number"),
        ("engine:nodes=0", "nodes must be 1 to"),
        ("engine:plies=3", "no option plies"),
        ("gtp", "needs command"),
        ('gtp:command=""', "the command is empty"),
        ("gtp:command=sh,seconds=0", "seconds must be more than 0"),
        ("gtp:command=sh,seconds=nan", "seconds must be a finite number, not 'nan'"),
        (
            "maximizer:eval=wieghted",
            "known are count, iago, material, mobility, modified, positional, standard, swh, weighted",
        ),
        ("maxn:depth=0", "depth must be 1 to 100, not 0"),
        ("mcts:exploration=-1", "exploration must be a finite number of at least 0, not -1"),
        ("mcts:exploration=nan", "exploration"),
        ("mcts:simulations=0", "simulations must be 1 to 10000000, not 0"),
        ("minimax:depth=-2", "depth must be 1 to 100, not -2"),
        ('nboard:command=""', "the command is empty"),
        ("nboard:command=sh,depth=0", "depth must be 1 to 60, not 0"),
        ("nboard:command=sh,depth=x", "depth must be a whole number"),
        ("nboard:command=sh,start=0", "start must be more than 0"),
        ("paranoid:eval=nothing", "no evaluation"),
    ],
)
def test_a_wrong_spec_says_what_is_right(spec, words):
    with pytest.raises(SpecError, match=words):
        make_agent(spec)


OVER = Othello.from_text("X" * 36)
SMALL = r"4x4 and 6x6; 8x8 is too large"
REFUSED = [
    *((AlphaBeta().search, OVER, "the game is over"), (Mcts().act, OVER, "the game is over")),
    *((getattr(Engine(), name), OVER, "game is over") for name in ("act", "analyse", "solve", "action_values")),
    (NTupleAgent(NTupleNetwork(6)).act, OVER, "the game is over"),
    (NTupleAgent(NTupleNetwork(6)).act, Othello(), "trained for Othello of size 6, not 8"),
    (NTupleAgent().act, Othello(4), r"size 4; train some: othello-env train --size 4 --out FILE\.npz"),
    *((Perfect().act, OVER, "the game is over"), (MaxN().act, Tribolo.from_text("B/R/G"), "over")),
    (Paranoid().search, Tribolo.from_text("B/R/G"), "over"),
    *((it.act, Checkers(), "plays? Othello, not Checkers") for it in (Mcts(), Engine(), NBoard("sh"), NTupleAgent())),
    *(
        (getattr(Perfect(), name), state, words)
        for name in ("check_game", "act", "score", "action_values")
        for state, words in ((Othello(), SMALL), (Checkers(), "perfect plays Othello, not Checkers"))
    ),
    *((agent.act, Tribolo(1), "is for two players, but Tribolo has 3") for agent in (Minimax(), AlphaBeta())),
    (AlphaBeta(eval="weighted").act, Checkers(), "for Othello, not for Checkers"),
    (AlphaBeta(eval="material").act, Othello(), "for Checkers, not for Othello"),
    (AlphaBeta(eval="positional").act, Othello(), "for Checkers, not for Othello"),
    (Engine(eval="ntuple").check_game, Othello(4), "no weights of ntuple come with the package for size 4"),
]


@pytest.mark.parametrize(("call", "state", "words"), REFUSED)
def test_a_position_that_an_agent_cannot_play_is_refused(call, state, words):
    with pytest.raises(ValueError if "over" in words else WrongGameError, match=words):
        call(state)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Engine(eval=5), TypeError, "must be a text, such as weighted, not int"),
        (lambda: Engine(depth=2.5), TypeError, "depth must be a whole number"),
        (lambda: Engine().analyse(Othello(), lines=-1), ValueError, "lines must be "),
        (lambda: Engine().analyse(Othello(), lines=65), ValueError, "lines must be "),
        (lambda: Engine().analyse(Othello(), lines=1.5), TypeError, "lines must be "),
        (lambda: make_agent("engine:eval=gone.npz"), FileNotFoundError, "gone.npz"),
        (lambda: shipped_network(6, "engine"), ValueError, "no weights of engine come with the package for size 6"),
        (lambda: shipped_network(8, "other"), ValueError, "expected ntuple or engine, .* got 'other'"),
    ],
)
def test_other_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
