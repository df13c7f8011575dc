"""Max^n and paranoid search on random trees and in Tribolo, compared with lists of all lines of play."""

import pytest

from othello_agents.evaluations import count
from othello_agents.search.multiplayer import MaxN, Paranoid, maxn, paranoid
from othello_agents.search.tribolo import STRATEGIES, TriboloPlayer, choose_strategy
from othello_env.games.openings import random_opening
from othello_env.games.tribolo.position import Tribolo


def trees(three_step, n):
    """Games of three players on n random trees. Their results have the same form as in Tribolo."""

    def returns(state):
        best = [score == max(state.scores()) for score in state.scores()]
        if not state.is_over or all(best):
            return (0.0, 0.0, 0.0)
        return tuple((1.0 if sum(best) == 1 else 0.25) if is_best else -0.5 for is_best in best)

    return [type("Tree", (three_step,), {"seed": seed, "returns": returns, "__slots__": ()})() for seed in range(n)]


def leaf(state, player):
    return 1e9 * state.returns()[player] if state.is_over else count(state, player)


def all_lines(state, depth):
    """All lines of play, as {actions: final state}."""
    if depth == 0 or state.is_over:
        return {(): state}
    return {
        (action, *line): end
        for action in state.legal_actions()
        for line, end in all_lines(state.play(action), depth - 1).items()
    }


def solve(state, depth, choose):
    """The state after `depth` plies. At each ply, `choose` picks among the final states that the moves lead to."""
    if depth == 0 or state.is_over:
        return state
    return choose(state.to_move, [solve(state.play(action), depth - 1, choose) for action in state.legal_actions()])


def test_max_n_is_each_player_for_itself(three_step):
    for depth in (1, 2, 4, 6):
        for tree in trees(three_step, 40):
            end = solve(tree, depth, lambda mover, ends: max(ends, key=lambda state: leaf(state, mover)))
            found = maxn(tree, depth, count)
            assert found.values == tuple(leaf(end, player) for player in range(3))
            assert end.moves[0] == found.action
            assert found.nodes >= len(all_lines(tree, depth))


def test_paranoid_is_all_against_one(three_step):
    pruned = full = 0
    for depth in (1, 2, 4, 6):
        for tree in trees(three_step, 20):
            for player in range(3):
                end = solve(
                    tree,
                    depth,
                    lambda mover, ends, me=player: (max if mover == me else min)(ends, key=lambda s: leaf(s, me)),
                )
                found = paranoid(tree, depth, count, player)
                assert found.value == leaf(end, player)
                pruned += found.nodes
                full += maxn(tree, depth, count).nodes
                if tree.to_move == player:
                    assert end.moves[0] == found.action
    assert pruned < 0.9 * full


@pytest.mark.parametrize("kind", [MaxN, Paranoid])
def test_the_value_of_each_action_is_what_the_move_is_chosen_by(kind):
    agent = kind(depth=2)
    for seed in range(6):
        state = random_opening(Tribolo(seed=seed), 30, seed)
        assert state is not None
        values = agent.action_values(state)
        assert tuple(values) == state.legal_actions()
        assert max(values, key=values.get) == agent.act(state)
        assert max(values.values()) == agent.evaluate(state, state.to_move)
        assert [agent.evaluate(state, player) for player in range(3)] == (
            list(maxn(state, 2, count).values)
            if kind is MaxN
            else [paranoid(state, 2, count, player).value for player in range(3)]
        )


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
        assert agent.evaluate(state, state.to_move) == max(values.values())


def test_the_values_of_tribolos_players_are_those_after_the_expected_moves():
    agent = TriboloPlayer("score")
    state = Tribolo(seed=3)
    after = state.play(agent.act(state))
    answered = max(map(after.play, after.legal_actions()), key=lambda answer: answer.scores()[after.to_move])
    values = [agent.evaluate(state, player) for player in range(3)]
    assert values == list(answered.scores()) != list(state.scores())
    over = Tribolo.from_text("BB/RG")
    assert [agent.evaluate(over, player) for player in range(3)] == [2, 1, 1]
