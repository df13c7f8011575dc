"""The settings of the documentation. ``nox -s docs`` builds the documentation."""

from importlib.metadata import version as version_of

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
