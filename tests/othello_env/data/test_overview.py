"""Overviews of many games: their counts are compared with a slow loop, and their picture is checked."""

from collections import Counter

import pytest

from othello_env import Othello
from othello_env.data import Overview, random_games
from othello_env.games.othello import symmetries


@pytest.mark.parametrize("size", [4, 6, 8])
def test_counts_are_those_of_a_slow_loop(size):
    games = random_games(200, size=size, seed=3)
    found = Overview.from_parts([games[:150], games[150:]])
    assert vars(found.statistics) == pytest.approx(vars(games.statistics()))
    assert found.margins == Counter(games.outcomes.margins[:, 0].astype(int).tolist())
    assert found.plies == Counter(games.lengths.tolist())
    start, slow = Othello(size), Counter()
    wanted = {8: "f5", 6: "e4", 4: "d3"}[size]
    for row in games.actions[:, :4]:
        for k in range(8):
            turned = symmetries.transform_actions(row, k, size).tolist()
            if start.action_to_text(turned[0]) == wanted and start.is_legal(turned[0]):
                try:
                    names = [start.action_to_text(action) for action in turned]
                    start.play_transcript(turned)
                except ValueError:
                    continue
                slow[" ".join(names)] += 1
                break
    assert found.openings == slow
    assert sum(found.openings.values()) == 200
