"""What a test needs to ask the page's server or its parts: an address, offers, a game's record, and an event loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from othello_env.page.offers import Offer

PORT = 8750
SITE = f"http://127.0.0.1:{PORT}"
RESULTS = {"name": "a.json"}
OFFERS = [Offer("random"), Offer("alphabeta:depth=2")]


def record(game="othello", moves=(), seed=0, position=None):
    return {"game": game, "seed": seed, "moves": list(moves), "position": position, "agents": []}


def run_async(coroutine):
    """Run a coroutine in another thread, because this thread may already have a running event loop: Playwright's."""
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(asyncio.run, coroutine).result()
