"""An installed package that adds agents, for the tests of agents."""

import sys
import textwrap

import pytest
from plugin_source import PLUGIN

from othello_env.agent import spec as agent_specs

ENTRY_POINTS = """
[othello_env.agents]
zz-all = othello_plugin:everything
zz-broken = othello_plugin:broken
zz-more = othello_plugin:needs_more
.zz = othello_plugin:from_file
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Another package that adds agents. Python finds it as an installed package."""
    (tmp_path / "othello_plugin.py").write_text(textwrap.dedent(PLUGIN), encoding="utf-8")
    info = tmp_path / "othello_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: othello-plugin\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    agent_specs._registry.cache_clear()
    yield tmp_path
    agent_specs._registry.cache_clear()
    for name in ("othello_plugin", "varied"):
        sys.modules.pop(name, None)
