"""Records: they are written and read, their games are played again, and damaged files raise errors."""

import json
from dataclasses import replace

import pytest

from othello_env import Othello
from othello_env.arena.play.records import GameRecord, RecordError
from othello_env.arena.tournament.records import open_records, read_records

# The shortest possible game: White has no disc after Black's fifth disc.
WIPE_OUT = GameRecord.from_transcript("e6 f4 e3 f6 g5 d6 e7 f5 c5", ("a", "b"))
FORFEIT = replace(WIPE_OUT, moves="f5 d6", scores=(3, 3), fault=(0, "bored"), result=(-1.0, 1.0), margins=(-64.0, 64.0))


def record_of(key=1, size=8):
    state = Othello(size)
    while not state.is_over:
        state = state.play(state.draw_action(key, state.placed))
    return GameRecord.from_transcript(state.transcript(), ("a", "b"), f"othello:size={size}")


def write(path, records):
    with open_records(path) as file:
        for record in records:
            file.append(record)


def test_a_file_grows_and_its_games_are_played_again(tmp_path):
    path = tmp_path / "folder" / "games.jsonl"
    records = [*(record_of(key, 6) for key in range(60)), FORFEIT, replace(FORFEIT, moves="", scores=(2, 2))]
    write(path, records[:2])
    with open_records(path) as file:
        assert file.records == records[:2]
        file.append(records[2])
        assert read_records(path) == records[:3]  # a record is on the disk before the file is closed
        with pytest.raises(OSError, match="another process writes"), open_records(path):
            pass
        for record in records[3:]:
            file.append(record)
    assert read_records(path) == records
    assert sum("pass" in record.moves for record in records)
    for record in records[:60]:
        final = record.replay()
        assert final.scores() == record.scores
        assert "pass" not in record.transcript()
        assert Othello(6).play_transcript(record.transcript()) == final
    full = replace(FORFEIT, fault=(1, "why\nso"), clock="1s", seconds=(0.25, 0.5), position=("-" * 64, "white"))
    assert "\n" not in full.to_json()
    assert GameRecord.from_json(full.to_json()) == full
    assert {"othello-env", "numba", "numpy", "python"} <= set(json.loads(full.to_json())["versions"])


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
    ("record", "damage", "told"),
    [
        (WIPE_OUT, {"moves": "f5 f5"}, "f5 .* is not legal"),
        (WIPE_OUT, {"moves": "f5 z9"}, "expected a square from a1 to h8"),
        (WIPE_OUT, {"moves": "f5 d6"}, "the game is not over"),
        (WIPE_OUT, {"scores": (3, 4)}, "the game ends"),
        (WIPE_OUT, {"result": (-1.0, 1.0)}, "the game ends with result"),
        (WIPE_OUT, {"margins": (13.0, -13.0)}, "the game ends with margins"),
        (WIPE_OUT, {"game": "go"}, "expected one of the games"),
        (WIPE_OUT, {"position": ("??", "black")}, "cannot be played again"),
        (WIPE_OUT, {"agents": ("a", "b", "c")}, "expected as many|the game has 2 players, not 3"),
        (WIPE_OUT, {"fault": (0, "bored")}, "the game is over, so nobody can forfeit it"),
        (WIPE_OUT, {"clock": "5s"}, "seconds of 5s cannot be None"),
        (WIPE_OUT, {"seconds": (1.0, 1.0)}, "seconds of no clock cannot be"),
        (WIPE_OUT, {"clock": "5s", "seconds": (1.0, -1.0)}, "seconds of 5s cannot be"),
        (FORFEIT, {"fault": (1, "bored")}, "the fault is of player 1, but it is the turn of 0"),
        (FORFEIT, {"fault": (2, "bored")}, "fault names the player 2 of 2"),
        (FORFEIT, {"fault": (-1, "bored")}, "fault names the player -1 of 2"),
        (FORFEIT, {"fault": None}, "the game is not over and was not forfeited"),
        (FORFEIT, {"result": (1.0, -1.0)}, "the game ends with result"),
        (FORFEIT, {"margins": (0.0, 0.0)}, "the game ends with margins"),
        (FORFEIT, {"scores": (2, 2)}, "the game ends with scores"),
        (WIPE_OUT, lambda line: line[:40], "it is not JSON"),
        (WIPE_OUT, lambda line: "[1]", 'expected {"format": "othello-env game 1"'),
        (WIPE_OUT, lambda line: line.replace("game 1", "game 9"), "expected"),
        (WIPE_OUT, lambda line: line.replace('"moves"', '"motion"'), "missing or unknown: motion, moves"),
        (
            WIPE_OUT,
            lambda line: line.replace('"scores": [', '"scores": ["x", '),
            "Expected `int`, got `str`",
        ),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_written(tmp_path, record, damage, told):
    path, good = tmp_path / "games.jsonl", WIPE_OUT.to_json()
    line = damage(record.to_json()) if callable(damage) else replace(record, **damage).to_json()
    path.write_text(f"{good}\n{line}\n{good}\n")
    before = path.read_bytes()
    with pytest.raises(RecordError, match=f"(?s)line 2: .*{told}"), open_records(path) as file:
        file.append(record)
    with pytest.raises(RecordError, match=f"(?s)line 2: .*{told}"):
        read_records(path)
    assert path.read_bytes() == before


def test_what_is_no_file_of_records_or_no_whole_game_is_refused(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("precious")  # without an end of line, as a torn record
    with pytest.raises(RecordError, match=r"line 1: 'precious' is not a record"), open_records(path):
        pass
    assert path.read_text() == "precious"
