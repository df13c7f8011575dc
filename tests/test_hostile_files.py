"""Load harmful files: each loader must refuse each file with an error that names the file, with little memory and time.

Each loader reads its files in its own process. The process has limited memory, and the test fails if it crashes. Some
files are made by hand to do harm; the modules in ``tests/hostile`` make most of them. Other files are copies of a valid
file with random damage, which is the same in each run. A file with a ``~`` in its name may also be accepted, because
its change can be harmless. The process of a loader is ``python tests/test_hostile_files.py LOADER FOLDER``.
"""

import json
import os
import random
import re
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import click
import pytest
from hostile_archives import crafted_npz, load_npz, npz
from hostile_networks import crafted_onnx, crafted_safetensors, model, safetensors
from hostile_values import NESTED, replaced

from othello_agents.network import load_network
from othello_agents.network.onnx import OnnxNetwork
from othello_env import Othello
from othello_env.arena.number import Number
from othello_env.arena.play.records import GameRecord
from othello_env.arena.report import Found, Report, Table
from othello_env.arena.tournament.records import open_records, read_records
from othello_env.cli.serve import _read_results

pytestmark = pytest.mark.slow

# After a loader has read a valid file, it may use this much more memory. Most harmful files would need gigabytes.
MEGABYTES = 256
SECONDS = 60  # the time limit for each file; a refusal takes only milliseconds
DAMAGED = 100


def results():
    score = Number("score", "othello", 0.5, "share", 0.1, 0.9, chance=0.4)
    table = Table(("opponent", "games", "score"), ({"opponent": "random", "games": 2, "score": score},))
    rating = Number("Elo", "othello", 3.0, "elo", 1.0, 5.0)
    part = Found("ladder", (rating,), "2 games", (table,), ("A note.",), ("",), {"ladder": "ladder-v0"})
    return json.dumps(Report("a", "othello", (part,), {"seed": 1}).to_json()).encode()


def places(values, *path):
    """The places of all values in a JSON value."""
    for name in values if isinstance(values, dict) else range(len(values)) if isinstance(values, list) else ():
        yield (*path, name)
        yield from places(values[name], *path, name)


def crafted_results():
    values = json.loads(results())
    for place in places(values):
        yield from ((what, text.encode()) for what, text in replaced(values, *place))
    yield "nested", NESTED.encode()
    yield "nothing", b""


def load_results(path):
    try:
        _read_results(path)
    except click.ClickException as error:
        raise ValueError(error.format_message()) from error


@cache
def records():
    state = Othello(4)
    while not state.is_over:
        state = state.play(state.legal_actions()[0])
    line = GameRecord.from_transcript(state.transcript(), ("a", "b"), "othello:size=4").to_json()
    return f"{line}\n{line}\n".encode()


def crafted_records():
    line = records().decode().splitlines()[0]
    for name in json.loads(line):
        for what, text in replaced(json.loads(line), name):
            yield what, f"{line}\n{text}\n".encode()
    yield "nested", f"{line}\n{NESTED}\n".encode()
    yield "no line", bytes(1 << 20)


def load_records(path):
    read_records(path)
    with open_records(path):
        pass


LOADERS = {
    "npz": (npz, crafted_npz, load_npz),
    "safetensors": (safetensors, crafted_safetensors, load_network),
    "onnx": (model, crafted_onnx, OnnxNetwork),
    "results": (results, crafted_results, load_results),
    "records": (records, crafted_records, load_records),
}


def damaged(data, rng):
    """The bytes of a file with random damage: some bytes are changed, left out, repeated or cut off."""
    data = bytearray(data)
    first, length = rng.randrange(len(data)), min(rng.choice((1, 1, 2, 4, 8, 64)), len(data))
    match rng.randrange(5):
        case 0:
            data[first] ^= 1 << rng.randrange(8)
        case 1:
            data[first : first + length] = rng.choice((b"\0", b"\xff", b"9", b"[")) * length
        case 2:
            del data[first : first + length]
        case 3:
            data[first:first] = data[first : first + length] * rng.choice((1, 2, 1000))
        case 4:
            del data[first:]
    return bytes(data)


def attack(name, folder):
    """Load the valid file of a folder, then all its files with limited memory. Print a line of JSON for each file."""
    load = LOADERS[name][2]
    load(folder / "valid")
    if sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + (MEGABYTES << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for path in sorted(folder.iterdir()):
        began = time.monotonic()
        try:
            load(path)
            told = "taken"
        except (ValueError, OSError) as error:
            told = "refused" if path.name in str(error) else f"without its name: {error}"
        except BaseException as error:  # no other error is allowed
            told = f"{type(error).__name__}: {error}"
        sys.stdout.write(json.dumps([path.name, told[:300], time.monotonic() - began]) + "\n")


@pytest.mark.parametrize("name", LOADERS)
def test_each_file_is_refused_with_an_error_that_names_it(name, tmp_path):
    if name == "safetensors":
        pytest.importorskip("torch", reason="the network needs PyTorch, an optional extra")
    valid, crafted, _ = LOADERS[name]
    rng = random.Random(1)
    files = {"valid": valid()}
    files |= {f"{number} {what}": data for number, (what, data) in enumerate(crafted())}
    files |= {f"~damaged {number}": damaged(valid(), rng) for number in range(DAMAGED)}
    safe = {re.sub(r"[^\w .~-]", "_", what): data for what, data in files.items()}
    assert len(safe) == len(files)
    for what, data in safe.items():
        (tmp_path / what).write_bytes(data)
    command = [sys.executable, __file__, name, str(tmp_path)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}  # the scripts share modules with this test
    process = subprocess.run(command, capture_output=True, text=True, timeout=10 * SECONDS, env=env)
    told = [json.loads(line) for line in process.stdout.splitlines()]
    assert process.returncode == 0, (process.stderr[-2000:], told[-1:])
    assert [what for what, _, _ in told] == sorted(safe)
    assert max(seconds for _, _, seconds in told) < SECONDS
    wrong = [line for line in told if line[1] not in (("taken", "refused") if "~" in line[0] else ("refused",))]
    assert [line[0] for line in wrong] == ["valid"], wrong
    assert sum(what == "refused" for _, what, _ in told) > DAMAGED / 3  # enough damaged files are refused


if __name__ == "__main__":
    attack(sys.argv[1], Path(sys.argv[2]))
