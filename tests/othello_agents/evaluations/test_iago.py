"""The evaluation of Iago: its edge table compared with a slow twin, its symmetries, its strength."""

import numpy as np
import pytest

from othello_agents.evaluations.iago import EDGES, Iago, edge_table, iago
from othello_agents.search.alphabeta import AlphaBeta
from othello_env import Othello
from othello_env.arena.match import play_match
from othello_env.games.othello.bitboard import ACTION_SQUARES

# A slow twin of the kernels. An edge is a string of ten characters: ".", "X" and "O". X is the player.
STATIC = dict(
    zip("xcCAB", ((0, 0, -2000), (700, 0, 0), (1200, 200, -25), (1000, 200, 75), (1000, 200, 50)), strict=True)
)
PLACES = "xcCABBACcx"


def swap(edge):
    return edge.translate(str.maketrans("XO", "OX"))


def stability(edge, i):
    """The stability of a disc: 0 stable, 1 semi-stable, 2 unstable."""
    if PLACES[i] == "c":
        return 0
    if PLACES[i] == "x":
        return 2 if edge[1 if i == 0 else 8] == "." else 1
    line = edge[1:9]
    ends = [part.lstrip(edge[i])[:1] for part in (line[i - 1 :], line[:i][::-1])]
    if "" in ends or (set(ends) == {swap(edge[i])} and "." not in line):
        return 0
    return 2 if len(set(ends)) == 2 else 1


def static(edge):
    return sum(
        (1 if disc == "X" else -1) * STATIC[PLACES[i]][stability(edge, i)] for i, disc in enumerate(edge) if disc != "."
    )


def after(edge, i):
    """The edge after X plays at a place, and whether the move turned a disc."""
    cells = list(edge)
    cells[i] = "X"
    if PLACES[i] != "x":
        for step in (1, -1):
            line = range(i + step, 9 if step > 0 else 0, step)
            run = "".join(edge[j] for j in line)
            length = len(run) - len(run.lstrip("O"))
            if run[length : length + 1] == "X":
                for j in line[:length]:
                    cells[j] = "X"
    found = "".join(cells)
    return found, found.count("O") < edge.count("O")


def chance(edge, i):
    if PLACES[i] == "x":
        return 0.5
    if after(edge, i)[1]:
        return 1.0
    if PLACES[i] == "c":
        return {".": 0.1, "X": 0.001, "O": 0.9}[edge[0 if i == 1 else 9]]
    beside = edge[i - 1] + edge[i + 1]
    table = [[0.1, 0.4, 0.7], [0.05, 0.3], [0.01]]
    return table[beside.count("X")][beside.count("O")] / (2 if after(swap(edge), i)[1] else 1)


def index(edge):
    return int("".join(".XO".index(c).__str__() for c in edge), 3)


def expected(edge, values):
    options = [(values[edge], 1.0)]
    options += [(-values[swap(after(edge, i)[0])], chance(edge, i)) for i in range(10) if edge[i] == "."]
    left, total = 1.0, 0.0
    for value, p in sorted(options, reverse=True):
        total += left * p * value
        left *= 1 - p
    return round(total)


def edges_with(discs, rng, n):
    for _ in range(n):
        cells = np.array(["."] * 10)
        cells[rng.permutation(10)[:discs]] = rng.choice(["X", "O"], discs)
        yield "".join(cells)


class Values(dict):
    """The values of `edge_table` after some rounds. A value is computed when it is first read."""

    def __init__(self, rounds):
        self.before = Values(rounds - 1) if rounds else None

    def __missing__(self, edge):
        if self.before is None or "." not in edge or edge == "." * 10:
            value = static(edge)
        else:
            # For edges with more discs, take the values of this round. For `edge`, take its value of the round before.
            value = expected(edge, {edge: self.before[edge]} | {swap(e): self[swap(e)] for e in self.moves(edge)})
        self[edge] = value
        return value

    @staticmethod
    def moves(edge):
        return [after(edge, i)[0] for i in range(10) if edge[i] == "."]


@pytest.mark.parametrize(("rounds", "fewest", "n"), [(0, 0, 200), (1, 6, 60), (5, 7, 60)])
def test_values_after_some_rounds_against_a_slow_twin(rounds, fewest, n):
    table, values, rng = edge_table(rounds), Values(rounds), np.random.default_rng(rounds)
    for discs in range(fewest, 11):
        for edge in edges_with(discs, rng, n):
            assert table[index(edge)] == values[edge], edge


def test_anchors_and_mirror_images():
    table = edge_table()
    assert edge_table(0)[index("XXXXXXXXXX")] == 7800 == table[index("XXXXXXXXXX")]
    assert table[0] == 0
    rng = np.random.default_rng(2)
    for edge in edges_with(5, rng, 300):
        assert table[index(edge)] == table[index(edge[::-1])]


def test_it_sums_edges_moves_and_empty_squares_beside_discs(random_position):
    table = edge_table()
    for key in range(40):
        state = random_position(key, 20 + key)
        n = sum(state.discs()) - 3
        sides = (state.own, state.opponent)
        cells = [".XO"[(state.own >> s & 1) + 2 * (state.opponent >> s & 1)] for s in range(64)]
        edge = sum(int(table[index("".join(cells[s] for s in squares))]) for squares in EDGES)
        around = [
            [s + 8 * r + c for r in (-1, 0, 1) for c in (-1, 0, 1) if 0 <= s // 8 + r < 8 and 0 <= s % 8 + c < 8]
            for s in range(64)
        ]
        p, o = state.mobility(state.to_move), state.mobility(1 - state.to_move)
        legal = [
            {ACTION_SQUARES[8][a] for a in Othello.from_bits(*pair).legal_actions() if a < 64}
            for pair in (sides, sides[::-1])
        ]
        potential = [
            sum(s in legal[k] or any(sides[1 - k] >> t & 1 for t in around[s]) for s in range(64) if cells[s] == ".")
            for k in (0, 1)
        ]
        current = 50_000 + 2_000 * n if n < 25 else 75_000 + 1_000 * n
        assert iago(state, state.to_move) == (
            round((312_000 + 6_240 * n) * edge / 32_000)
            + round(current * (p - o) / (p + o + 2))
            + round(20_000 * (potential[0] - potential[1]) / (sum(potential) + 2))
        )


def test_a_search_fixes_the_number_of_the_move_at_its_root():
    state = Othello.from_moves("f5d6c3d3c4")
    assert iago.at_root(state) == Iago(6)
    later = state.play(state.legal_actions()[0])
    assert iago.at_root(state)(later, 0) != iago(later, 0)
    found = AlphaBeta(2, "iago").search(state)
    assert found == AlphaBeta(2, Iago(6)).search(state)
    assert found != AlphaBeta(2, Iago(7)).search(state)
    with pytest.raises(ValueError, match="for Othello of size 8"):
        AlphaBeta(1, "iago").search(Othello(6))


def test_its_strength_is_the_published_one():
    """An independent program found the expected score of `iago` against `modified`. Both search one ply."""
    agents = ("alphabeta:depth=1,eval=iago", "alphabeta:depth=1,eval=modified")
    result = play_match(*agents, games=400, openings="random:10", seed=3)
    # The tolerance is four standard errors of independent games.
    assert result.score == pytest.approx(0.76, abs=4 * (0.76 * 0.24 / 400) ** 0.5)
