"""What a game costs without the model: CPU seconds a game with TRL's calls, OpenEnv and verifiers.

    python scripts/measure/text_rollouts.py --trainer trl --games 50

The games are those of the page: 6x6 after twelve random plies, against `maximizer:eval=weighted`, with exact regret.
The answer to each question is there at once: it is the first legal move. `trl` makes the calls that TRL makes in its
own process. `openenv` and `verifiers` need their packages of `scripts/environments`, each in an environment of its own.
The server of the games and its client are in this process. Programs that it starts are counted.
"""

import asyncio
import json
import resource
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import tyro

from othello_env.text import OthelloText

SETTINGS = {"openings": "random:12", "reward": "regret", "legal_moves": True}
GAME, OPPONENT = "othello:size=6", "maximizer:eval=weighted"


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    trainer: Literal["trl", "openenv", "verifiers"] = "trl"  # whose calls
    games: int = 50  # how many games are measured, after one that is not


def first_legal(text: str) -> str:
    """The first of the legal moves that a question names."""
    return text.rpartition("Legal moves: ")[2].split()[0]


def main() -> None:
    args = tyro.cli(Args, description=__doc__)
    play = {"trl": play_trl, "openenv": play_openenv, "verifiers": play_verifiers}[args.trainer]
    counted = play(args.games)
    print(f"{args.trainer}: {args.games} games, {counted / args.games:.2f} CPU seconds a game")


def cpu_seconds() -> float:
    """Of this process, and of those that it started and that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def play_trl(games: int) -> float:
    """The CPU seconds of games by the calls that TRL makes. The first game does not count."""
    env, began = OthelloText(GAME, OPPONENT, **SETTINGS), 0.0
    for seed in range(games + 1):
        text = env.reset(seed=seed)
        while not env.done:
            text = env.play(first_legal(text))
        began = began or cpu_seconds()
    return cpu_seconds() - began


def play_openenv(games: int) -> float:
    """The same with a server of OpenEnv and its client, in this process."""
    import uvicorn
    from openenv.core import GenericEnvClient
    from othello_openenv.server.app import Args as ServerArgs
    from othello_openenv.server.app import make_app

    app = make_app(ServerArgs(game=GAME, opponent=OPPONENT, **SETTINGS))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    began = 0.0
    port = server.servers[0].sockets[0].getsockname()[1]
    with GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() as client:
        for seed in range(games + 1):
            result = client.reset(seed=seed)
            while not result.done:
                result = client.step({"move": first_legal(result.observation["text"])})
            began = began or cpu_seconds()
        return cpu_seconds() - began


class Model(BaseHTTPRequestHandler):
    """An endpoint like OpenAI's."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = [message["content"] for message in body["messages"] if "Legal moves: " in str(message["content"])]
        message = {"role": "assistant", "content": json.dumps({"move": first_legal(said[-1])})}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        answer |= {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


def play_verifiers(games: int) -> float:
    """The same with verifiers and an endpoint that answers at once, in this process."""
    import verifiers.v1 as vf

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    async def run() -> float:
        taskset = {"id": "othello-verifiers", "game": GAME, "opponents": [OPPONENT], **SETTINGS}
        table = vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
        client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key_var="NO_KEY")
        context, began = vf.ModelContext(model="m", client=client), 0.0
        async with table.serving():
            for task in table.taskset.take(games + 1):
                (slot,) = table.slots(task)
                episode = await table.run_slot(slot, context)
                if not episode.ok:
                    raise RuntimeError(f"the game failed: {episode.errors}")
                began = began or cpu_seconds()
            return cpu_seconds() - began

    return asyncio.run(run())


if __name__ == "__main__":
    main()
