"""Checks that run in their own virtual environments. For example, ``nox -s lint`` runs the session `lint`."""

from pathlib import Path

import nox

nox.options.default_venv_backend = "uv|venv"


@nox.session
def lint(session: nox.Session) -> None:
    """Check the style, the types, and the rules that say which packages each package may import."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("pyright")
    session.run("lint-imports")


@nox.session
def release(session: nox.Session) -> None:
    """Build the source distribution in ``dist``, build the wheel from it, and check both."""
    session.install("build", "twine")
    for old in Path("dist").glob("othello_env-*"):
        old.unlink()
    session.run("python", "-m", "build")
    session.run("twine", "check", "--strict", *map(str, Path("dist").glob("othello_env-*")))


ALL = ("-m", "")  # the slow tests, too


@nox.session
def floors(session: nox.Session) -> None:
    """Test the games, the environments and the commands with the oldest supported versions of their dependencies."""
    session.install("-e", ".[test]", "gymnasium==1.1.0", "pettingzoo==1.24.0", "numba==0.61.0", "click==8.1.0")
    session.install("pillow==10.1.0", "filelock==3.14.0", "msgspec==0.19.0", "safetensors==0.4.3", "scipy==1.13.0")
    session.install("flax==0.10.0", "jax==0.8.0", "mctx==0.0.5", "optax==0.2.0", "tyro==0.9.14")
    session.run(
        "pytest", "-n", "2", *ALL, *(f"tests/othello_env/{each}" for each in ("envs", "games", "cli", "jax", "support"))
    )


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Run all tests on each supported version of Python that is installed."""
    session.install("-e", ".[test]")
    session.run("pytest", "-n", "auto", *ALL, *session.posargs)


TORCH = "torch==2.13.0"  # the same for all trainers; pip prefers the build 2.13.0+cpu if it finds it
TRAINERS = {  # what a trainer needs, as docs/how-to says; a test compares them
    "agilerl": [".", "agilerl>=2.58", "peft"],
    "league_sb3": [".[sb3]"],
    "minari": [".", "minari[create,hdf5]>=0.5"],
    "openenv": [".", "openenv>=0.10", "tyro"],
    "own_recipes": [".[torch]"],
    "rllib": [".[torch]", "ray[rllib]>=2.60"],
    "sb3": [".[sb3]"],
    "tianshou": [".", "tianshou>=2"],
    "torch_wrapper": [".[torch]", "array-api-compat>=1.11"],
    "torchrl": [".[torchrl]"],
    "torchrl_env": [".[torchrl]"],
    "trl": [".", "trl>=1.16", "tyro", "tensorboard"],
    "verifiers": [".", "verifiers>=0.4,<0.5", "uv"],
}


@nox.session
@nox.parametrize("trainer", sorted(TRAINERS))
def trainers(session: nox.Session, trainer: str) -> None:
    """Run a short training with one entry of `TRAINERS`; ``nox -s trainers`` runs all, each in its own environment.

    On Linux, pip installs PyTorch with CUDA, which needs several GB. To install the build for CPUs instead, set
    ``PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu``.
    """
    session.install(TORCH, "-e", *TRAINERS[trainer])  # as a user does, so that a conflict of versions fails here
    session.install("-e", ".[test]", *TRAINERS[trainer][1:])
    more = {
        "own_recipes": [
            "tests/othello_agents/network/test_afterstates.py",
            "tests/othello_agents/network/test_custom.py",
            "tests/othello_agents/network/test_neural.py",
            "tests/othello_env/data/test_torch_dataset.py",
            "tests/test_hostile_files.py",
        ],
        "torchrl": ["tests/othello_env/trainers/test_torchrl_env.py"],
    }
    session.run("pytest", *ALL, f"tests/othello_env/trainers/test_{trainer}.py", *more.get(trainer, []))


@nox.session
def cluster(session: nox.Session) -> None:
    """Test tournaments and labels on a Ray cluster of two nodes on this machine. A test kills one of the nodes."""
    session.install("-e", ".[test,ray]")
    session.run("pytest", "tests/othello_env/arena/play/test_cluster.py", *session.posargs)


@nox.session
def page(session: nox.Session) -> None:
    """Test the browser page in Chromium, which has to be installed (Debian's package is called chromium)."""
    session.install("-e", ".[test]", "playwright>=1.45", "moviepy>=1.0.3")
    session.run(
        "pytest", "-rs", *ALL, "tests/othello_env/page", "tests/othello_env/envs/test_record_video.py", *session.posargs
    )


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation in the folder ``docs/_build``. A warning is an error. The build needs no network."""
    session.install("-e", ".[docs]")
    session.run("sphinx-build", "-q", "-W", "--keep-going", "-b", "html", "docs", "docs/_build", *session.posargs)
    session.log(f"the site: {Path('docs/_build/index.html').resolve()}")
