"""Runs that need environments of their own: ``nox -s floors``."""

import nox

nox.options.default_venv_backend = "venv"


@nox.session
def floors(session: nox.Session) -> None:
    """The environments' tests on the oldest supported versions of what they stand on."""
    session.install("-e", ".[test]", "gymnasium==1.1.0", "pettingzoo==1.24.0", "numba==0.61.0", "click==8.1.0")
    session.install("pillow==10.1.0")
    session.run("pytest", "-n", "2", "tests/othello_env/envs", "tests/othello_env/games", "tests/othello_env/cli")
