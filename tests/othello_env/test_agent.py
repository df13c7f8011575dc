"""Agents from specs, callables and classes: their options, clocks and random choices, and checks of their answers."""

import copy
import dataclasses
import math
import pickle
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from othello_agents.ntuple import NTupleNetwork
from othello_agents.search.alphabeta import AlphaBeta
from othello_env import Agent, AgentError, MissingExtraError, Othello, OthelloPositions, SpecError, make_agent
from othello_env.agent import AgentWrapper, Chance, Clock, Seat, act_on_clock, agent_names, ask, ask_many, option_text
from othello_env.agent import spec as agent_specs
from othello_env.arena.play.timed import Timed

pytestmark = pytest.mark.nojit

PLUGIN = """
    from pathlib import Path
    from typing import Optional

    from othello_env import Agent, MissingExtraError


    class Noted(Agent):
        "Plays the first legal action, and remembers its options."

        def __init__(self, **options):
            self.options = options

        def act(self, state, *, seconds_left=None):
            return state.legal_actions()[0]

        def analyse(self, state):
            return "a power of its own"


    def everything(depth: int, eval: str = "count", scale: float = 1.0, fast: bool = False,
                   level: int | None = None, old: Optional[int] = None, file: Path | None = None,
                   limit: int | float = 0, free="x", seed: int | None = None):
        if depth < 0:
            raise ValueError(f"depth is at least 0, not {depth}")
        return Noted(**locals())

    def from_file(path, shift: int = 0):
        return Noted(path=path, shift=shift)

    def broken():
        return "no agent"

    def needs_more():
        raise MissingExtraError("this needs nosuch: pip install 'othello-env[nosuch]'")

    class Mine(Noted):
        def __init__(self, depth: int = 3):
            super().__init__(depth=depth)

    INSTANCE = Mine(7)

    def last(observations, masks):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
"""
VARIED = """
from __future__ import annotations

from typing import TYPE_CHECKING

from othello_env import Agent

if TYPE_CHECKING:
    from nosuch import Board

class Varied(Agent):
    def __init__(self, depth: int = 2, board: Board | None = None, *more: int, **further: int):
        self.told = depth, more, further
        self.board = board

    def act(self, state):
        return state.legal_actions()[0]
"""
ENTRY_POINTS = """
[othello_env.agents]
zz-all = othello_plugin:everything
zz-broken = othello_plugin:broken
zz-more = othello_plugin:needs_more
.zz = othello_plugin:from_file
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Another package that adds agents. Python finds it as an installed package."""
    (tmp_path / "othello_plugin.py").write_text(textwrap.dedent(PLUGIN), encoding="utf-8")
    info = tmp_path / "othello_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: othello-plugin\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    agent_specs._registry.cache_clear()
    yield tmp_path
    agent_specs._registry.cache_clear()
    for name in ("othello_plugin", "varied"):
        sys.modules.pop(name, None)


