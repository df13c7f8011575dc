"""How agents are asked: callables, checks of their answers, clocks, seats in games, and random choices."""

import math

import numpy as np
import pytest

from othello_agents.ntuple import NTupleNetwork
from othello_agents.search.alphabeta import AlphaBeta
from othello_env import Agent, AgentError, Othello, OthelloPositions, make_agent, make_vec_env
from othello_env.agent import AgentWrapper, Clock, RandomChoices, Seat, ask
from othello_env.agent import spec as agent_specs
from othello_env.agent.wrapper import Timed

pytestmark = pytest.mark.nojit


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
            (-1, "actions here must be 0 to 64, not -1"),
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
            make_vec_env(3, opponent=Constant(answer), side="white").reset(seed=1)

    @pytest.mark.parametrize("answers", [[5.9] * 3, [5], [[5]] * 3, [True] * 3])
    def test_answers_to_a_batch_are_integers_one_for_each(self, answers):
        class Together(Constant):
            def act_batch(self, batch):
                return np.array(answers)

        with pytest.raises(AgentError, match=r"agent constant must answer 3 positions with \(3,\) integers, not with"):
            make_vec_env(3, opponent=Together(19), side="white").reset(seed=1)

    @pytest.mark.parametrize("base", [AgentWrapper, AlphaBeta])
    def test_a_subclass_with_its_own_act_is_asked_in_batches_too(self, base):
        class First(base):
            def act(self, state, *, seconds_left=None):
                return state.legal_actions()[0]

        states = states_of_a_game(3, size=4)
        agent = First(make_agent("random")) if base is AgentWrapper else First()
        answers = agent.act_batch(OthelloPositions.from_states(states, range(len(states))))
        assert answers.tolist() == [state.legal_actions()[0] for state in states]


def states_of_a_game(key, size=8):
    state, states = Othello(size), []
    while not state.is_over:
        states.append(state)
        state = state.play(state.draw_action(key, state.placed))
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

    def test_a_clock_shows_a_number(self):
        for wrong in ({"game": math.nan}, {"move": math.nan}, {"game": np.float64("nan"), "move": 1.0}):
            with pytest.raises(ValueError, match="a number, not nan"):
                Clock(**wrong)


class TestSeat:
    def test_an_agent_is_told_again_which_game_it_is_only_if_it_was_another(self):
        told = []

        class Noting(Blind):
            def new_game(self, key):
                told.append(key)

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


class TestChance:
    def test_a_seed_repeats(self):
        a, b, c = RandomChoices(5), RandomChoices(5), RandomChoices(6)
        first = [a.choose(Othello()) for _ in range(50)]
        assert [b.choose(Othello()) for _ in range(50)] == first
        assert [c.choose(Othello()) for _ in range(50)] != first
        assert set(first) == {19, 26, 37, 44}

    def test_in_a_game_its_seed_and_turn_decide(self):
        one, other = RandomChoices(1), RandomChoices(2)
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
