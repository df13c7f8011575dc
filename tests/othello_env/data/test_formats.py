"""Files of games in any format: games that are written and read again, and damaged files."""

import io
import warnings
import zipfile

import numpy as np
import pytest
from comparing import GGF, same
from hypothesis import given
from hypothesis import strategies as st

from othello_env import Checkers, Othello, Tribolo, play_match
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.data import DamagedGamesWarning, Games, GamesError, random_games, read_games, tokens, write_games
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


def played(start, plies, rng):
    for _ in range(plies):
        if not start.is_over:
            start = start.play(int(rng.choice(start.legal_actions())))
    return start


def unfinished():
    starts = [Othello.from_moves("f5d6c3"), Othello(), Othello.from_text("XO------" + "-" * 56, "O")] * 5
    rng = np.random.default_rng(1)
    return Games.from_states([played(start, rng.integers(12), rng) for start in starts], starts)


def of(start):
    """Three games, of which one has no move and one is finished, with two columns."""
    rng = np.random.default_rng(2)
    finals = [played(start, plies, rng) for plies in (0, 7, 200)]
    return Games.from_states(finals, [start], {"round": [1, 2, 3], "Event": ["a", "b ]\\", 'c"']})


@pytest.mark.parametrize(
    ("ending", "make"),
    [
        *((ending, lambda: random_games(300, seed=4)) for ending in ("npz", "wtb", "ggf", "txt", "parquet")),
        *((ending, unfinished) for ending in ("npz", "ggf", "parquet")),
        *((ending, lambda: of(Checkers())) for ending in ("npz", "parquet")),
        *((ending, lambda: of(Tribolo(seed=3))) for ending in ("npz", "parquet")),
        ("npz", lambda: of(Othello(6))),
        ("ggf", lambda: of(Othello(4))),
        ("txt", lambda: Games.from_states([Checkers().play_transcript("11-15 22-18 15x22 25x18")])),
    ],
)
def test_games_come_back(tmp_path, ending, make):
    needs(ending)
    games = make()
    write_games(tmp_path / f"games.{ending}", games)
    again = read_games(tmp_path / f"games.{ending}", game=str(games.game))
    same(again, games)
    assert (again.outcomes.over == games.outcomes.over).all()


def test_games_of_checkers_come_back_from_pdn(tmp_path):
    games = of(Checkers())
    write_games(tmp_path / "games.pdn", games)
    again = read_games(tmp_path / "games.pdn")
    assert [again.state(i).moves for i in range(3)] == [games.state(i).moves for i in range(3)]
    assert again.columns["Event"].tolist() == games.columns["Event"].tolist()


