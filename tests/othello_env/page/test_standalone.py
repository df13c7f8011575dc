"""Files that need no server: an agent that plays in the browser, and a game with its values."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from driving import analyse, moves, new_game, paste, square, wait_for_plies
from PIL import Image

from othello_agents.ntuple import shipped_network
from othello_agents.ntuple.browser import browser_tables
from othello_env import Othello, make_agent
from othello_env.cli import main
from othello_env.data import Games, random_games
from othello_env.data.formats import ggf
from othello_env.page.assessment import assess
from othello_env.page.view import position_view, views_of
from othello_env.review import review_game

NODE = shutil.which("node")
HERE = Path(__file__).parent


def run(*arguments):
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments)])
    assert not stop.value.code


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_the_rules_and_the_values_in_javascript_are_those_of_the_kernels(tmp_path):
    """On thousands of positions of random games; near the end, the search is exact."""
    agent, games, known, solved = make_agent("ntuple"), [], [], []
    for size, count in ((8, 60), (6, 40), (4, 40)):
        made = random_games(count, size=size, seed=1)
        for i in range(count):
            final = made.state(i)
            line = Othello(size).positions(final.moves)
            games.append({"size": size, "moves": final.moves, "views": views_of(line)})
            if size < 8:
                continue
            for state in line[i % 4 : -1 : 4]:
                found = {"found": assess(agent, state).to_json()}
                known.append({"moves": state.moves, "action": agent.act(state)} | found)
            end = next(state for state in line if state.empties <= 7)
            if i < 12 and not end.is_over and not end.must_pass:
                sign = 1 if end.to_move == 0 else -1
                [row] = make_agent("engine").exact_scores([end])
                values = {action: sign * int(row[action]) for action in end.legal_actions()}
                solved.append({"moves": end.moves, "values": values})
    assert sum(len(game["views"]) for game in games) > 5000
    assert len(solved) > 5
    file = tmp_path / "known.json"
    content = {"tables": browser_tables(shipped_network(8)), "games": games, "known": known, "solved": solved}
    file.write_text(json.dumps(content))
    done = subprocess.run([NODE, str(HERE / "rules.test.mjs"), str(file)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def agent_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("export") / "agent.html"
    run("export", "ntuple", file)
    return file


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_an_exported_agent_plays_a_whole_game_without_a_network(open_page, agent_file, width, height):
    agent = make_agent("ntuple")
    address = agent_file.as_uri()
    with open_page(address, viewport={"width": width, "height": height}, offline=True) as page:
        assert page.locator("#tab-runs").is_hidden()
        new_game(page, "othello", ["human", "one ply"])
        state = Othello()
        while not state.is_over:
            if state.to_move == 1:
                state = state.play(agent.act(state))
            elif state.must_pass:
                state = state.play(state.pass_action)
            else:
                action = state.legal_actions()[len(state.moves) % len(state.legal_actions())]
                square(page, *divmod(action, 8)).click()
                state = state.play(action)
            wait_for_plies(page, len(state.moves))
            name = state.action_to_text(state.moves[-1])
            assert moves(page)[len(state.moves) - 1] == name  # to the move, as Python's agent
        assert page.locator("#status").text_content() == f"game over: {position_view(state, None)['ending']}"
        new_game(page, "othello", ["search", "human"], seed=2)
        wait_for_plies(page, 1)
        analyse(page)
        page.locator("#reading-a:has-text('depth')").wait_for()
        page.locator('#table td[data-slot="a"][data-value]').first.wait_for()
        paste(page, None, "f5d6c3")
        wait_for_plies(page, 3)


def test_a_game_with_its_review_is_one_file_by_the_command_and_by_the_page(open_page, page, tmp_path):
    state = Othello.from_moves("f5d6c3d3c4f4f6f3e6")
    game, file = tmp_path / "game.ggf", tmp_path / "review.html"
    name = "</script><b>x"
    game.write_text(ggf.dump(Games.from_states([state])).replace("(;GM[Othello]", f"(;GM[Othello]PB[{name}]PW[Bob]"))
    run("analyse", game, "--html", file)
    paste(page, "othello", game.read_text())
    wait_for_plies(page, 9)
    page.click("#review")
    page.locator("#review-state:has-text('are exact')").wait_for()
    page.click("#menu > summary")
    with page.expect_download() as caught:
        page.click("#html")
    caught.value.save_as(tmp_path / "saved.html")
    reviews = [*review_game(state)]
    for written in ("review.html", "saved.html"):
        with open_page((tmp_path / written).as_uri(), offline=True) as opened:
            opened.locator("#review-state:has-text('are exact')").wait_for()
            assert name in opened.locator("#players li").first.inner_text()
            shown = opened.locator("#moves button").all_inner_texts()[1:]
            for move, text in zip(reviews, shown, strict=True):
                assert text.partition(" loses ")[2] == (f"{move.loss:.1f}" if move.loss >= 0.05 else "")
            assert opened.locator('#curve circle[data-line="a"]').count() == 10
            opened.click('#moves [data-ply="4"]')
            opened.check("#numbers")
            assert opened.locator(".heat g").count() == len(Othello.from_moves("f5d6c3d3").legal_actions())
            legal = opened.locator('.square[aria-label$=", legal"]')
            legal.last.click()  # the file has no values of another move
            opened.locator("#reading-a:has-text('no value of this position')").wait_for()
    new_game(page, "othello:size=4", ["human", "random"])
    page.click("#menu > summary")
    with page.expect_download() as caught:
        page.click("#html")
    caught.value.save_as(tmp_path / "played.html")
    with open_page((tmp_path / "played.html").as_uri(), offline=True) as opened:
        assert opened.locator("#players .seat").all_inner_texts() == ["", "random"]


def test_pictures_are_as_the_board_is_seen(page, tmp_path):
    """Turned, and with values: a corner of the turned picture has the value of the opposite corner."""
    corner = Othello.from_text("-XO" + "-" * 61, "O")
    paste(page, "othello", corner.to_text() + " O")
    page.locator("#status:has-text('White to move')").wait_for()
    analyse(page)
    page.check("#numbers")
    page.locator(".heat g").first.wait_for()
    seen = {}
    for turned in (False, True):
        if turned:
            page.keyboard.press("f")
        for kind in ("png", "svg", "gif"):
            page.click("#menu > summary")
            with page.expect_download() as caught:
                page.click(f"#{kind}")
            caught.value.save_as(tmp_path / f"a.{kind}")
            if kind == "svg":
                assert page.locator(".heat text").first.text_content() in (tmp_path / "a.svg").read_text()
                continue
            with Image.open(tmp_path / f"a.{kind}") as picture:
                rgb = picture.convert("RGB")
                for name, place in (("first", 0.12), ("last", 0.88)):  # the corners a1 and h8
                    seen[kind, turned, name] = rgb.getpixel((int(place * rgb.width), int(place * rgb.width)))
    for kind in ("png", "gif"):
        assert seen[kind, False, "first"] != seen[kind, False, "last"]  # the value has a colour of its own
        assert seen[kind, True, "last"] != seen[kind, True, "first"]
        assert seen[kind, True, "first"] == seen[kind, False, "last"]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["a.npz", "a.txt"], "expected an .html or .onnx file"),
        (["ntuple", "a.html", "--network", "nets.py:make"], "--network is for .onnx files"),
        (["nothing.npz", "a.html"], "nothing.npz"),
    ],
)
def test_what_cannot_be_exported_is_an_error(arguments, part, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["export", *arguments])
    assert stop.value.code
    assert part in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]
