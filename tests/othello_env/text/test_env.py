"""The environment of texts: whole games of each kind, rewards against exact values, wrong answers."""

import gymnasium
import numpy as np
import pytest

from othello_env import Othello, SpecError, WrongGameError, make_agent
from othello_env.arena.rating.accuracy import endgame_positions, regret_positions
from othello_env.text import OthelloText


def play_out(env, choose, **reset):
    """Play a game. `choose` takes the position and returns an answer."""
    texts = [env.reset(**reset)]
    while not env.done:
        texts.append(env.play(choose(env.position)))
    return texts


def first(state):
    return state.action_to_text(state.legal_actions()[0])


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": 4},
        {"size": 6, "openings": "random:6"},
        {"opponent": "alphabeta:depth=1", "legal_moves": True},
        {"game": "checkers:draws=40-move", "size": 6},
        {"game": "tribolo"},
    ],
    ids=str,
)
def test_whole_games(arguments):
    env = OthelloText(seed=4, **arguments)
    lengths = set()
    for _ in range(5):
        texts = play_out(env, first)
        assert env.position.is_over
        assert env.reward == sum(env.rewards) == env.get_reward()
        assert set(env.rewards[:-1]) <= {0.0}
        assert env.rewards[-1] in env.position.returns()
        assert texts[-1].splitlines()[-1] in ("You won.", "You lost.", "The game is a draw.")
        assert [message["content"] for message in env.messages if message["role"] == "user"] == texts
        assert all(("Legal moves: " in text) == ("legal_moves" in arguments) for text in texts[:-1])
        assert env.faults == []
        assert env.play("d3").startswith("There is no game")
        lengths.add(len(env.position.moves))
    assert len(lengths) > 1  # the games differ
    env.reset(seed=4)
    again = [play_out(env, first, seed=4), env.position]
    assert again == [play_out(env, first, prompt="ignored", seed=4), env.position]


def test_the_texts_tell_all_moves():
    env = OthelloText(seed=2, size=4)
    for _ in range(20):
        texts = "\n".join(play_out(env, first))
        you = env.position.player_names.index("white") if "You are white" in texts else 0
        told = [line.split() for line in texts.splitlines() if " played " in line or " passed." in line]
        names = ["pass" if each[1].startswith("passed") else each[2].rstrip(".") for each in told]
        assert names == [env.position.action_to_text(action) for action in env.position.moves]
        assert [each[0] == "You" for each in told] == [ply % 2 == you for ply in range(len(told))]


@pytest.mark.parametrize("size", [6, 8])
def test_the_games_of_a_seed_begin_as_those_of_the_environment_for_agents(size):
    env = gymnasium.make("othello_env/Othello-v0", size=size, openings="random:5", disable_env_checker=True).unwrapped
    text = OthelloText(size=size, openings="random:5", seed=7)
    env.reset(seed=7)
    for _ in range(10):
        text.reset()
        assert text.position == env.position
        env.reset()


def test_a_wrong_answer_is_corrected_once_and_loses_the_second_time():
    env = OthelloText(side="black", seed=1)
    env.reset()
    assert "not empty" in env.play("d4")
    assert not env.done
    assert "Answer with a legal move" in env.messages[-1]["content"]
    env.play("d3")  # a legal answer: the next position has all its attempts again
    assert "no move" in env.play("hm")
    assert env.play("a1").endswith("You lose the game.")
    assert env.done
    assert (env.faults, env.rewards, env.reward) == (["illegal", "unreadable", "illegal"], [0.0, -1.0], -1.0)
    assert len(env.position.moves) == 2
    env.reset()
    assert (env.faults, env.rewards, env.done) == ([], [], False)


@pytest.mark.parametrize("attempts", [1, 4])
def test_the_number_of_attempts_is_a_setting(attempts):
    env = OthelloText(attempts=attempts)
    env.reset()
    for attempt in range(1, attempts + 1):
        env.play("?")
        assert env.done == (attempt == attempts)


@pytest.mark.parametrize("answer", [None, 5, ["d3"], b"d3", "\ud800", "x" * 5_000_000])
def test_an_answer_of_any_type_is_at_most_a_wrong_answer(answer):
    env = OthelloText(side="black")
    assert env.play(answer).startswith("There is no game")
    env.reset()
    assert isinstance(env.play(answer), str)


def check_regret(position, scores):
    """Check the regret rewards of each move of a position, with the result of the game taken off."""
    side = position.player_names[position.to_move]
    env = OthelloText(position.size, openings=[position], side=side, reward="regret", seed=0)
    for action, score in scores.items():
        env.reset()
        assert env.position == position
        env.play(position.action_to_text(action))
        reward = env.rewards[0] - env.position.returns()[position.to_move]
        assert reward == pytest.approx((score - max(scores.values())) / (2 * position.size**2))
        assert -1 <= reward <= 0


def test_regret_equals_perfect_play_in_many_positions_of_4x4():
    perfect, rng, done = make_agent("perfect"), np.random.default_rng(0), set()
    while len(done) < 400:
        state = Othello(4)
        while not state.is_over:
            if not state.must_pass and state not in done:
                check_regret(state, perfect.action_values(state))
                done.add(state)
            state = state.play(int(rng.choice(state.legal_actions())))


def test_regret_equals_the_packaged_scores_of_6x6_and_8x8():
    late = [each for each in regret_positions(6) if each.state.empties <= 11][::6]
    ends = [each for each in endgame_positions() if each.state.empties <= 9][::6]
    assert len(late) > 15
    assert len(ends) > 15
    for each in late + ends:
        check_regret(each.state, each.scores)


@pytest.mark.parametrize(("reward", "loss"), [("result", -1), ("regret", -2)])
def test_to_give_up_a_game_never_pays(reward, loss):
    env = OthelloText(4, reward=reward, seed=2)
    assert env.get_reward() == 0  # there is no game yet
    env.reset()
    assert (env.reward, env.get_reward()) == (0, loss)
    env.play(first(env.position))
    assert env.get_reward() == env.reward + loss
    env.play("?")
    env.play("?")
    assert env.done
    assert env.get_reward() == env.reward == env.rewards[0] + loss


def test_regret_is_0_where_8x8_has_too_many_empty_squares():
    env = OthelloText(reward="regret", seed=1)
    env.reset()
    env.play(first(env.position))
    assert env.rewards == [0.0]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"game": "tribolo", "size": 8}, ValueError, "no option size"),
        ({"game": "othello:size=6", "size": 8}, ValueError, "size twice"),
        ({"game": "checkers", "reward": "regret"}, ValueError, "Othello"),
        ({"side": "red"}, ValueError, "black"),
        ({"opponent": "nobody"}, SpecError, "nobody"),
        ({"opponent": "perfect"}, WrongGameError, "4x4 and 6x6"),
    ],
    ids=str,
)
def test_wrong_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        OthelloText(**arguments)