@pytest.mark.parametrize(
    ("game", "agents"),
    [("othello", ("maximizer:eval=weighted", "random")), ("tribolo:cells=3,height=6,walls=3,width=8", ("random",) * 3)],
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


PDN_END = Checkers(draws="40-move").play_transcript("11-15 22-18 15x22 25x18")
F5D6, GGF_END = Othello.from_moves("f5d6"), Othello.from_moves("d3c5f6")


def damaged_pdn(damage):
    return lambda: (PDN + PDN.replace("2. 15x22 25x18 *", damage) + PDN).encode()


def damaged_ggf(old, new):
    return lambda: f"{GGF.replace(old, new)}\n{GGF}".encode()


def damaged_wthor():
    data = bytearray(wthor.dump(random_games(5, seed=2)))
    data[16 + 68 + 8] = 11  # the first move of game 2 is a1
    data[16 + 3 * 68 + 8 + 4] = 99  # a move of game 4 is off the board
    return bytes(data)


def damaged_tokens():
    rows, file = tokens(random_games(5, seed=2)), io.BytesIO()
    rows[1, 10] = rows[1, 9]
    rows[3, 10] = rows[3, 9]
    np.save(file, rows)
    return file.getvalue()


def damaged_records():
    lines = [record.to_json() for record in play_match("maximizer", "random", games=4, openings=["f5d6"]).records]
    return "\n".join([lines[0], lines[1].replace('"moves": "', '"moves": "a1 '), "{}", *lines[2:], "x"]).encode()


@pytest.mark.parametrize(
    ("ending", "data", "told", "kept"),
    [
        ("npz", lambda: archive.dump(Games([[37, 0], [37, 43]], [2, 2])), "game 1, ply 2: the move is illegal", [F5D6]),
        ("wtb", damaged_wthor, "game 2, move 1: 11 is not a legal move .2 games are damaged", 3),
        ("npy", damaged_tokens, r"game 2, move 11: token \d+ is not a legal move", 3),
        ("jsonl", damaged_records, r"line 2: .* \(3 games are damaged", 3),
        ("txt", lambda: b"f5d6\nf5a1\n", "line 2, ply 2: a1", [F5D6]),
        *(
            ("pdn", damaged_pdn(damage), "game 2: ", [PDN_END] * 2)
            for damage in ("2. 15x22 99-98", "2. 15x22 (25x18", "2. 15x22) 25x18", "2. 15x22 nonsense *", "2. 11-15 *")
        ),
        *(
            ("ggf", damaged_ggf(old, new), told, [GGF_END])
            for old, new, told in (
                ("D3", "A1", r"game 1 \(line 1\), ply 1: a1 \(action 0\) is not legal"),
                ("W[C5", "B[C5", r"game 1 \(line 1\), ply 2: B\[C5/-1.2/3.5\], but it is the other side's turn"),
                ("D3", "Z9", r"ply 1: expected a square"),
                ("TY[8]", "TY[8a]", "anti-Othello"),
                ("GM[Othello]", "GM[Go]", "expected a game of Othello, got 'Go'"),
                ("[8 ---", "[" + "9" * 5000 + " ---", "expected a tag"),
                (";)", "", r"game 1 \(line 1\), expected a tag that was not given before, or ;\) at the end, got"),
                ("1 (;", "2 (;", "the line announces 2 games, but has 1"),
                (GGF, "(;GM[Othello]TY[10];)", "expected a board of size 4, 6 or 8, got '10'"),
                (GGF, "(;GM[Othello]TY[8r20];)", "a random start .* needs the tag BO"),
                ("[8 --------", "[8 --- -----", "8 rows of 8 squares"),
            )
        ),
        ("ggf", lambda: f"{GGF}(;GM[Othello]TY[6]B[d2];)\n{GGF}".encode(), "game 2 .*, the board has", [GGF_END] * 2),
    ],
)
def test_damaged_games_are_named_and_left_out(tmp_path, ending, data, told, kept):
    path = tmp_path / f"a.{ending}"
    path.write_bytes(data())
    with pytest.raises(GamesError, match=rf"a\.{ending}: .*{told}"):
        read_games(path)
    with pytest.warns(DamagedGamesWarning, match="damaged games were left out; the first: "):
        games = read_games(path, skip=True)
    if isinstance(kept, int):
        assert len(games) == kept
        kept = random_games(5, seed=2)[[0, 2, 4]] if ending != "jsonl" else games
        same(games, kept)
    else:
        assert [games.state(i) for i in range(len(games))] == kept


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "there is no transcript"),
        (b"\x00\x01\x02\x03", "the kind of this file is unknown"),
        (b"hello world", "line 1, ply 1: expected a square"),
        (b"{}\n", "line 1: "),
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


def test_crafted_arrays_do_not_fill_the_memory(tmp_path):
    array = io.BytesIO()
    np.lib.format.write_array_header_1_0(array, {"descr": "|i1", "fortran_order": False, "shape": (10**12, 60)})
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as file:
        file.writestr("actions.npy", array.getvalue())
    with pytest.raises(GamesError, match=r"a\.npz: the arrays of this file take 60,000,000,000,000 bytes; at most"):
        read_games(tmp_path / "a.npz")
    for data, told in (
        (array.getvalue(), "that fills the file"),
        (array.getvalue()[:20], "no file of .*tokens"),
    ):
        (tmp_path / "a.npy").write_bytes(data)
        with pytest.raises(GamesError, match=told):
            read_games(tmp_path / "a.npy")


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


def test_an_archive_with_a_pickle(tmp_path):
    np.savez(tmp_path / "a.npz", header=np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(GamesError, match="no file of games"):
        read_games(tmp_path / "a.npz")
