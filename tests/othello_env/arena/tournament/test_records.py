"""Records: they are written and read, their games are played again, and damaged files raise errors."""

import json
from dataclasses import replace

import pytest

from othello_env import IllegalActionError, Othello
from othello_env.arena.play.records import GameRecord, RecordError
from othello_env.arena.tournament.records import open_records, read_records
from othello_env.games.checkers.position import Checkers
from othello_env.games.registry import GameSpec
from othello_env.games.tribolo.position import Tribolo

# The shortest possible game: White has no disc after Black's fifth disc.
WIPE_OUT = "e6 f4 e3 f6 g5 d6 e7 f5 c5"


def finished(start, key=1):
    """A random game from a position to its end."""
    state = start
    while not state.is_over:
        state = state.play(state.draw_action(key, state.placed))
    return state


def record_of(key=1, size=8):
    final = finished(Othello(size), key)
    return GameRecord.from_transcript(final.transcript(), ("a", "b"), f"othello:size={size}")


@pytest.mark.parametrize(
    ("spec", "state"),
    [
        ("othello", Othello()),
        ("othello:size=6", Othello(6)),
        ("checkers:draws=40-move,size=10", Checkers(10, draws="40-move")),
        ("tribolo:height=7,width=9,cells=5,walls=3", Tribolo(5, width=9, height=7, cells=5, walls=3)),
    ],
)
def test_rules_make_the_game_that_they_name(spec, state):
    game = GameSpec.parse(spec)
    start = game.start(5)
    assert start == state
    assert GameSpec.parse(str(game)) == game
    assert game.num_players == state.num_players
    player = start.player_names[start.to_move]
    assert game.position(start.to_text(), player) == start
    final = finished(start)
    assert start.play_names(start.names_of(final.moves)) == final


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("chess", "expected one of the games checkers, othello, tribolo, got 'chess'"),
        ("othello:size=5", "size must be one of 4, 6, 8, not 5"),
        ("othello:seed=1", "othello has no option seed; it takes size"),
        ("othello:size=4,size=6", "gives size twice"),
        ("checkers:draws=never", "draws must be one of"),
    ],
)
def test_wrong_rules_are_told(spec, told):
    with pytest.raises(ValueError, match=told):
        GameSpec.parse(spec)


def test_a_line_holds_the_whole_record():
    record = record_of()
    full = replace(record, fault=(1, "why\nso"), clock="1s", seconds=(0.25, 0.5), position=("-" * 64, "white"))
    for r in (record, full):
        line = r.to_json()
        assert "\n" not in line
        assert GameRecord.from_json(line) == r
    assert {"othello-env", "numba", "numpy", "python"} <= set(json.loads(record.to_json())["versions"])


def test_a_record_is_played_again():
    passes = 0
    for key in range(60):
        record = record_of(key, size=6)
        passes += record.moves.count("pass")
        final = record.replay()
        assert final.scores() == record.scores
        assert "pass" not in record.transcript()
        assert Othello(6).play_transcript(record.transcript()) == final
    assert passes


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"moves": "f5 f5"}, "f5 .* is not legal"),
        ({"moves": "f5 z9"}, "expected a square from a1 to h8"),
        ({"moves": "f5 d6"}, "the game is not over"),
        ({"scores": (3, 4)}, "the game ends"),
        ({"result": (-1.0, 1.0)}, "the game ends with result"),
        ({"game": "go"}, "expected one of the games"),
        ({"position": ("??", "black")}, "cannot be played again"),
        ({"margins": (13.0, -13.0)}, "the game ends with margins"),
        ({"agents": ("a", "b", "c")}, "the game has 2 players, not 3"),
        ({"fault": (0, "bored")}, "the game is over, so nobody can forfeit it"),
        ({"clock": "5s"}, "seconds of 5s cannot be None"),
        ({"seconds": (1.0, 1.0)}, "seconds of no clock cannot be"),
        ({"clock": "5s", "seconds": (1.0, -1.0)}, "seconds of 5s cannot be"),
    ],
)
def test_a_record_that_lies_is_told(change, told):
    record = GameRecord.from_transcript(WIPE_OUT, ("a", "b"))
    with pytest.raises(RecordError, match=told):
        replace(record, **change).replay()


FORFEIT = {"moves": "f5 d6", "scores": (3, 3), "fault": (0, "bored"), "result": (-1.0, 1.0), "margins": (-64.0, 64.0)}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, None),
        ({"moves": "", "scores": (2, 2)}, None),
        ({"fault": (1, "bored")}, "the fault is of player 1, but it is the turn of 0"),
        ({"result": (1.0, -1.0)}, "the game ends with result"),
        ({"margins": (0.0, 0.0)}, "the game ends with margins"),
        ({"scores": (2, 2)}, "the game ends with scores"),
        ({"fault": None}, "the game is not over and was not forfeited"),
    ],
)
def test_a_game_lost_by_a_fault_is_checked_too(change, told):
    record = replace(GameRecord.from_transcript(WIPE_OUT, ("a", "b")), **(FORFEIT | change))
    if told is None:
        assert not record.replay().is_over
    else:
        with pytest.raises(RecordError, match=told):
            record.replay()


