"""Files of games in any format: games that are written and read again, and damaged files."""

import io
import warnings
import zipfile

import numpy as np
import pytest
from comparing import same
from hypothesis import given
from hypothesis import strategies as st

from othello_env import Checkers, Othello, Tribolo, play_match
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.data import DamagedGamesWarning, Games, GamesError, random_games, read_games, write_games
from othello_env.data.formats import archive, ggf, transcripts, wthor
from othello_env.games.registry import GameSpec

PDN = '[Event "A"]\n[White "w"]\n[Black "b"]\n[Result "*"]\n\n1. 11-15 22-18 2. 15x22 25x18 *\n'


def partly(games, seed=0):
    """The same games, but each ends at a random ply."""
    lengths = np.random.default_rng(seed).integers(0, games.lengths + 1)
    return Games(games.actions, lengths, games.game)


def needs(ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow, an optional extra")


@pytest.mark.parametrize("ending", ["npz", "wtb", "ggf", "txt", "parquet"])
def test_games_of_othello_come_back(tmp_path, ending):
    needs(ending)
    games = random_games(300, seed=4)
    write_games(tmp_path / f"games.{ending}", games)
    same(read_games(tmp_path / f"games.{ending}"), games)


@pytest.mark.parametrize("ending", ["npz", "ggf", "parquet"])
def test_unfinished_games_from_other_starts_come_back(tmp_path, ending):
    needs(ending)
    rng = np.random.default_rng(1)
    starts = [Othello.from_moves("f5d6c3"), Othello(), Othello.from_text("XO------" + "-" * 56, "O")]
    finals = []
    for state in starts * 5:
        for _ in range(rng.integers(12)):
            if not state.is_over:
                state = state.play(int(rng.choice(state.legal_actions())))
        finals.append(state)
    games = Games.from_states(finals, starts * 5)
    write_games(tmp_path / f"games.{ending}", games)
    again = read_games(tmp_path / f"games.{ending}")
    same(again, games)
    assert (again.outcomes.over == games.outcomes.over).all()


@pytest.mark.parametrize(
    ("start", "ending"),
    [
        *((Othello(6), "npz"), (Othello(4), "ggf"), (Checkers(), "npz"), (Checkers(), "parquet"), (Checkers(), "pdn")),
        *((Tribolo(seed=3), "npz"), (Tribolo(seed=3), "parquet")),
    ],
    ids=str,
)
def test_games_of_the_family_come_back(tmp_path, start, ending):
    needs(ending)
    rng, finals = np.random.default_rng(2), []
    for plies in (0, 7, 200):
        state = start
        for _ in range(plies):
            if not state.is_over:
                state = state.play(int(rng.choice(state.legal_actions())))
        finals.append(state)
    games = Games.from_states(finals, [start], {"round": [1, 2, 3], "Event": ["a", "b ]\\", 'c"']})
    write_games(tmp_path / f"games.{ending}", games)
    again = read_games(tmp_path / f"games.{ending}")
    if ending == "pdn":
        assert [state.own for state in map(again.state, range(3))] == [state.own for state in finals]
        assert again.columns["Event"].tolist() == ["a", "b ]\\", 'c"']
    else:
        same(again, games)


def test_transcripts_of_checkers(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("# two games\n\n11-15 22-18 15x22 25x18\n9-14\n")
    games = read_games(path, game="checkers")
    assert games.columns["line"].tolist() == [3, 4]
    assert games.state(0) == Checkers().play_transcript("11-15 22-18 15x22 25x18")
    write_games(tmp_path / "again.txt", games)
    same(read_games(tmp_path / "again.txt", game="checkers"), games)


@pytest.mark.parametrize(
    ("game", "agents"),
    [("othello", ("maximizer:eval=weighted", "random")), ("tribolo:cells=3,height=5,walls=2,width=6", ("random",) * 3)],
)
def test_records_of_a_tournament(tmp_path, game, agents):
    names = "abc"[: len(agents)]
    schedule = Schedule(tuple(names), 6, "random:4", game=GameSpec.parse(game))
    records = play_tournament(dict(zip(names, agents, strict=True)), schedule).records
    path = tmp_path / "t.jsonl"
    path.write_text("".join(record.to_json() + "\n" for record in records))
    games = read_games(path)
    assert str(games.game) == game
    assert [games.state(i) for i in range(6)] == [record.replay() for record in records]
    assert games.columns["opening"].tolist() == [record.opening for record in records]
    for seat, player in enumerate(games.starts[0].player_names):
        assert games.columns[player].tolist() == [record.agents[seat] for record in records]
    write_games(tmp_path / "a.npz", games)
    same(read_games(tmp_path / "a.npz"), games)


@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_a_start_in_the_middle_of_a_game_of_checkers_is_refused(tmp_path, ending):
    needs(ending)
    kings = Checkers.from_text("B:WK32:BK1")
    later = kings.play(kings.legal_actions()[0])  # the first position can occur again
    jumping = Checkers.from_text("B:W6,15,24:B1")
    jumping = jumping.play(jumping.legal_actions()[0])  # the piece must jump again
    assert jumping.going_square is not None
    for start in (later, jumping):
        with pytest.raises(ValueError, match="in mid-game; expected a first position of checkers without a history"):
            write_games(tmp_path / f"a.{ending}", Games([[start.legal_actions()[0]]], [1], "checkers", [start]))
    assert list(tmp_path.iterdir()) == []
    games = Games([[kings.legal_actions()[0]]], [1], "checkers", [kings])
    write_games(tmp_path / f"a.{ending}", games)
    same(read_games(tmp_path / f"a.{ending}"), games)


def test_results_of_games_that_did_not_end_on_the_board_come_back(tmp_path):
    path = tmp_path / "a.pdn"
    finals = [Checkers(draws="40-move").play_transcript("11-15 22-18")] * 5
    results = ["1-0", "1/2-1/2", "*", "1:0", ""]
    write_games(path, Games.from_states(finals, columns={"Result": results}))
    assert read_games(path).columns["Result"].tolist() == ["1-0", "1/2-1/2", "*", "*", "*"]
    start = Checkers.from_text("B:W14:B9", draws="40-move")
    write_games(path, Games.from_states([start.play_transcript("9x18")], [start], {"Result": ["1-0"]}))
    assert read_games(path).columns["Result"].tolist() == ["0-1"]  # the last move decided this game


@pytest.mark.parametrize(
    "damage", ["2. 15x22 99-98", "2. 15x22 (25x18", "2. 15x22) 25x18", "2. 15x22 nonsense *", "2. 11-15 *"]
)
def test_damaged_games_of_pdn_are_left_out(tmp_path, damage):
    path = tmp_path / "a.pdn"
    path.write_text(PDN + PDN.replace("2. 15x22 25x18 *", damage) + PDN)
    with pytest.raises(GamesError, match=r"a.pdn: game 2: "):
        read_games(path)
    with pytest.warns(DamagedGamesWarning, match=r"1 damaged games were left out; the first: game 2: "):
        games = read_games(path, skip=True)
    final = Checkers().play_transcript("11-15 22-18 15x22 25x18")
    assert [games.state(i).moves for i in range(len(games))] == [final.moves] * 2
    assert (str(games.game), games.columns["White"].tolist()) == ("checkers:draws=40-move", ["w", "w"])


def test_damaged_records_are_left_out(tmp_path):
    result = play_match("maximizer:eval=weighted", "random", games=4, openings="random:4")
    lines = [record.to_json() for record in result.records]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join([lines[0], lines[1].replace('"moves": "', '"moves": "a1 '), "{}", *lines[2:], "x"]))
    with pytest.raises(GamesError, match=r"t.jsonl: line 2: .* \(3 games are damaged"):
        read_games(path)
    with pytest.warns(DamagedGamesWarning, match=r"3 damaged games were left out; the first: line 2: "):
        games = read_games(path, skip=True)
    assert [games.state(i) for i in range(3)] == [result.records[k].replay() for k in (0, 2, 3)]
    path.write_text("{}\n")
    with pytest.raises(GamesError, match="line 1: "):
        read_games(path, skip=True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "there is no transcript"),
        (b"\x00\x01\x02\x03", "the kind of this file is unknown"),
        (b"hello world", "line 1, ply 1: expected a square"),
        (b"f5d6\nf5a1\n", "line 2, ply 2: a1"),
        (b"PK\x03\x04 nonsense", "no file of games, or it is damaged"),
        (b"{}", "line 1: .* is not a record of a game"),
        (b'[Event "x"] 1. 99-98', "game 1"),
    ],
)
def test_other_damaged_files(tmp_path, data, message):
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message) as caught:
        read_games(path)
    assert "a.bin" in str(caught.value)


