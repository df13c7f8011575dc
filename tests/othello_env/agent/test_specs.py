"""Agents from specs: names, options, files and modules, and the errors for wrong specs."""

import hashlib
import pickle
import sys
from pathlib import Path

import pytest

from othello_env import MissingExtraError, Othello, SpecError, make_agent
from othello_env.agent import agent_names, file_hashes, option_text

pytestmark = pytest.mark.nojit

VARIED = """
from __future__ import annotations

from typing import TYPE_CHECKING

from othello_env import Agent

if TYPE_CHECKING:
    from nosuch import Board

class Varied(Agent):
    def __init__(self, depth: int = 2, board: Board | None = None, *more: int, **further: int):
        self.told = depth, more, further
        self.board = board

    def act(self, state):
        return state.legal_actions()[0]
"""


FOLDER = """
import zz_net
from zz_parts import VERSION

def best(observations, masks):
    return (masks.cumsum(axis=1) == VERSION).argmax(axis=1)  # the first or the second legal action
"""


class TestSpecs:
    def test_the_installed_names_are_listed(self, plugin):
        names = agent_names()
        assert list(names) == sorted(names)
        assert {"random", "zz-all", "zz-broken"} <= set(names)
        assert ".zz" not in names

    def test_options_are_converted_as_the_signature_says(self, plugin):
        made = make_agent("zz-all:depth=4,eval=weighted,scale=.5,fast=yes,level=2,old=3,file=a b.txt,limit=1.5", seed=9)
        assert made.options == {
            "depth": 4,
            "eval": "weighted",
            "scale": 0.5,
            "fast": True,
            "level": 2,
            "old": 3,
            "file": Path("a b.txt"),
            "limit": 1.5,
            "free": "x",
            "seed": 9,
        }
        assert type(make_agent("zz-all:depth=1,limit=2").options["limit"]) is int
        assert make_agent("zz-all:depth=1,fast=0").options["fast"] is False

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('"ntuple:weights=a.npz"', "ntuple:weights=a.npz"),
            ('"gtp-rhino -l 4, -b 0"', "gtp-rhino -l 4, -b 0"),
            ('""', ""),
            ('"edax -name ""A, B"""', 'edax -name "A, B"'),
            ('""""', '"'),
            ('""",depth=3,eval="""', '",depth=3,eval="'),
            ("a:b=c", "a:b=c"),
            ("C:\\x y", "C:\\x y"),
        ],
    )
    def test_values_are_quoted(self, plugin, text, value):
        assert make_agent(f"zz-all:eval={text},depth=2").options["eval"] == value
        assert make_agent(f"zz-all:depth=2,eval={text}").options["eval"] == value

    @pytest.mark.parametrize("value", ["", "a", '"', '""', ",", 'a "b, c" d', "x=1,y=2", " ", "a\nb", "C:\\x"])
    def test_option_text_is_read_back(self, plugin, value):
        made = make_agent(f"zz-all:{option_text('eval', value)},{option_text('depth', 2)}")
        assert (made.options["eval"], made.options["depth"]) == (value, 2)

    def test_a_files_suffix_picks_its_loader(self, plugin):
        (plugin / "weights.zz").touch()
        assert make_agent("weights.zz").options == {"path": "weights.zz", "shift": 0}
        assert make_agent(f"{plugin}/weights.zz:shift=2").options == {"path": f"{plugin}/weights.zz", "shift": 2}
        assert make_agent(plugin / "weights.zz").options["shift"] == 0
        with pytest.raises(FileNotFoundError, match=r"there is no file 'gone\.zz'"):
            make_agent("gone.zz")

    @pytest.mark.parametrize("spec", ["othello_plugin:last", "othello_plugin.py:last"])
    def test_callables_of_modules_and_files(self, plugin, spec):
        made = make_agent(spec)
        assert made.act(Othello()) == 44
        assert repr(made) == "last"
        assert repr(make_agent(f"{spec}:epsilon=.5")) == "last:epsilon=0.5"

    def test_agents_and_classes_of_agents_by_name(self, plugin):
        assert make_agent("othello_plugin:INSTANCE").options == {"depth": 7}
        assert make_agent("othello_plugin:Mine").options == {"depth": 3}
        assert make_agent("othello_plugin.py:Mine:depth=5").options == {"depth": 5}

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("", "'' does not name an agent; known are "),
            (
                "nosuch",
                r"there is no agent 'nosuch'; known are .*random.*zz-all.*files ending in .*\.zz.*path\.py:func",
            ),
            ("zz-al", r"there is no agent 'zz-al' \(did you mean zz-all\?\); known are"),
            ("zz-all", "'zz-all': zz-all needs depth"),
            ("zz-all:depth", "expected key=value,key=value after zz-all, got 'depth'"),
            ("zz-all:depth=2,,scale=1", r"expected key=value,key=value .* at ',scale=1'"),
            ("zz-all:depth=2 scale=1", "depth must be a whole number, not '2 scale=1'"),
            ('zz-all:depth="2', "expected key=value,key=value .* at 'depth=\"2'"),
            ("zz-all:depth=2,depth=3", "gives depth twice"),
            ("zz-all:depth=two", "depth must be a whole number, not 'two'"),
            ("zz-all:depth=1,limit=x", "limit must be a whole number or a number, not 'x'"),
            ("zz-all:depth=1,fast=maybe", "fast must be true or false, not 'maybe'"),
            ("zz-all:depth=-1", "depth is at least 0, not -1"),
            ("zz-all:depth=1,seed=3", "zz-all has no option seed; it takes depth, eval, scale, .*free, epsilon"),
            ("random:epsilon=1.5", "epsilon must be a probability, 0 to 1, not 1.5"),
            ("othello_env.nosuch:name", "there is no module 'othello_env.nosuch'"),
            ("random:epsilon=nan", "epsilon must be a finite number, not 'nan'"),
            ("zz-all:depth=1,limit=-inf", "limit must be a finite number, not '-inf'"),
            ("zz-all:depth=1,limit=" + "1" * 5000, "limit must be a finite number, not '111"),
            ('zz-all:depth=2,eval="a"b"', "expected key=value,key=value .* at 'eval="),
            ("othello_plugin:nosuch", "there is no 'nosuch' in othello_plugin, which has .*last"),
            ("math:pi", r"is 3\.14.*, which is neither a callable nor an Agent"),
            ("othello_plugin:Path", "'othello_plugin:Path' is a class, but not a subclass of Agent"),
            ("nosuch.module:name", "there is no module 'nosuch'"),
            ("othello_plugin.py", "^othello_plugin.py needs the name of a function: othello_plugin.py:function$"),
            ("gone.pt", r"there is no agent 'gone\.pt'; known are .*path\.py:function"),
            ("othello_plugin:last:depth=2", "a callable takes no option but epsilon, got depth"),
        ],
    )
    def test_wrong_specs_say_what_is_right(self, plugin, spec, message):
        with pytest.raises(SpecError, match=message):
            make_agent(spec)

    def test_other_errors_keep_their_type(self, plugin):
        with pytest.raises(MissingExtraError, match=r"othello-env\[nosuch\]"):
            make_agent("zz-more")
        with pytest.raises(TypeError, match=r"zz-broken names .*, which returned 'no agent', not an Agent"):
            make_agent("zz-broken")
        for gone in ("gone.py", "gone.py:last"):
            with pytest.raises(FileNotFoundError, match=r"there is no file 'gone\.py'"):
                make_agent(gone)

    def test_an_error_inside_a_users_file_is_the_users(self, plugin):
        (plugin / "faulty.py").write_text("import nosuch_dependency\n", encoding="utf-8")
        for spec in ("faulty.py:last", "faulty:last"):
            with pytest.raises(ModuleNotFoundError, match=r"faulty.* cannot be imported: .*nosuch_dependency"):
                make_agent(spec)
        assert "faulty" not in sys.modules

    def test_a_file_imports_the_modules_in_its_folder(self, tmp_path, monkeypatch):
        """Two versions of an agent, each with a module of the same name, are two agents."""
        monkeypatch.setattr(sys, "path", [*sys.path])
        for version in ("1", "2"):
            folder = tmp_path / version
            (folder / "zz_parts").mkdir(parents=True)
            (folder / "zz_net.py").write_text(f"from zz_parts import VERSION\nassert VERSION == {version}\n")
            (folder / "zz_parts" / "__init__.py").write_text(f"VERSION = {version}\n")
            (folder / "policy.py").write_text(FOLDER, encoding="utf-8")
        made = [make_agent(f"{tmp_path / version}/policy.py:best") for version in ("1", "2", "1")]
        assert [agent.act(Othello()) for agent in made] == [19, 26, 19]
        for name in ("policy", "zz_net", "zz_parts"):
            sys.modules.pop(name, None)

    def test_a_file_that_ends_the_program_is_an_error(self, tmp_path):
        (tmp_path / "script.py").write_text("import sys\nsys.exit(2)\n", encoding="utf-8")
        with pytest.raises(ImportError, match=r"script\.py ended the program .* if __name__ == \"__main__\""):
            make_agent(f"{tmp_path / 'script.py'}:best")

    def test_parameters_for_any_further_argument_are_no_options(self, plugin):
        (plugin / "varied.py").write_text(VARIED, encoding="utf-8")
        assert make_agent("varied.py:Varied").told == (2, (), {})
        assert make_agent("varied.py:Varied:depth=5").told == (5, (), {})
        with pytest.raises(SpecError, match="has no option further; it takes depth, board, epsilon"):
            make_agent("varied.py:Varied:further=1")

    def test_agents_of_a_file_that_is_imported_again_can_be_pickled(self, plugin):
        for _ in range(3):
            made = make_agent("othello_plugin.py:Mine")
            assert pickle.loads(pickle.dumps(made)).options == {"depth": 3}


def test_the_files_of_an_agent_are_hashed(tmp_path):
    policy, weights = tmp_path / "policy.py", tmp_path / "a.npz"
    policy.write_text("import numpy as np\ndef first(observations, masks):\n    return np.argmax(masks, axis=1)\n")
    expected = {str(policy): f"sha256:{hashlib.sha256(policy.read_bytes()).hexdigest()}"}
    spec = f"{policy}:first"
    made = make_agent(spec)
    for each in (spec, made, make_agent(f"{spec}:epsilon=0.5")):
        assert file_hashes(each) == expected
    policy.write_text(policy.read_text() + "\n")
    assert file_hashes(made) == expected != file_hashes(spec)
    weights.write_bytes(b"weights")
    assert list(file_hashes(f"engine:eval={weights}")) == [str(weights)]
    for none in ("random", make_agent("random"), lambda observations, masks: masks.argmax(axis=1)):
        assert file_hashes(none) == {}
