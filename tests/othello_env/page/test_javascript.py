"""The page's JavaScript without a browser: Node checks what it computes. Without Node, these tests are skipped."""

import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")
STATIC = Path(__file__).parents[3] / "othello_env" / "page" / "static"


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_what_the_page_computes():
    tests = Path(__file__).with_name("pure.test.mjs")
    done = subprocess.run([NODE, "--test", str(tests)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_asks_anybody_else():
    for file in STATIC.iterdir():
        text = file.read_text()
        outside = [
            part.split('"')[0] for part in text.split("http")[1:] if not part.startswith("://www.w3.org/2000/svg")
        ]
        assert not [part for part in outside if part.startswith(("://", "s://"))], file.name