@given(st.data())
def test_any_damage_is_a_named_error(data):
    """A changed or shortened file can be read, or it raises a GamesError. It raises no other error."""
    games = partly(random_games(3, size=8, seed=3))
    kind = data.draw(st.sampled_from([wthor, archive, ggf, transcripts]))
    whole = kind.dump(games)
    raw = bytearray(whole if isinstance(whole, bytes) else whole.encode())
    for _ in range(data.draw(st.integers(0, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    del raw[data.draw(st.integers(0, len(raw))) :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found, _ = kind.load(bytes(raw) if isinstance(whole, bytes) else raw.decode("latin-1"))
        except GamesError:
            return
        assert (found.illegal() >= -1).all()


def test_crafted_archives_do_not_fill_the_memory(tmp_path):
    path = tmp_path / "a.npz"
    array = io.BytesIO()
    np.lib.format.write_array_header_1_0(array, {"descr": "|i1", "fortran_order": False, "shape": (10**12, 60)})
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("actions.npy", array.getvalue())
    with pytest.raises(GamesError, match=r"a\.npz: the arrays of this file take 60,000,000,000,000 bytes; at most"):
        read_games(path)


def test_what_a_kind_cannot_hold(tmp_path):
    small, board = random_games(2, size=6), Othello.from_moves("f5d6")
    for ending, games, message in (
        ("wtb", small, "WTHOR files have games of othello on 8x8 from the usual start"),
        ("wtb", Games.from_states([board], [board]), "from the usual start"),
        ("txt", Games.from_states([board], [board]), "a transcript begins at the usual start"),
        ("pdn", small, "PDN files have games of checkers, not of othello:size=6"),
        ("ggf", Games.from_states([Checkers()]), "GGF files have games of othello, not of checkers"),
        ("doc", small, r"expected a file name that ends in .npz \(the package's own format\), .wtb \(WTHOR\)"),
    ):
        with pytest.raises(ValueError, match=message):
            write_games(tmp_path / f"a.{ending}", games)
    assert list(tmp_path.iterdir()) == []
    illegal = Games([[0]], [1])
    for ending in ("wtb", "ggf", "txt", "npz"):
        with pytest.raises(GamesError, match="game 1, ply 1: a1"):
            write_games(tmp_path / f"a.{ending}", illegal)
    with pytest.raises(ValueError, match="a game without moves has no transcript"):
        write_games(tmp_path / "a.txt", Games.from_states([Othello()]))


def test_transcripts_in_every_form(tmp_path):
    games = random_games(50, seed=11)
    moves = [[Othello().action_to_text(a) for a in games.state(i).moves] for i in range(50)]
    forms = [
        lambda names: "".join(names),
        lambda names: "".join(name for name in names if name != "pass"),
        lambda names: " ".join(names).upper(),
        lambda names: " ".join(f"{k}. {name}" for k, name in enumerate(names, 1)),
    ]
    path = tmp_path / "a.txt"
    for form in forms:
        path.write_bytes("\r\n".join(map(form, moves)).encode())
        same(read_games(path), games)


def test_an_archive_with_an_illegal_move_or_a_pickle(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(archive.dump(Games([[37, 0], [37, 43]], [2, 2])))
    with pytest.raises(GamesError, match="game 1, ply 2: the move is illegal"):
        read_games(path)
    with pytest.warns(DamagedGamesWarning, match="1 damaged"):
        assert read_games(path, skip=True).state(0) == Othello.from_moves("f5d6")
    np.savez(path, header=np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(GamesError, match="no file of games"):
        read_games(path)