def last_legal(observations, masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


class TestSpecs:
    def test_the_installed_names_are_listed(self, plugin):
        names = agent_names()
        assert list(names) == sorted(names)
        assert {"random", "zz-all", "zz-broken"} <= set(names)
        assert ".zz" not in names

    def test_options_are_converted_as_the_signature_says(self, plugin):
        made = make_agent("zz-all:depth=4,eval=weighted,scale=.5,fast=yes,level=2,old=3,file=a b.txt,limit=1.5", seed=9)
        assert made.options == {
            "depth": 4,
            "eval": "weighted",
            "scale": 0.5,
            "fast": True,
            "level": 2,
            "old": 3,
            "file": Path("a b.txt"),
            "limit": 1.5,
            "free": "x",
            "seed": 9,
        }
        assert type(make_agent("zz-all:depth=1,limit=2").options["limit"]) is int
        assert make_agent("zz-all:depth=1,fast=0").options["fast"] is False

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('"ntuple:weights=a.npz"', "ntuple:weights=a.npz"),
            ('"gtp-rhino -l 4, -b 0"', "gtp-rhino -l 4, -b 0"),
            ('""', ""),
            ('"edax -name ""A, B"""', 'edax -name "A, B"'),
            ('""""', '"'),
            ('""",depth=3,eval="""', '",depth=3,eval="'),
            ("a:b=c", "a:b=c"),
            ("C:\\x y", "C:\\x y"),
        ],
    )
    def test_values_are_quoted(self, plugin, text, value):
        assert make_agent(f"zz-all:eval={text},depth=2").options["eval"] == value
        assert make_agent(f"zz-all:depth=2,eval={text}").options["eval"] == value

    @pytest.mark.parametrize("value", ["", "a", '"', '""', ",", 'a "b, c" d', "x=1,y=2", " ", "a\nb", "C:\\x"])
    def test_option_text_is_read_back(self, plugin, value):
        made = make_agent(f"zz-all:{option_text('eval', value)},{option_text('depth', 2)}")
        assert (made.options["eval"], made.options["depth"]) == (value, 2)

    def test_what_is_forgiven(self, plugin):
        assert make_agent(" zz-all:depth=2,").options["depth"] == 2
        assert repr(make_agent("random:")) == "random"

    def test_a_files_suffix_picks_its_loader(self, plugin):
        (plugin / "weights.zz").touch()
        assert make_agent("weights.zz").options == {"path": "weights.zz", "shift": 0}
        assert make_agent(f"{plugin}/weights.zz:shift=2").options == {"path": f"{plugin}/weights.zz", "shift": 2}
        assert make_agent(plugin / "weights.zz").options["shift"] == 0
        with pytest.raises(FileNotFoundError, match=r"there is no file 'gone\.zz'"):
            make_agent("gone.zz")

    @pytest.mark.parametrize("spec", ["othello_plugin:last", "othello_plugin.py:last"])
    def test_callables_of_modules_and_files(self, plugin, spec):
        made = make_agent(spec)
        assert made.act(Othello()) == 44
        assert repr(made) == "last"
        assert repr(make_agent(f"{spec}:epsilon=.5")) == "last:epsilon=0.5"

    @pytest.mark.parametrize("spec", ["random", "alphabeta:depth=2,eval=weighted", "ntuple"])
    def test_the_repr_of_an_agent_with_epsilon_is_a_spec(self, spec):
        made = make_agent(f"{spec}{',' if '=' in spec else ':'}epsilon=.25")
        assert repr(make_agent(repr(made))) == repr(made)
        assert repr(made).endswith("epsilon=0.25")

    def test_agents_and_classes_of_agents_by_name(self, plugin):
        assert make_agent("othello_plugin:INSTANCE").options == {"depth": 7}
        assert make_agent("othello_plugin:Mine").options == {"depth": 3}
        assert make_agent("othello_plugin.py:Mine:depth=5").options == {"depth": 5}

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("", "'' does not name an agent; known are "),
            (":depth=2", "':depth=2' does not name an agent"),
            (
                "nosuch",
                r"there is no agent 'nosuch'; known are .*random.*zz-all.*files ending in .*\.zz.*path\.py:func",
            ),
            ("nosuch:depth=2", "there is no agent 'nosuch'"),
            (".zz", "there is no agent '.zz'"),
            ("a b:c", "there is no agent 'a b:c'"),
            ("zz-all", "'zz-all': zz-all needs depth"),
            ("zz-all:depth", "expected key=value,key=value after zz-all, got 'depth'"),
            ("zz-all:depth=2,,scale=1", r"expected key=value,key=value .* at ',scale=1'"),
            ("zz-all:depth=2 scale=1", "depth must be a whole number, not '2 scale=1'"),
            ('zz-all:depth="2', "expected key=value,key=value .* at 'depth=\"2'"),
            ("zz-all:depth=2,depth=3", "gives depth twice"),
            ("zz-all:depth=two", "depth must be a whole number, not 'two'"),
            ("zz-all:depth=1,level=x", "level must be a whole number, not 'x'"),
            ("zz-all:depth=1,old=x", "old must be a whole number, not 'x'"),
            ("zz-all:depth=1,limit=x", "limit must be a whole number or a number, not 'x'"),
            ("zz-all:depth=1,fast=maybe", "fast must be true or false, not 'maybe'"),
            ("zz-all:depth=-1", "depth is at least 0, not -1"),
            ("zz-all:depth=1,seed=3", "zz-all has no option seed; it takes depth, eval, scale, .*free, epsilon"),
            ("zz-all:deep=1", "zz-all has no option deep; it takes depth"),
            ("random:epsilon=1.5", "epsilon must be a probability, 0 to 1, not 1.5"),
            ("random:epsilon=-1", "epsilon must be a probability"),
            ("random:epsilon=nan", "epsilon must be a finite number, not 'nan'"),
            ("zz-all:depth=1,scale=inf", "scale must be a finite number, not 'inf'"),
            ("zz-all:depth=1,limit=-inf", "limit must be a finite number, not '-inf'"),
            ("zz-all:depth=1,limit=" + "1" * 5000, "limit must be a finite number, not '111"),
            ('zz-all:depth=2,eval="a"b"', "expected key=value,key=value .* at 'eval="),
            ("random:epsilon=x", "epsilon must be a number, not 'x'"),
            ("random:choice", "after random, got 'choice'"),
            ("othello_plugin:nosuch", "there is no 'nosuch' in othello_plugin, which has .*last"),
            ("math:pi", r"is 3\.14.*, which is neither a callable nor an Agent"),
            ("othello_plugin:Path", "'othello_plugin:Path' is a class, but not a subclass of Agent"),
            ("nosuch.module:name", "there is no module 'nosuch'; known are"),
            ("othello_env.nosuch:name", "there is no module 'othello_env.nosuch'"),
            ("othello_plugin:last:depth=2", "a callable takes no option but epsilon, got depth"),
        ],
    )
    def test_wrong_specs_say_what_is_right(self, plugin, spec, message):
        with pytest.raises(SpecError, match=message):
            make_agent(spec)

    def test_other_errors_keep_their_type(self, plugin):
        with pytest.raises(MissingExtraError, match=r"othello-env\[nosuch\]"):
            make_agent("zz-more")
        with pytest.raises(TypeError, match=r"zz-broken names .*, which returned 'no agent', not an Agent"):
            make_agent("zz-broken")
        with pytest.raises(FileNotFoundError, match=r"there is no file 'gone\.py'"):
            make_agent("gone.py:last")

    def test_an_error_inside_a_users_file_is_the_users(self, plugin):
        (plugin / "faulty.py").write_text("import nosuch_dependency\n", encoding="utf-8")
        for spec in ("faulty.py:last", "faulty:last"):
            with pytest.raises(ModuleNotFoundError, match=r"faulty.* cannot be imported: .*nosuch_dependency"):
                make_agent(spec)
        assert "faulty" not in sys.modules

    def test_parameters_for_any_further_argument_are_no_options(self, plugin):
        (plugin / "varied.py").write_text(VARIED, encoding="utf-8")
        assert make_agent("varied.py:Varied").told == (2, (), {})
        assert make_agent("varied.py:Varied:depth=5").told == (5, (), {})
        with pytest.raises(SpecError, match="has no option further; it takes depth, board, epsilon"):
            make_agent("varied.py:Varied:further=1")

    def test_an_annotation_that_only_type_checkers_know_remains_a_text(self, plugin):
        (plugin / "varied.py").write_text(VARIED, encoding="utf-8")
        assert make_agent("varied.py:Varied:depth=5,board=x").board == "x"
        with pytest.raises(SpecError, match="depth must be a whole number, not 'x'"):
            make_agent("varied.py:Varied:depth=x")

    def test_agents_of_a_file_that_is_imported_again_can_be_pickled(self, plugin):
        for _ in range(3):
            made = make_agent("othello_plugin.py:Mine")
            assert pickle.loads(pickle.dumps(made)).options == {"depth": 3}

    def test_a_file_that_fails_when_it_is_imported_again_leaves_the_old_module(self, plugin):
        made = make_agent("othello_plugin.py:Mine")
        (plugin / "othello_plugin.py").write_text("1 / 0\n", encoding="utf-8")
        with pytest.raises(ZeroDivisionError):
            make_agent("othello_plugin.py:Mine")
        assert pickle.loads(pickle.dumps(made)).options == {"depth": 3}

    def test_a_file_does_not_replace_a_module_of_another_file(self, plugin):
        (plugin / "textwrap.py").write_text(textwrap.dedent(PLUGIN), encoding="utf-8")
        assert make_agent("textwrap.py:Mine").options == {"depth": 3}
        assert sys.modules["textwrap"] is textwrap

    @pytest.mark.parametrize("x", [None, 3, ["random"], Agent])
    def test_what_is_no_agent(self, x):
        with pytest.raises(TypeError, match="an agent must be a spec, an Agent or a callable, not "):
            make_agent(x)

    def test_an_agent_is_returned_as_it_is(self):
        made = make_agent("random")
        assert make_agent(made) is made


