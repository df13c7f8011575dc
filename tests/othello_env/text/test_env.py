"""The environment of texts: whole games of each kind, rewards against exact values, wrong answers."""

import copy
import re
from itertools import product
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from othello_env import Othello, SpecError, WrongGameError, make_agent
from othello_env.arena.benchmark.positions import load_positions
from othello_env.text import OthelloText, game_reward


def play_out(env, choose, **reset):
    """Play a game. `choose` takes the position and returns an answer."""
    texts = [env.reset(**reset)]
    while not env.done:
        texts.append(env.play(choose(env.position)))
    return texts


def first(state):
    return state.action_to_text(state.legal_actions()[0])


def result_of(env):
    """The result of the model's player."""
    name = re.search(r"You are (\w+)\.", env.messages[0]["content"])[1]
    return env.position.returns()[env.position.player_names.index(name)]


@pytest.mark.parametrize(
    "arguments",
    [
        {"game": "othello:size=4"},
        {"game": "othello:size=6", "openings": "random:6"},
        {"opponent": "alphabeta:depth=1", "legal_moves": True},
        {"game": "checkers:draws=40-move,size=6"},
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
        assert texts[-1].splitlines()[-1] in ("You won.", "You lost.", "The game is a draw.")
        assert env.get_reward() == pytest.approx(0.2 + 0.4 * (1 + result_of(env)))
        assert env.get_reward() == pytest.approx(sum(env.rewards))
        assert env.regrets == [None] * len(env.rewards)
        assert [message["content"] for message in env.messages if message["role"] == "user"] == texts
        assert all(("Legal moves: " in text) == ("legal_moves" in arguments) for text in texts[:-1])
        assert env.faults == []
        assert env.play("d3").startswith("There is no game")
        lengths.add(len(env.position.moves))
    assert len(lengths) > 1  # the games differ
    env.reset(seed=4)
    again = [play_out(env, first, seed=4), env.position]
    assert again == [play_out(env, first, prompt="not used", seed=4), env.position]


def test_the_texts_tell_all_moves():
    env = OthelloText(seed=2, game="othello:size=4")
    for _ in range(20):
        texts = "\n".join(play_out(env, first))
        you = env.position.player_names.index("white") if "You are white" in texts else 0
        told = [line.split() for line in texts.splitlines() if " played " in line or " passed." in line]
        names = ["pass" if each[1].startswith("passed") else each[2].rstrip(".") for each in told]
        assert names == [env.position.action_to_text(action) for action in env.position.moves]
        assert [each[0] == "You" for each in told] == [ply % 2 == you for ply in range(len(told))]


def test_the_first_example_of_the_page_prints_what_the_page_shows(capsys):
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "language-models.md").read_text()
    program, shown = re.search(
        r"^```python\n(.*?)^```\n\n^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE
    ).groups()
    exec(program, {})
    pattern = ".*".join(map(re.escape, shown.split("[...]")))  # the page leaves out some lines
    assert re.fullmatch(pattern, capsys.readouterr().out, re.DOTALL)


@pytest.mark.parametrize("size", [6, 8])
def test_the_games_of_a_seed_begin_as_those_of_the_environment_for_agents(size):
    env = gymnasium.make("othello_env/Othello-v0", size=size, openings="random:5", disable_env_checker=True).unwrapped
    text = OthelloText(f"othello:size={size}", openings="random:5", seed=7)
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
    assert env.faults == ["illegal", "unreadable", "illegal"]
    assert len(env.rewards) == 4
    assert len(env.position.moves) == 2
    assert "2 wrong answers in a row lose the game" in env.messages[0]["content"]
    env.reset()
    assert (env.faults, env.rewards, env.regrets, env.done) == ([], [], [], False)
    env = OthelloText(attempts=4)
    assert env.play("d3").startswith("There is no game")
    env.reset()
    assert [env.play(answer) and env.done for answer in (None, "?", "\ud800", 5)] == [False, False, False, True]


def check_regret(position, scores):
    """Check the discs that each move of a position loses."""
    side = position.player_names[position.to_move]
    env = OthelloText(f"othello:size={position.size}", openings=[position], side=side, reward="regret", seed=0)
    for action, score in scores.items():
        env.reset()
        assert env.position == position
        env.play(position.action_to_text(action))
        assert env.regrets == [None if score is None else max(scores.values()) - score]


def test_regret_equals_the_packaged_scores_of_each_size():
    late = [each for each in load_positions("othello:size=6") if each.state.empties <= 11][::6]
    ends = [each for each in load_positions() if each.state.empties <= 9][::6]
    assert len(late) > 15
    assert len(ends) > 15
    for each in [*load_positions("othello:size=4"), *late, *ends]:
        check_regret(each.state, each.scores)
    check_regret(Othello(), dict.fromkeys(Othello().legal_actions()))  # too many squares are empty


def best(state):
    """A perfect move. On 8x8, the engine finds it near the end of a game."""
    return make_agent("perfect" if state.size < 8 else "engine").act(state)


def worst(state):
    """A move that loses the most discs against perfect play."""
    (scores,) = make_agent("perfect" if state.size < 8 else "engine").exact_scores([state])
    return int(np.nanargmin(scores))


NEAR_THE_END = [each.state for each in load_positions() if each.state.empties == 9][:12]
STARTS = {4: "random:3", 6: "random:20", 8: NEAR_THE_END}


@pytest.mark.parametrize("reward", ["result", "regret"])
@pytest.mark.parametrize("size", STARTS)
def test_to_end_or_leave_a_game_never_pays_and_no_legal_move_lowers_the_reward(size, reward):
    """Good, bad and faulty policies play the same games; in each position some quit or are cut off."""
    rng = np.random.default_rng(size)
    policies = {
        "perfect": lambda env: [best(env.position)],
        "random": lambda env: [int(rng.choice(env.position.legal_actions()))],
        "worst": lambda env: [worst(env.position)],
        "worst and faulty": lambda env: ["?", worst(env.position)],
        "perfect but faulty": lambda env: ["a9", best(env.position)],
    }
    env = OthelloText(f"othello:size={size}", opponent="maximizer:eval=count", openings=STARTS[size], reward=reward)
    for seed in range(12):
        left, finished = [0.0], {}
        for name, policy in policies.items():
            env.reset(seed=seed)
            while not env.done:
                left.append(env.get_reward())  # of a model that is cut off here
                quits = copy.deepcopy(env)
                quits.play("I give up")
                quits.play("d9")
                assert quits.done
                left.append(quits.get_reward())
                for answer in policy(env):
                    before = env.get_reward()
                    legal = not isinstance(answer, str)
                    env.play(env.position.action_to_text(answer) if legal else answer)
                    assert (env.get_reward() > before) if legal else (env.get_reward() <= before)
            assert env.get_reward() == pytest.approx(sum(env.rewards))
            finished[name] = env.get_reward()
        assert min(left) >= 0
        assert max(left) < 0.1 < min(finished.values()) <= max(finished.values()) <= 1
        assert 0 < finished["perfect"] - finished["perfect but faulty"] < 0.1  # the same moves
        assert finished["worst"] > finished["worst and faulty"]
    assert env.regrets == [0.0 if reward == "regret" else None] * len(env.regrets)  # the last policy plays perfectly


def test_the_bounds_of_the_reward_hold_for_all_numbers_of_moves_and_answers():
    for legal, wrong in product(range(100), range(100)):
        left = game_reward(None, legal, wrong)
        assert 0 <= left < 0.1
        assert left < game_reward(None, legal + 1, wrong)
        assert 0.1 < game_reward(0.0, legal + 1, wrong) < game_reward(0.5, legal + 1, wrong) <= 1
        assert game_reward(0.0, legal + 1, wrong + 1) < game_reward(0.0, legal + 1, wrong)
        assert game_reward(None, legal + 1, wrong + 1) < game_reward(None, legal + 1, wrong)
    assert game_reward(1.0, 0, 0) == 1


def test_regret_makes_three_quarters_of_the_quality_of_a_game():
    env = OthelloText("othello:size=6", openings="random:24", reward="regret", seed=3)
    for _ in range(5):
        play_out(env, first)
        assert sum(env.regrets) > 0
        quality = (1 + result_of(env)) / 8 + 0.75 * np.mean(np.exp(-np.array(env.regrets) / 2))
        assert env.get_reward() == pytest.approx(0.2 + 0.8 * quality)


PLAYERS = {
    "perfect": "perfect",
    "engine": "engine:depth=2",
    "greedy": "maximizer:eval=count,epsilon=0.1",
    "random": "random",
    "worst": None,
}


def test_the_exact_regret_carries_a_third_of_the_variance_in_a_group_and_orders_the_players():
    """Groups of games that begin alike, as a trainer compares them."""
    env = OthelloText("othello:size=6", openings="random:20", reward="regret")
    means, shares = {}, {}
    for name, spec in PLAYERS.items():
        agent = make_agent(spec, seed=1) if spec else None
        variance = covariance = total = 0.0
        for seed in range(40):
            paid, exact = [], []
            for _ in range(8 if name in ("random", "greedy") else 1):
                env.reset(seed=seed)
                while not env.done:
                    state = env.position
                    env.play(state.action_to_text(agent.act(state) if agent else worst(state)))
                paid.append(env.get_reward())
                exact.append(paid[-1] - 0.2 * (1 + result_of(env)) / 2)
            variance += np.var(paid)
            covariance += np.mean((np.array(paid) - np.mean(paid)) * (np.array(exact) - np.mean(exact)))
            total += np.mean(paid)
        means[name], shares[name] = total / 40, covariance / max(variance, 1e-9)
    assert sorted(means, key=means.get, reverse=True) == list(PLAYERS)
    assert shares["random"] > 1 / 3
    assert shares["greedy"] > 1 / 3


def test_a_column_of_a_data_set_changes_a_game():
    env = OthelloText("othello:size=6", seed=1)
    for row in (
        {"seed": 3, "game": "othello:size=4", "side": "white", "opponent": "maximizer:eval=count"},
        {"seed": 4, "openings": "random:5", "opponent": "alphabeta:depth=1"},
        {"seed": 5, "openings": ["b3"], "side": "black", "opponent": None, "game": None},
        {"seed": 6, "prompt": [{"role": "user", "content": "Play."}]},
    ):
        played = [play_out(env, first, **row), env.position]
        arguments = {name: value for name, value in row.items() if value is not None and name != "prompt"}
        other = OthelloText(**({"game": "othello:size=6"} | arguments))
        assert played == [play_out(other, first), other.position]


MADE, RESET = (OthelloText,), (lambda **row: OthelloText("othello:size=6").reset(**row),)
REFUSED = [
    (MADE, {"game": "tribolo:size=8"}, ValueError, "no option size"),
    (MADE, {"size": 8}, TypeError, "write game="),
    (MADE, {"game": "checkers", "reward": "regret"}, ValueError, "Othello"),
    (RESET, {"oponent": "random"}, TypeError, "no argument oponent .did you mean opponent"),
    (MADE + RESET, {"opponent": "nobody"}, SpecError, "nobody"),
    (MADE + RESET, {"opponent": "perfect", "game": "othello"}, WrongGameError, "4x4 and 6x6"),
    (MADE + RESET, {"openings": "random"}, ValueError, "random"),
    (MADE + RESET, {"side": "red"}, ValueError, "black"),
]


@pytest.mark.parametrize(("calls", "arguments", "error", "words"), REFUSED)
def test_wrong_arguments(calls, arguments, error, words):
    for call in calls:
        with pytest.raises(error, match=words):
            call(**arguments)


def test_a_refused_reset_changes_nothing():
    env = OthelloText("othello:size=6", reward="regret", seed=1)
    env.reset(seed=6)
    before = env.position
    for row in ({"game": "checkers"}, {"game": "othello:size=4", "opponent": "nobody"}):
        with pytest.raises((ValueError, SpecError)):
            env.reset(**row)
        assert env.position == before
    env.reset(seed=6)
    assert env.position == before


def test_copies_of_an_environment_without_a_seed_play_other_games():
    """As in forked processes, which begin as copies of one environment."""
    env = OthelloText("othello:size=4", openings="random:5")
    starts = {copy.deepcopy(env).reset() for _ in range(12)}
    assert len(starts) > 1
