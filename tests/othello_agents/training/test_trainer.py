"""Learning: it agrees with a slow twin, it can be repeated, and it succeeds."""

import math
import signal
import threading

import numpy as np
import pytest
import slow_ntuple as slow

from othello_agents.engine import Engine, exact_scores
from othello_agents.engine.evaluator import LOGIT, ntuple_evaluator, set_root
from othello_agents.engine.memory import BEST, LIMIT, NO_LIMIT, ROOT, WORST, new_memory
from othello_agents.engine.midgame import search
from othello_agents.ntuple import NTupleNetwork, shipped_network
from othello_agents.ntuple.network import shapes
from othello_agents.training import Trainer, against
from othello_env import Othello, make_env
from othello_env.arena.match import play_match
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, draw, mix_int
from othello_env.games.othello.bitboard import square_to_action


class SlowLearner:
    """TD(lambda) by self-play on States. Weights and errors are dictionaries. The contents of patterns are the keys."""

    def __init__(self, size, seed, stages, rate, trace, epsilon, random_plies, grabbing, wide=False):
        self.size, self.stages = size, stages
        self.key = mix_int(seed, 0)
        self.rate, self.trace = rate, trace
        self.epsilon, self.random_plies, self.grabbing = epsilon, random_plies, grabbing
        self.weights, self.errors, self.sizes = {}, {}, {}
        self.placements = [
            (name, orders) for name, squares in shapes(size, wide).items() for orders in slow.readings(size, squares)
        ]

    def features(self, state):
        """The keys of the weights of an afterstate. Mirror images of a pattern's contents share one key."""
        shown = slow.content(state, 1 - state.to_move)
        stage = slow.stage_of(state, self.stages)
        difference = (stage, "difference", slow.difference(state, 1 - state.to_move))
        return [
            (stage, name, min(tuple(shown[s] for s in order) for order in orders)) for name, orders in self.placements
        ] + [difference]

    def logit(self, features):
        return np.float32(math.fsum(self.weights.get(feature, 0.0) for feature in features))

    def estimate(self, state):
        """The value of an afterstate for the player who moved, used to choose moves."""
        if state.is_over:
            return math.inf * state.returns()[1 - state.to_move] if any(state.returns()) else 0.0
        return float(self.logit(self.features(state)))

    def outcome(self, state, player):
        return 0.5 * state.returns()[player] + 0.5 * state.margins()[player] / self.size**2

    def grabber(self, key):
        """The player that often turns as many discs as possible in this game, or None if neither player does."""
        bits = mix_int(key, OPPONENT)
        return bits & 1 if bits >> 32 < int(self.grabbing * 2**32) else None

    def value(self, state, player):
        return self.outcome(state, player) if state.is_over else math.tanh(self.estimate(state))

    def play(self, game):
        """A list of (player, state after the move, state after the best move), one entry for each ply of a game."""
        key = mix_int(self.key, game)
        random_plies = draw(key, OPENING, self.random_plies + 1)
        state, plies = Othello(self.size), []
        while not state.is_over:
            if state.must_pass:
                state = state.play(state.pass_action)
            legal = state.legal_actions()
            estimates = [self.estimate(state.play(a)) for a in legal]
            best = action = legal[estimates.index(max(estimates))]
            bits = mix_int(mix_int(key, EPSILON), state.placed + 1)
            if len(plies) < random_plies or bits >> 32 < int(self.epsilon * 2**32):
                action = legal[draw(bits, CHOICE, len(legal))]
            elif state.to_move == self.grabber(key) and mix_int(bits, OPPONENT) >> 32 < int(0.7 * 2**32):
                action = max(legal, key=lambda a: state.play(a).discs()[state.to_move])
            plies.append((state.to_move, state.play(action), state.play(best)))
            state = state.play(action)
        return plies

    def learn(self, games):
        for game in range(games):
            for features, error in self.errors_of(self.play(game)):
                for feature in features:
                    self.move(feature, self.rate_of(feature) * error / len(features), error)

    def errors_of(self, plies):
        """The features and the error of each afterstate of a game, from the last ply to the first."""
        valued, found = [], []
        for mover, state, best in plies:
            value = self.value(state, mover)
            valued.append((mover, state, value, value if best == state else math.tanh(self.estimate(best))))
        returned = {}  # each player's return from the next ply on; the loop runs backwards
        for mover, state, value, greedy in reversed(valued):
            back = greedy
            if not state.is_over:
                found.append((self.features(state), (returned[mover] - value) * (1 - value**2)))
                if value == greedy:
                    back = (1 - self.trace) * value + self.trace * returned[mover]
            returned = {mover: back, 1 - mover: -back}
        return found

    def rate_of(self, feature):
        size = self.sizes.get(feature, 0.0)
        return self.rate * abs(self.errors[feature]) / size if size else self.rate

    def move(self, feature, step, error):
        self.weights[feature] = self.weights.get(feature, 0.0) + step
        self.errors[feature] = self.errors.get(feature, 0.0) + error
        self.sizes[feature] = self.sizes.get(feature, 0.0) + abs(error)