class TestCallables:
    def test_they_see_batches(self):
        seen = []

        def policy(observations, masks):
            seen.append((observations.shape, observations.dtype, masks.shape, masks.dtype))
            return masks.argmax(axis=1)

        states = [Othello(6), Othello(6).play(8)]
        made = make_agent(policy)
        assert [made.act(state) for state in states] == [state.legal_actions()[0] for state in states]
        answers = made.act_batch(OthelloPositions.from_states(states))
        assert answers.dtype == np.int64
        assert answers.tolist() == [state.legal_actions()[0] for state in states]
        assert [shape for shape, *_ in seen] == [(1, 2, 6, 6), (1, 2, 6, 6), (2, 2, 6, 6)]
        assert {(dtype, mask) for _, dtype, _, mask in seen} == {(np.dtype(np.int8), np.dtype(np.int8))}

    @pytest.mark.parametrize(
        ("answer", "found"),
        [
            (37, r"shape \(\), dtype int"),
            ([37.0], r"shape \(1,\), dtype float64"),
            ([37, 37], r"shape \(2,\), dtype int"),
            ([[37]], r"shape \(1, 1\), dtype int"),
            ([True], "dtype bool"),
            (None, "dtype object"),
            ([], "dtype float64"),
        ],
    )
    def test_answers_of_another_shape_or_type(self, answer, found):
        made = make_agent(lambda observations, masks: answer)
        with pytest.raises(AgentError, match=rf"must answer 1 observations with \(1,\) integers, not with .*{found}"):
            made.act(Othello())


