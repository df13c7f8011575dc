"""Fixtures for the page: a server in this process, a server as a process, and a browser that opens its page.

Without Chromium, the browser tests are skipped.
"""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from asking import OFFERS, PORT, RESULTS, SITE
from starlette.testclient import TestClient

from othello_env.page.answers import Answers
from othello_env.page.app import make_app
from othello_env.page.offers import FIRST_REQUESTS

CHROMIUM = shutil.which("chromium")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
)
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
PATIENCE_MS = 120_000  # how long a test waits for the page; the machine may be busy


class Server:
    """A process that runs ``othello-env serve``."""

    def __init__(self, *arguments, port=0, browser=None):
        code = f"{START}; from othello_env.cli import main; main()"
        shown = ["--browser" if browser else "--no-browser", "--port", str(port)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "serve", *shown, *arguments],
            env=os.environ | ({"BROWSER": str(browser)} if browser else {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.address = self.process.stdout.readline().split(" ")[0]
        assert self.address, self.process.stderr.read()
        self.port = urlsplit(self.address).port

    def stop(self, how=signal.SIGINT):
        """End the server. Return its exit status, and what it printed on stdout and stderr after the address."""
        self.process.send_signal(how)
        out, errors = self.process.communicate(timeout=60)
        return self.process.returncode, out, errors


@pytest.fixture(scope="session")
def compiled():
    """Compile all machine code before a test waits for a page."""
    answers = Answers()
    for request in FIRST_REQUESTS:
        answers(request)


@pytest.fixture(scope="session")
def browser(compiled):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright (nox -s page)")
    if CHROMIUM is None:
        pytest.skip("needs Chromium, as Debian's package chromium")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server():
    running = Server()
    yield running
    running.stop()


def serving():
    """A function that starts servers. They are ended at the end of the fixture's scope."""
    started = []

    def call(*arguments, **options):
        started.append(Server(*arguments, **options))
        return started[-1]

    yield call
    for each in started:
        if each.process.poll() is None:
            each.stop()


serve = pytest.fixture(serving, name="serve")
serve_for_module = pytest.fixture(serving, name="serve_for_module", scope="module")


@pytest.fixture
def open_page(browser):
    """A function that opens each page in a new browser context. An error in a page's script fails the test."""

    @contextmanager
    def opened(address, **options):
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 860}} | options))
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        page.locator("#players li").first.wait_for()
        yield page
        context.close()
        assert not errors

    return opened


@pytest.fixture
def page(open_page, server):
    with open_page(server.address) as opened:
        yield opened


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(OFFERS, PORT, [RESULTS]), base_url=SITE) as made:
        yield made


@pytest.fixture
def ask(client):
    """Send a message as the page does."""
    return lambda name, /, **message: client.post(f"/api/{name}", json=message, headers={"origin": SITE})
