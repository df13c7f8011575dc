"""The strategies of Tribolo in chosen positions, and compared with a step-by-step search."""

import pytest

from othello_agents.search.tribolo import STRATEGIES, TriboloPlayer, choose_strategy
from othello_env import Othello, make_agent
from othello_env.agent import SpecError
from othello_env.games.openings import random_opening
from othello_env.games.tribolo.position import Tribolo


@pytest.mark.parametrize(
    ("blue", "red", "green", "allied"),
    [
        (10, 10, 10, True),
        (10, 11, 3, False),
        (10, 10, 11, False),
        (20, 21, 3, True),
        (20, 22, 3, False),
        (5, 4, 4, True),
    ],
)
def test_the_others_ally_until_one_of_them_leads_by_a_tenth(blue, red, green, allied):
    rows = ("B" * blue + "R" * red + "G" * green).ljust(60, "-")
    state = Tribolo.from_text("/".join(rows[i : i + 10] for i in range(0, 60, 10)), "red")
    assert (choose_strategy(state, 0) == "alliance") == allied


def test_the_end_and_mobility():
    few_unowned = Tribolo.from_text("RRRRRRRR/GB------/B#######", "red")
    assert few_unowned.num_actions - sum(few_unowned.scores()) < 20
    assert choose_strategy(few_unowned, 0) == "score"
    roomy = Tribolo.from_text("RRRRRRRR/GB------/B-------/--------/--------", "red")
    assert len(roomy.legal_actions()) < 5
    assert choose_strategy(roomy, 0) == "mobility"
    open_board = Tribolo.from_text("RRRRRRRR/BBBBBB--/--------/--------/--------", "red")
    assert len(open_board.legal_actions()) >= 5
    assert choose_strategy(open_board, 0) == "score"
    assert choose_strategy(open_board, 1) == "alliance"  # against Red, which leads


def simple_values(state, strategy, target):
    """The values of all actions, computed step by step."""
    values = {}
    me = state.to_move
    for action in state.legal_actions():
        after = state.play(action)
        if not after.is_over:
            answers = [after.play(answer) for answer in after.legal_actions()]
            most = max(answer.scores()[after.to_move] for answer in answers)
            after = next(answer for answer in answers if answer.scores()[after.to_move] == most)
        scores = after.scores()
        allied = scores[me] if me == target else sum(s for player, s in enumerate(scores) if player != target)
        values[action] = {"score": scores[me], "mobility": after.mobility(me), "alliance": allied}[strategy]
    return values


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("target", ["blue", "green"])
def test_the_search_is_root_and_one_answer(strategy, target):
    agent = TriboloPlayer(strategy, target)
    index = Tribolo.player_names.index(target)
    for key in range(12):
        start = Tribolo(key, width=8, height=7, cells=4, walls=4)
        state = random_opening(start, 3 * key, key) or start
        played = choose_strategy(state, index) if strategy == "high-level" else strategy
        values = simple_values(state, played, index)
        assert agent.action_values(state) == values
        assert agent.act(state) == next(a for a in values if values[a] == max(values.values()))


@pytest.mark.parametrize("spec", ["maxn", "paranoid:depth=2", "tribolo:strategy=score", "tribolo"])
def test_tribolo_is_played_well(spec):
    agent, others, total = make_agent(spec), make_agent("random", seed=2), 0.0
    for seed in range(6):
        state = Tribolo(seed)
        while not state.is_over:
            state = state.play((agent if state.to_move == seed % 3 else others).act(state))
        total += state.returns()[seed % 3]
    assert total / 6 > 0.3  # the mean of random play is 0


def test_specs_and_bad_input():
    agent = make_agent("tribolo:strategy=mobility,target=green")
    assert repr(agent) == "tribolo:strategy=mobility,target=green"
    with pytest.raises(SpecError, match="alliance, high-level, mobility, score, not 'clever'"):
        make_agent("tribolo:strategy=clever")
    with pytest.raises(SpecError, match="blue, red, green"):
        make_agent("tribolo:target=white")
    with pytest.raises(ValueError, match="do not play Othello"):
        agent.act(Othello())
    with pytest.raises(ValueError, match="over"):
        agent.act(Tribolo.from_text("B/R/G"))