class Constant(Agent):
    def __init__(self, answer):
        self.answer = answer

    def __repr__(self):
        return "constant"

    def act(self, state, *, seconds_left=None):
        return self.answer


class TestAsk:
    def test_a_legal_answer(self):
        assert ask(Constant(np.int64(37)), Othello()) == 37
        assert type(ask(Constant(np.int64(37)), Othello())) is int

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (0, r"a1 \(action 0\) is not legal for black; the legal moves are: d3 c4 f5 e6"),
            (64, r"pass \(action 64\) is not legal for black"),
            (65, "actions here must be 0 to 64, not 65"),
            (-1, "actions here must be 0 to 64, not -1"),
            (None, "an action must be an integer, not None of type NoneType"),
            ("f5", "an action must be an integer, not 'f5' of type str"),
            (37.0, "an action must be an integer, not 37.0 of type float"),
        ],
    )
    def test_an_illegal_answer_names_the_agent_and_shows_the_position(self, answer, reason):
        with pytest.raises(AgentError, match=f"agent constant answered with an illegal action.*{reason}") as caught:
            ask(Constant(answer), Othello())
        assert str(caught.value).endswith(str(Othello()))

    @pytest.mark.parametrize("answer", [19.9, "19", "d3", None, 10**30, 65, -1, 0])
    def test_an_illegal_answer_among_many_is_never_converted(self, answer):
        with pytest.raises(AgentError, match="agent constant answered with an illegal action"):
            ask_many(Constant(answer), OthelloPositions.from_states([Othello()] * 3))

    @pytest.mark.parametrize("base", [AgentWrapper, AlphaBeta])
    def test_a_subclass_with_its_own_act_is_asked_in_batches_too(self, base):
        class First(base):
            def act(self, state, *, seconds_left=None):
                return state.legal_actions()[0]

        states = states_of_a_game(3, size=4)
        agent = First(make_agent("random")) if base is AgentWrapper else First()
        answers = ask_many(agent, OthelloPositions.from_states(states, range(len(states))))
        assert answers.tolist() == [state.legal_actions()[0] for state in states]

    def test_an_agents_own_error_is_not_dressed_up(self):
        class Failing(Agent):
            def act(self, state, *, seconds_left=None):
                raise ValueError("of its own")

        with pytest.raises(ValueError, match=r"^of its own$"):
            ask(Failing(), Othello())


def states_of_a_game(key, size=8):
    state, states = Othello(size), []
    while not state.is_over:
        states.append(state)
        state = state.play(state.draw_action(key, state.turn))
    return states


class Clocked(Agent):
    """Keeps both time limits that it gets. The agent `Blind` gets only `seconds_left`."""

    def act(self, state, *, seconds_left=None, move_seconds=None):
        self.told = seconds_left, move_seconds
        return state.legal_actions()[0]