@pytest.mark.nojit
@pytest.mark.parametrize(("trace", "wide"), [(0.0, False), (0.6, True)])
def test_learning_is_that_of_the_slow_twin(trace, wide):
    games = 12
    options = {"rate": 0.9, "trace": trace, "epsilon": 0.2, "random_plies": 4, "grabbing": 0.6}
    # With this seed, a rare case occurs: the best move would end the game, but the player makes another move.
    seed = 4
    trainer = Trainer(4, seed, network=NTupleNetwork(4, 2, wide=wide), **options)
    trainer.run(games=games)
    learner = SlowLearner(4, seed, 2, **options, wide=wide)
    learner.learn(games)
    largest = 0.0
    for game in range(games):
        for mover, state, *_ in learner.play(game):
            if not state.is_over:
                expected = math.tanh(learner.estimate(state))
                largest = max(largest, abs(expected))
                assert trainer.network.value(state, mover) == pytest.approx(expected, abs=1e-6)
    assert largest > 0.1


class SlowSearcher(SlowLearner):
    """The same for a game in which both sides search. The first weights are those of a network."""

    DEPTH, SOLVED = 3, 12

    def __init__(self, network, seed):
        super().__init__(network.size, seed, network.stages, 1.0, 0.9, 0.05, 12, 0.25, wide=network.wide)
        self.network, self.evaluator, self.memory = network, ntuple_evaluator(network.tables), new_memory(1)
        self.memory.control[LIMIT] = NO_LIMIT

    def estimate(self, state):
        if state.is_over:
            return super().estimate(state)
        return math.atanh(self.network.value(state, 1 - state.to_move)) + float(self.logit(self.features(state)))

    def look(self, state):
        """The best action, its value for the player to move, and whether this value is exact."""
        if state.empties <= self.SOLVED:
            score = np.nanmax(exact_scores([state]))
            best = max(state.legal_actions(), key=lambda action: self.estimate(state.play(action)))
            return best, 0.5 * np.sign(score) + 0.5 * score / self.size**2, True
        self.memory.control[ROOT] = state.empties
        set_root(np.uint64(state.own), np.uint64(state.opponent), state.empties, self.evaluator)
        for depth in (self.DEPTH - 2, self.DEPTH):
            boards = np.uint64(state.own), np.uint64(state.opponent)
            value = search(*boards, np.int64(0), -WORST, WORST, np.int64(depth), self.evaluator, self.memory)
        return square_to_action(self.memory.control[BEST], self.size), math.tanh(value / LOGIT), False

    def play(self, game):
        """The random plies' number, and for each ply the state, the action, its value and whether it is followed."""
        key = mix_int(self.key, game)
        random_plies = draw(key, OPENING, self.random_plies + 1)
        state, plies = Othello(self.size), []
        while not state.is_over:
            if state.must_pass:
                state = state.play(state.pass_action)
            legal = state.legal_actions()
            is_searched = len(plies) >= random_plies - 1 or state.empties <= self.SOLVED
            action, value, exact = self.look(state) if is_searched else (None, None, False)
            best, bits = action, mix_int(mix_int(key, EPSILON), state.placed + 1)
            if len(plies) < random_plies or bits >> 32 < int(self.epsilon * 2**32):
                action = legal[draw(bits, CHOICE, len(legal))]
            elif state.to_move == self.grabber(key) and mix_int(bits, OPPONENT) >> 32 < int(0.7 * 2**32):
                action = max(legal, key=lambda a: state.play(a).discs()[state.to_move])
            plies.append((state, action, value, action == best and not exact))
            state = state.play(action)
        return random_plies, plies

    def errors_of(self, game):
        random_plies, plies = game
        found, returned = [], None
        for t, (state, action, value, followed) in reversed([*enumerate(plies)]):
            mover, after = state.to_move, state.play(action)
            if returned is not None and t >= random_plies - 2:
                own = self.value(after, mover)
                found.append((self.features(after), (returned[mover] - own) * (1 - own**2)))
            if value is None:
                break
            back = (
                value if returned is None or not followed else (1 - self.trace) * value + self.trace * returned[mover]
            )
            returned = {mover: back, 1 - mover: -back}
        return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_learning_from_searched_games_is_that_of_the_slow_twin(seed):
    shipped = shipped_network(6)
    network = NTupleNetwork(6, shipped.stages, shipped.weights).widened()
    trainer = Trainer(6, seed, network=network, depth=SlowSearcher.DEPTH, one_ply_games=0)
    before = NTupleNetwork(6, network.stages, network.weights.copy(), wide=True)
    learner = SlowSearcher(before, seed)
    game = learner.play(0)
    trainer.run(games=1)
    learner.learn(1)
    changed = 0
    for state, action, *_ in game[1]:
        after = state.play(action)
        if not after.is_over:
            value = trainer.network.value(after, state.to_move)
            assert value == pytest.approx(math.tanh(learner.estimate(after)), abs=1e-5)
            changed += abs(value - before.value(after, state.to_move)) > 1e-3
    assert changed > 10


