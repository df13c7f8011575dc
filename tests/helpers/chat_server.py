"""An endpoint like OpenAI's on this machine, with scripted models: ``random``, ``greedy`` and ``rambling``.

The models read the last board of the conversation, so they play Othello on each size, in any number of games at once.
``rambling`` writes much, and one of ten answers is wrong. `python tests/helpers/chat_server.py 8000 1` starts a server
that answers each call after one second. Ctrl-C ends it; it then says how many calls were under way at the same time.
"""

import json
import math
import random
import re
import sys
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from othello_env import Othello

ROW = re.compile(r"^\d ([-.XOxo](?: [-.XOxo])*)$", re.MULTILINE)


def read_position(messages):
    """The position of Othello that the last board in the messages shows."""
    said = [message["content"] for message in messages if message["role"] == "user"]
    text = next(text for text in reversed(said) if ROW.search(text))
    rows = [row.replace(" ", "").upper().replace(".", "-") for row in ROW.findall(text)]
    board = "".join(rows[-len(rows[0]) :])
    return Othello.from_text(board, to_move="X" if "You are black" in text else "O")


def answer(model, messages):
    """What a scripted model says. The same messages get the same answer."""
    state = read_position(messages)
    chance = random.Random(f"{model} {messages}")
    legal = state.legal_actions()
    if model == "greedy":
        mover = state.to_move
        action = max(legal, key=lambda each: state.play(each).discs()[mover])
    else:
        action = chance.choice(legal)
    move = json.dumps({"move": state.action_to_text(action)})
    if model != "rambling":
        return move
    thoughts = "Let me think about corners and edges. " * chance.randrange(5, 50)
    return (
        f"{thoughts} I resign."
        if chance.random() < 0.1
        else f"<think>{thoughts}</think>{thoughts}\n```json\n{move}\n```"
    )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # the connection stays open, as with real servers

    def do_GET(self):
        self._send(200, {"object": "list", "data": [{"id": "random", "object": "model"}]})

    def do_POST(self):
        began = time.monotonic()
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._wait()
        asked, wrong_every = self.server.asked, self.server.wrong_every
        if self.server.fails_at and asked >= self.server.fails_at:
            self.send_error(400)
            return
        is_wrong = wrong_every and asked % wrong_every == 0
        content = "hm" if is_wrong else answer(body["model"], body["messages"])
        asked, said = (sum(len(each) for each in text) // 4 for text in (json.dumps(body["messages"]), content))
        usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
        head = {"id": "1", "created": 1, "model": body["model"], "usage": usage}
        message = {"role": "assistant", "content": content}
        if body.get("stream"):
            choice = {"index": 0, "finish_reason": "stop", "delta": message}
            self._stream({**head, "object": "chat.completion.chunk", "choices": [choice]})
        else:
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            self._send(200, {**head, "object": "chat.completion", "choices": [choice]})
        with self.server.changed:
            self.server.calls.append((began, time.monotonic()))

    def _wait(self):
        """The delay of an answer, and the calls that it waits for."""
        server = self.server
        time.sleep(server.delay)
        with server.changed:
            server.asked += 1
            server.changed.notify_all()
            last = math.ceil(server.asked / server.together) * server.together
            if last <= server.groups * server.together:
                assert server.changed.wait_for(lambda: server.asked >= last, timeout=120), "the other calls do not come"

    def _stream(self, values):
        """Server-sent events: the whole answer as one event, then the end."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in (json.dumps(values), "[DONE]"):
            data = f"data: {event}\n\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def _send(self, status, values):
        data = json.dumps(values).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def make_server(port=0, delay=0.0):
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.delay, server.calls = delay, []
    server.asked, server.together, server.groups = 0, 1, 0
    server.wrong_every = server.fails_at = 0
    server.changed = threading.Condition()
    return server


@contextmanager
def serving():
    """A running server: its address is `url`, and `asked` counts the calls.

    The first calls are answered in `groups` of `together` calls, each group when all its calls wait. With
    `wrong_every`, each so many-th answer is wrong; from the call `fails_at` on, the endpoint fails.
    """
    server = make_server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    server = make_server(int(sys.argv[1]), *map(float, sys.argv[2:]))
    with suppress(KeyboardInterrupt):
        server.serve_forever()
    busy = sum(end - begin for begin, end in server.calls)
    passed = max(end for _, end in server.calls) - min(begin for begin, _ in server.calls)
    sys.stdout.write(f"{len(server.calls)} calls in {passed:.0f} s, {busy / passed:.1f} at the same time\n")