class Blind(Agent):
    def act(self, state, *, seconds_left=None):
        self.told = seconds_left
        return state.legal_actions()[0]


class TestClock:
    @pytest.mark.parametrize(
        ("clock", "both", "one"),
        [
            (Clock(game=60.0), (60.0, None), 60.0),
            (Clock(move=5.0), (None, 5.0), 5.0),
            (Clock(60.0, 5.0), (60.0, 5.0), 5.0),
            (Clock(2.0, 5.0), (2.0, 5.0), 2.0),
            (Clock(), (None, None), None),
            (None, (None, None), None),
        ],
    )
    def test_an_agent_gets_as_much_of_it_as_it_takes(self, clock, both, one):
        for wrap in (lambda it: it, lambda it: agent_specs._EpsilonAgent(it, 1e-9, 0), Timed):
            agents = Clocked(), Blind()
            for each in agents:
                ask(wrap(each), Othello(), clock)
            assert [each.told for each in agents] == [both, one]
            assert clock is None or clock.seconds == one

    def test_without_a_clock_an_act_that_takes_only_the_position_is_enough(self):
        class Simple(Agent):
            def act(self, state):
                return state.legal_actions()[0]

        for wrap in (lambda it: it, lambda it: agent_specs._EpsilonAgent(it, 1e-9, 0), Timed):
            for clock in (None, Clock()):
                assert ask(wrap(Simple()), Othello(), clock) == 19
            with pytest.raises(TypeError, match="seconds_left"):
                ask(wrap(Simple()), Othello(), Clock(game=60.0))

    def test_an_agent_whose_act_is_replaced(self):
        told = Blind()
        told.act = lambda state, *, seconds_left=None, move_seconds=None: (seconds_left, move_seconds)
        assert act_on_clock(told, Othello(), Clock(move=5.0)) == (None, 5.0)

    def test_an_agent_that_takes_any_keyword_gets_both_limits(self):
        class Any(Agent):
            def act(self, state, **clock):
                self.told = clock
                return state.legal_actions()[0]

        it = Any()
        ask(it, Othello(), Clock(60.0, 5.0))
        assert it.told == {"seconds_left": 60.0, "move_seconds": 5.0}

    def test_a_clock_shows_a_number(self):
        for wrong in ({"game": math.nan}, {"move": math.nan}, {"game": np.float64("nan"), "move": 1.0}):
            with pytest.raises(ValueError, match="a number, not nan"):
                Clock(**wrong)
        engine = make_agent("engine:depth=1")
        for seconds in (-1.0, 0.0, 10**30, math.inf):  # whatever the time, the search ends at its depth
            assert Othello().is_legal(ask(engine, Othello(), Clock(seconds, seconds)))


class TestSeat:
    def test_an_agent_is_told_again_which_game_it_is_only_if_it_was_another(self):
        told = []

        class Noting(Blind):
            def new_game(self, seed):
                told.append(seed)

        agent = Noting()
        first = Seat(agent, 1)
        first.ask(Othello())
        second = Seat(agent, 2)
        for seat in (second, first, first, second):
            seat.play(Othello())
        assert told == [1, 2, 1, 2]
        agent.act_batch(OthelloPositions.from_states([Othello()] * 2, [3, 4]))
        second.ask(Othello())
        assert told == [1, 2, 1, 2, 3, 4, 2]
        Seat(agent, 2)
        assert told[-2:] == [2, 2], "a game that begins is told, whatever was before"
        wrapped = Timed(agent)
        seat = Seat(wrapped, 5)
        wrapped.act_batch(OthelloPositions.from_states([Othello()], [6]))
        seat.ask(Othello())
        assert told[-3:] == [5, 6, 5], "a wrapper, too, is told again after a batch"

    def test_an_agent_may_be_frozen(self):
        @dataclasses.dataclass(frozen=True)
        class Frozen(Agent):
            depth: int = 1

            def act(self, state, *, seconds_left=None):
                return state.legal_actions()[0]

        assert Seat(Frozen(), 1).ask(Othello()) == Othello().legal_actions()[0]