class SlowRival(SlowLearner):
    """The same against an opponent, in a single environment. The learner learns from its own afterstates only."""

    ROUND = 3

    def __init__(self, size, seed, stages, opponent):
        super().__init__(size, seed, stages, 1.0, 0.9, 0.02, (size * size - 4) // 6, 0.0)
        self.env = make_env(size=size, opponent=opponent, reward="margin")

    def play(self, game):
        key, first = (mix_int(self.key, number) for number in (game, game - game % self.ROUND))
        options, over, afters, margin = {"random_plies": draw(first, OPENING, self.random_plies + 1)}, False, [], 0
        self.env.reset(seed=key, options=options)
        while not over:
            state = self.env.unwrapped.position
            action, legal = state.pass_action, state.legal_actions()
            if not state.must_pass:
                bits = mix_int(mix_int(key, EPSILON), state.placed)
                action = max(legal, key=lambda a: self.estimate(state.play(a)))
                if bits >> 32 < int(self.epsilon * 2**32):
                    action = legal[draw(bits, CHOICE, len(legal))]
                afters.append(state.play(action))
            _, margin, over, *_ = self.env.step(action)
        return afters, margin

    def learn(self, games):
        """Play the games of each round with the same weights, and then learn from one after another."""
        for first in range(0, games, self.ROUND):
            for game in [self.play(first + i) for i in range(self.ROUND)]:
                for features, error in self.errors_of(game):
                    for feature in features:
                        self.move(feature, self.rate_of(feature) * error / len(features), error)

    def errors_of(self, game):
        afters, margin = game
        found, target = [], 0.5 * np.sign(margin) + 0.5 * margin / self.size**2
        for after in reversed(afters):
            value = math.tanh(self.logit(self.features(after)))
            found.append((self.features(after), (target - value) * (1 - value**2)))
            target = (1 - self.trace) * value + self.trace * target
        return found


@pytest.mark.nojit
def test_learning_against_an_opponent_is_that_of_the_slow_twin(monkeypatch):
    monkeypatch.setattr(against, "ROUND", SlowRival.ROUND)
    games, opponent = 60, "maximizer:eval=weighted,epsilon=0.3"
    trainer, learner = Trainer(4, 2, opponent=opponent, stages=2), SlowRival(4, 2, 2, opponent)
    assert trainer.run(games=games) == games
    learner.learn(games)
    largest = 0.0
    for game in range(games):
        for after in learner.play(game)[0]:
            if not after.is_over:
                expected = math.tanh(learner.estimate(after))
                largest = max(largest, abs(expected))
                assert trainer.network.value(after, 1 - after.to_move) == pytest.approx(expected, abs=1e-5)
    assert largest > 0.3


@pytest.mark.parametrize(
    "options", [{}, {"one_ply_games": 6, "depth": 2}, {"opponent": "random"}], ids=["one ply", "searched", "opponent"]
)
def test_portions_make_no_difference_and_a_saved_network_goes_on_as_if_never_stopped(tmp_path, monkeypatch, options):
    monkeypatch.setattr(against, "ROUND", 1)
    whole = Trainer(4, 3, **options)
    assert whole.run(games=9) == 9
    first = Trainer(4, 3, **options)
    portions = [1, 0, 4, 2]
    assert [first.run(games=n) for n in portions] == portions
    first.network.save(tmp_path / "part.npz")
    second = Trainer.resume(NTupleNetwork.load(tmp_path / "part.npz"))
    assert second.games == sum(portions)
    second.run(games=9 - second.games)
    assert second.network.wide == whole.network.wide == ("depth" in options)
    assert (second.network.weights == whole.network.weights).all()
    assert (second.network.errors == whole.network.errors).all()
    assert second.network.training["games"] == second.games == 9


def test_the_last_round_against_an_opponent_is_played_to_its_end():
    trainer = Trainer(4, 3, opponent="random")
    assert trainer.run(games=129) == trainer.games == 256


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": None}, "does not have the seed"),
        ({"rate": "fast"}, "does not have the rate"),
        ({"random_plies": 4.0}, "does not have the random_plies"),
        ({"random_plies": 10**299}, "random_plies must be 0 to 16"),
        ({"depth": 2.5}, "does not have the depth"),
        ({"opponent": 3}, "does not have the opponent"),
    ],
    ids=str,
)
def test_a_card_that_does_not_say_how_it_was_trained_cannot_be_resumed(change, message):
    training = Trainer(4).network.training
    Trainer.resume(NTupleNetwork(4, training=training))
    with pytest.raises(ValueError, match=message):
        Trainer.resume(NTupleNetwork(4, training=training | change))


