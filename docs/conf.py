"""The settings of the documentation. ``nox -s docs`` builds the documentation."""

from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

project = "othello-env"
author = "The othello-env authors"
copyright = "the othello-env authors"  # noqa: A001 - Sphinx's name
version = release = version_of("othello-env")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "sphinx_copybutton"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["html_image"]  # <img> with a width
myst_heading_anchors = 3

default_role = "py:obj"  # `name` in single backticks becomes a link if the pages of the API have this name
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_numpy_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = "othello-env"
html_static_path = ["static"]
html_css_files = ["site.css"]  # smaller headings: more of a page on a screen
html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True


def setup(app: Any) -> None:
    """Let Sphinx call `write_agent` at the end of the build."""
    app.connect("build-finished", write_agent)


def write_agent(app: Any, error: Exception | None) -> None:
    """Write the packaged agent, playable in the browser, beside the first page."""
    if error is None and app.builder.format == "html":
        from othello_agents.ntuple import shipped_network
        from othello_agents.ntuple.browser import browser_tables
        from othello_env.page.standalone import agent_html

        Path(app.outdir, "agent.html").write_text(agent_html("ntuple", browser_tables(shipped_network(8))), "utf-8")