def test_a_fault_of_nobody_is_no_record():
    line = replace(GameRecord.from_transcript(WIPE_OUT, ("a", "b")), **FORFEIT).to_json()
    assert GameRecord.from_json(line).fault == (0, "bored")
    for player in ("2", "-1", str(10**30)):
        with pytest.raises(RecordError, match=f"fault names the player {player} of 2"):
            GameRecord.from_json(line.replace('{"player": 0', f'{{"player": {player}'))


@pytest.mark.parametrize("size", [4, 6, 8])
def test_moves_are_played_by_name_as_one_after_the_other(size):
    """A kernel plays the moves of a whole game of Othello. It must refuse every wrong move."""

    def one_by_one(start, names):
        for name in names.split():
            start = start.play(start.action_from_text(name))
        return start

    def outcome(play, start, names):
        try:
            state = play(start, names)
        except ValueError as error:
            return type(error)
        return state, state.moves

    for key in range(30):
        start, at_once = Othello(size), Othello.play_names
        names = start.names_of(finished(start, key).moves).split()
        assert start.play_names(" ".join(names)) == finished(start, key)
        for wrong in ("a1", "pass", "d4", names[key % len(names)].upper(), "z9"):
            changed = [*names]
            changed[7 * key % len(names)] = wrong
            assert outcome(at_once, start, " ".join(changed)) == outcome(one_by_one, start, " ".join(changed))
        assert outcome(at_once, start, " ".join([*names, "pass"])) is IllegalActionError


def write(path, records):
    with open_records(path) as file:
        for record in records:
            file.append(record)


def test_a_file_grows_and_is_read_again(tmp_path):
    path = tmp_path / "folder" / "games.jsonl"
    records = [record_of(key) for key in range(4)]
    write(path, records[:2])
    with open_records(path) as file:
        assert file.records == records[:2]
        file.append(records[2])
        assert read_records(path) == records[:3]  # a record is on the disk before the file is closed
        file.append(records[3])
    assert read_records(path) == records
    assert len(path.read_text().splitlines()) == 4


def test_what_is_read_is_played_again(tmp_path):
    path = tmp_path / "games.jsonl"
    record = record_of(0)
    write(path, [record, replace(record, result=record.result[::-1], margins=record.margins[::-1])])
    with pytest.raises(RecordError, match="line 2: the game ends with "):
        read_records(path)


def test_a_line_torn_anywhere_is_left_out_and_cut_off(tmp_path):
    path = tmp_path / "games.jsonl"
    first, second, third = (record_of(key, 4) for key in range(3))
    write(path, [first, second])
    data = path.read_bytes()
    head = len((first.to_json() + "\n").encode())
    for end in range(head, len(data), 5):
        path.write_bytes(data[:end])
        assert read_records(path) == [first]
        with open_records(path):
            pass
        assert path.read_bytes() == data[:end], "nothing was added, so nothing changes"
        write(path, [third])
        assert read_records(path) == [first, third]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda line: line[:40], "line 2: it is not JSON"),
        (lambda line: "[1]", 'line 2: expected {"format": "othello-env game 1"'),
        (lambda line: line.replace("game 1", "game 9"), "line 2: expected"),
        (lambda line: line.replace('"moves"', '"motion"'), "line 2: .*missing or unknown: motion, moves"),
        (lambda line: line.replace('"scores": [', '"scores": ["x", '), "line 2: scores must be a list of integers"),
        (lambda line: line.replace('"agents": ["a", "b"]', '"agents": ["a"]'), "line 2: expected as many"),
    ],
)
def test_a_damaged_line_is_named_and_nothing_is_written(tmp_path, damage, told):
    path = tmp_path / "games.jsonl"
    lines = [record_of(key).to_json() for key in range(3)]
    lines[1] = damage(lines[1])
    path.write_text("\n".join(lines) + "\n")
    before = path.read_bytes()
    with pytest.raises(RecordError, match=told), open_records(path) as file:
        file.append(record_of())
    with pytest.raises(RecordError, match=told):
        read_records(path)
    assert path.read_bytes() == before


def test_what_is_no_file_of_records_or_no_whole_game_is_refused(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("precious")  # without an end of line, as a torn record
    with pytest.raises(RecordError, match=r"line 1: 'precious' is not a record"), open_records(path):
        pass
    assert path.read_text() == "precious"
    with pytest.raises(ValueError, match="this game is not over"):
        GameRecord.from_transcript("f5d6", ("a", "b"))
    with pytest.raises(ValueError, match="expected 2 names"):
        GameRecord.from_transcript(WIPE_OUT, ("a",))


def test_two_cannot_write_at_once(tmp_path):
    path = tmp_path / "games.jsonl"
    with open_records(path), pytest.raises(OSError, match="another process writes"), open_records(path):
        pass