def test_the_same_weights_as_ever():
    # The learner that made the packaged networks gave these numbers. The last bits of the weights depend on the
    # system's tanh, so the test does not compare a hash of their bytes.
    trainer = Trainer(8, 1)
    trainer.run(games=300)
    weights = trainer.network.weights.astype(np.float64)
    assert np.count_nonzero(weights) == 117_944
    assert np.abs(weights).sum() == pytest.approx(325.06636092, rel=1e-8)


def test_an_interrupt_keeps_what_was_learned_and_counts_it():
    trainer = Trainer(6, 2)
    trainer.run(games=1)  # compiles the kernels before the timer starts
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        trainer.run(seconds=60)
    assert trainer.network.training["games"] == trainer.games > 1
    again = Trainer(6, 2)
    again.run(games=trainer.games)
    assert (again.network.weights == trainer.network.weights).all()


def test_it_learns_to_beat_random():
    trainer = Trainer(4, 4)
    trainer.run(games=2_000)
    assert score_of(trainer.agent(), "random", 4, 2) > 0.6


def test_from_searched_games_it_learns_to_play_better_in_a_search():
    trainer = Trainer(6, 4, depth=2, one_ply_games=2000)
    trainer.run(games=2000)
    before = Engine(2, exact=0, eval=trainer.network)
    trainer.run(games=1500)
    assert score_of(Engine(2, exact=0, eval=trainer.network), before, 6, 6) > 0.6


def test_it_learns_to_beat_an_opponent():
    opponent = "alphabeta:depth=2,eval=weighted"
    trainer = Trainer(6, 4, opponent=opponent)
    trainer.run(games=4096)
    assert score_of(trainer.agent(), opponent, 6, 5) > 0.6


def score_of(agent, opponent, size, plies):
    return play_match(agent, opponent, games=200, openings=f"random:{plies}", game=f"othello:size={size}").score


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 7}, "one of 4, 6, 8, not 7"),
        ({"network": NTupleNetwork(6)}, "for size 6, not 4"),
        ({"rate": -1}, r"rate must be 0 to 1e\+06, not -1"),
        ({"trace": 1.5}, "trace must be 0 to 1, not 1.5"),
        ({"random_plies": -1}, "random_plies must be 0 to 16, not -1"),
        ({"grabbing": 2}, "grabbing must be 0 to 1, not 2"),
        ({"depth": 0}, "depth must be 1 to 60, not 0"),
        ({"one_ply_games": -1}, "one_ply_games must be 0 to 4611686018427387904, not -1"),
        ({"opponent": "ntuple"}, "no weights of ntuple come with the package for size 4"),
        ({"opponent": "tribolo"}, "do not play Othello"),
    ],
)
def test_bad_trainers(arguments, message):
    with pytest.raises(ValueError, match=message):
        Trainer(**{"size": 4} | arguments)
