"""What a notebook shows for a record, a match, a placement, payoffs and an analysis."""

import base64
import html
import io
import re

import pytest
from PIL import Image

from othello_env import Othello, make_agent, place
from othello_env.arena import play_match
from othello_env.arena.play.records import GameRecord
from othello_env.league import League


@pytest.fixture(scope="module")
def match():
    return play_match("random", "maximizer:eval=weighted", games=2, openings="random:4")


def shown_image(text):
    """The size and the alternative text of the picture in an HTML text."""
    data, told = re.fullmatch(r'<img style="[^"]*" src="data:image/png;base64,([^"]*)" alt="([^"]*)">', text).groups()
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        return image.size, html.unescape(told)


def cells_of(text):
    return [html.unescape(cell) for cell in re.findall(r"<t[hd]>([^<]*)</t[hd]>", text)]


def test_a_record_shows_its_replay(match):
    record = match.records[0]
    data, told = re.fullmatch(
        r'<img .* src="data:image/gif;base64,([^"]*)" alt="([^"]*)">', record._repr_html_()
    ).groups()
    assert html.unescape(told) == repr(record)
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        assert image.n_frames == len(record.replay().moves) + 1
    assert GameRecord("no game", ("a", "b"), 0, None, "", "", (0, 0), (0, 0), (2, 2))._repr_html_() is None


def test_a_match_shows_its_table(match):
    head, row = (cells_of(match._repr_html_())[i : i + 7] for i in (0, 7))
    assert head == ["agents", "games", "won", "drawn", "lost", "score (95%)", "mean disc difference"]
    counts = [str(count) for count in (match.games, match.wins, match.draws, match.losses)]
    score, low, high = (f"{number:.3f}".removeprefix("0") for number in (match.score, *match.interval))
    names = "random against maximizer:eval=weighted"
    assert row == [names, *counts, f"{score} ({low} to {high})", f"{match.margin:+.1f}"]


def test_a_placement_and_payoffs_show_their_pictures():
    found = place("random", games=2)
    (width, height), told = shown_image(found._repr_html_())
    assert width > height / 2 > 100
    assert told == repr(found)
    league = League(["random", "maximizer:eval=count"], seed=1)
    league.complete(2, openings="random:4")
    assert shown_image(league.payoffs()._repr_html_())[1] == repr(league.payoffs())
    assert League().payoffs()._repr_html_() is None


def test_an_analysis_shows_its_position_and_its_moves():
    state = Othello.from_moves("f5d6c3")
    found = make_agent("engine:depth=2").analyse(state, lines=2, scores=True)
    shown = found._repr_html_()
    assert shown.startswith("<svg")
    assert "Scores are for white, to move; depth 2" in shown
    cells = cells_of(shown)
    assert cells[:5] == ["move", "score", "unit", "discs", "expected line"]
    rows = [cells[i : i + 5] for i in range(5, len(cells), 5)]
    assert [row[0] for row in rows[:2]] == [state.action_to_text(line.pv[0]) for line in found.lines]
    assert rows[0][1:4] == [f"{found.score:+.3f}", "mean of result and margin", f"{found.discs:+.1f}"]
    assert rows[0][4].split() == [state.action_to_text(action) for action in found.pv]
    scores = {state.action_to_text(action): f"{score:+.3f}" for action, score in found.scores.items()}
    assert {row[0]: row[1] for row in rows} == scores
    alone = cells_of(make_agent("engine:depth=2").analyse(state)._repr_html_())
    assert alone[5:] == rows[0]