class TestChance:
    def test_a_seed_repeats(self):
        a, b, c = Chance(5), Chance(5), Chance(6)
        first = [a.choose(Othello()) for _ in range(50)]
        assert [b.choose(Othello()) for _ in range(50)] == first
        assert [c.choose(Othello()) for _ in range(50)] != first
        assert set(first) == {19, 26, 37, 44}

    def test_without_a_seed_it_differs(self):
        assert Chance().key(Othello()) != Chance().key(Othello())

    def test_in_a_game_its_seed_and_turn_decide(self):
        one, other = Chance(1), Chance(2)
        other.choose(Othello())
        states = states_of_a_game(3)
        one.new_game(77)
        other.new_game(77)
        forwards = [one.choose(state) for state in states]
        backwards = [other.choose(state) for state in reversed(states)]
        assert forwards == backwards[::-1]
        assert all(action in state.legal_actions() for action, state in zip(forwards, states, strict=True))
        one.new_game(78)
        assert [one.choose(state) for state in states] != forwards


class TestEpsilon:
    @pytest.mark.parametrize("spec", ["random", "random:epsilon=.5", "random:epsilon=1"])
    def test_single_answers_are_the_batchs(self, spec):
        made = make_agent(spec)
        states = [state for key in range(6) for state in states_of_a_game(key, size=4)]
        keys = [17 * i for i in range(len(states))]
        singles = []
        for state, key in zip(states, keys, strict=True):
            made.new_game(key)
            singles.append(made.act(state))
        assert made.act_batch(OthelloPositions.from_states(states, keys)).tolist() == singles

    def test_a_callable_with_epsilon_answers_alike(self):
        made = agent_specs._EpsilonAgent(make_agent(last_legal), 0.5, None)
        states = states_of_a_game(4)
        keys = list(range(len(states)))
        singles = []
        for state, key in zip(states, keys, strict=True):
            made.new_game(key)
            singles.append(made.act(state))
        assert made.act_batch(OthelloPositions.from_states(states, keys)).tolist() == singles
        assert singles != make_agent(last_legal).act_batch(OthelloPositions.from_states(states, keys)).tolist()

    @pytest.mark.parametrize("answer", [np.zeros(1, np.int64), np.zeros(40), np.zeros((40, 1), np.int64), None])
    def test_an_answer_of_another_shape_or_type_is_refused_as_without_epsilon(self, answer):
        class Wrong(Constant):
            def act_batch(self, batch):
                return self.answer

        positions = OthelloPositions.from_states([Othello()] * 40, range(40))
        wrong = Wrong(answer)
        for agent in (wrong, agent_specs._EpsilonAgent(wrong, 0.5, 0)):
            with pytest.raises(AgentError, match=r"agent constant must answer 40 positions with \(40,\) integers"):
                ask_many(agent, positions)

    @pytest.mark.parametrize(("epsilon", "share"), [(0.0, 0.0), (0.25, 0.1875), (1.0, 0.75)])
    def test_it_is_a_probability(self, plugin, epsilon, share):
        # The first move is one of four, so three quarters of the random moves differ from the agent's own move.
        made = make_agent(f"othello_plugin:last:epsilon={epsilon}", seed=1)
        answers = [made.act(Othello()) for _ in range(4_000)]
        assert abs(sum(answer != 44 for answer in answers) / 4_000 - share) < 0.021
        again = make_agent(f"othello_plugin:last:epsilon={epsilon}", seed=1)
        assert [again.act(Othello()) for _ in range(100)] == answers[:100]

    def test_its_repr_is_a_spec_whatever_the_path(self, tmp_path):
        folder = tmp_path / "lr=0.1"
        folder.mkdir()
        NTupleNetwork(4).save(folder / "a.npz")
        made = make_agent(f"{folder}/a.npz:epsilon=0.5")
        assert repr(make_agent(repr(made))) == repr(made)
        assert repr(made).endswith("a.npz:epsilon=0.5")
        assert repr(make_agent("alphabeta:depth=2,epsilon=0.5")).endswith(",epsilon=0.5")

    def test_the_agents_further_powers_show_through(self, plugin):
        made = make_agent("zz-all:depth=1,epsilon=.1")
        assert made.analyse(Othello()) == "a power of its own"
        with pytest.raises(AttributeError):
            made.exact_scores(Othello())

    def test_it_can_be_copied(self):
        made = make_agent("random:epsilon=.5", seed=3)
        for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert repr(other) == repr(made)
            fresh = make_agent("random:epsilon=.5", seed=3)
            assert [other.act(Othello()) for _ in range(20)] == [fresh.act(Othello()) for _ in range(20)]
