"""An agent that asks a language model, here a script: its rating, wrong answers, transcripts, failing clients."""

import asyncio
import hashlib
import json
import re
import sys
import threading
import zlib
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from urllib.error import HTTPError

import pytest
from chat_server import answer, read_position, serving
from starlette.datastructures import Headers

from othello_env import AgentError, Checkers, Othello, Tribolo, make_agent, make_vec_env, place, play_match
from othello_env.agent import AgentLeftError, Seat
from othello_env.arena import FaultWarning
from othello_env.arena.benchmark.positions import load_positions, measure_positions
from othello_env.arena.benchmark.run import run_benchmark
from othello_env.text import Answer, ChatAgent, OthelloText


@pytest.fixture
def server():
    with serving() as running:
        yield running


GREEDY = "maximizer:eval=count"


def without_seconds(summary):
    return {name: value for name, value in summary.items() if name != "seconds_a_move"}


def test_a_model_that_plays_an_agents_moves_plays_its_games():
    def chat(messages):
        state = read_position(messages)
        return f'Black or White? {{"move": "{state.action_to_text(make_agent(GREEDY).act(state)).upper()}"}}'

    agent = ChatAgent(chat, workers=4)
    games = [play_match(each, "random", games=20, seed=1).records for each in (agent, make_agent(GREEDY))]
    assert games[0] == games[1]
    found = agent.summary()
    assert found["moves"] == found["answers"] > 400
    assert found["illegal"] == found["unreadable"] == found["forfeits"] == 0
    low, high = found["illegal_rate_interval95"]
    assert (found["legal_rate"], low) == (1, 0)
    assert 0.002 < high < 0.02


def test_the_correction_says_why_and_the_second_wrong_answer_forfeits():
    heard = []
    answers = iter(["d4", None])

    def chat(messages):
        heard.append([dict(message) for message in messages])
        return next(answers)

    agent = ChatAgent(chat, name="m")
    with pytest.raises(AgentError, match=r"m named no legal move in Othello.* unreadable: the answer names no move"):
        agent.act(Othello())
    assert [len(messages) for messages in heard] == [1, 3]
    assert [message["role"] for message in heard[1]] == ["user", "assistant", "user"]
    assert "d4 is not legal: it is not empty" in heard[1][2]["content"]
    counts = {"moves": 1, "answers": 2, "illegal": 1, "unreadable": 1, "forfeits": 1, "errors": 0}
    assert counts.items() <= agent.summary().items()


def test_a_game_with_two_wrong_answers_is_lost_and_the_other_games_go_on():
    """The games are played at once; the model is asked no question twice, although one game is played again."""
    asked = []

    def chat(messages):
        asked.append(json.dumps(messages))
        state = read_position(messages)
        return "no idea" if state.discs()[0] == 11 else state.action_to_text(state.legal_actions()[-1])

    agent = ChatAgent(chat, workers=3)
    with pytest.warns(FaultWarning, match="unreadable"):
        result = play_match(agent, "random", games=12, seed=5)
    assert 0 < len(result.faults(0)) < 12
    assert agent.summary()["forfeits"] == len(result.faults(0))
    alone = ChatAgent(chat)
    with pytest.warns(FaultWarning, match="unreadable"):
        apart = play_match(alone, "random", games=12, seed=5)
    assert apart.records == result.records
    assert without_seconds(alone.summary()) == without_seconds(agent.summary())
    assert len(asked) == 2 * agent.summary()["answers"]


def test_the_three_games():
    def chat(messages):
        return messages[0]["content"].rsplit("Legal moves: ")[1].split()[0]

    agent = ChatAgent(chat, legal_moves=True)
    for state in (Othello(4), Checkers(size=6), Tribolo(seed=1)):
        agent.check_game(state)
        while not state.is_over:
            state = state.play(agent.act(state))
    assert agent.summary()["legal_rate"] == 1
    assert play_match(agent, "random", games=2, game="checkers:size=6").faults(0) == []


def test_a_run_that_was_interrupted_asks_nothing_twice(tmp_path):
    calls, stops = [], []

    def chat(messages):
        if len(calls) in stops:
            stops.clear()
            raise KeyboardInterrupt
        calls.append(messages)
        wrong = "I resign." if len(calls) % 50 == 0 else "d4" if len(calls) % 30 == 0 else None
        return wrong or answer("random", messages)

    expected, file = place(ChatAgent(chat), games=8, seed=2), tmp_path / "runs" / "model.jsonl"
    whole, calls, stops = calls, [], [70]
    with pytest.raises(KeyboardInterrupt):
        place(ChatAgent(chat, name="m", transcripts=file), games=8, seed=2)
    kept = file.read_bytes()
    file.write_bytes(kept + b'{"key": 7, "ga')  # killed while it wrote
    agent = ChatAgent(chat, name="m", transcripts=file)
    assert file.read_bytes() == kept
    assert place(agent, games=8, seed=2) == expected
    assert calls == whole
    again = ChatAgent(lambda messages: pytest.fail("asked"), name="m", transcripts=file)
    assert again.summary()["moves"] == 0, "what this run did not ask for does not count"
    assert place(again, games=8, seed=2) == expected
    assert again.summary() == agent.summary()


def test_the_lines_of_the_transcripts(tmp_path):
    long = "x" * 50_000 + " D3"
    answers = iter([Answer("\ud800\x00", tokens=3, cost=0.5), Answer(long, tokens=7, cost=0.25, seconds=2.0)])
    asked = []

    def chat(messages):
        asked.append(messages)
        return next(answers)

    file = tmp_path / "t.jsonl"
    agent = ChatAgent(chat, name="m", settings={"temperature": 0.5}, system="Be brief.", transcripts=file)
    seat = Seat(agent, 7)
    assert seat.ask(Othello()) == seat.ask(Othello()) == 19
    head, kept = map(json.loads, file.read_text().splitlines())
    assert (head["agent"], head["settings"], head["prompt"]["system"]) == ("m", {"temperature": 0.5}, "Be brief.")
    assert (kept["key"], kept["game"], kept["transcript"], kept["to_move"]) == (7, "othello", "", "black")
    assert (kept["board"], kept["faults"], kept["move"]) == (Othello().to_text(), ["unreadable"], "d3")
    assert [answer["text"] for answer in kept["answers"]] == ["?\x00", long]
    assert kept["answers"][1]["seconds"] == 2
    assert asked[0] == agent.question(Othello())
    assert [message["role"] for message in asked[0]] == ["system", "user"]
    assert kept["prompt"] == "sha256:" + hashlib.sha256(json.dumps(asked[0]).encode()).hexdigest()
    found = agent.summary()
    assert (found["tokens_a_move"], found["cost"]) == (10, 0.75)
    assert found["seconds_a_move"] >= 2
    assert "with 400 tokens of answers and a cost of 30.00 (as in the first 1)." in agent.estimate(Othello(), 40)


@pytest.mark.parametrize("history", [False, "conversation"])
def test_the_tokens_of_the_questions_are_counted_before_the_first_call(history):
    def chat(messages):
        asked.append(sum(len(message["content"]) for message in messages))
        return state.action_to_text(state.legal_actions()[0])

    asked, state, agent = [], Othello(), ChatAgent(chat, history=history)
    expected = agent.estimate(state, 30)
    seat = Seat(agent, 1)
    while not state.is_over:
        state = state.play(seat.ask(state) if state.to_move == 0 else state.legal_actions()[0])
    said = f"up to about 30 moves, with {30 * sum(asked) / len(asked) / 4:,.0f} tokens of questions (4 characters"
    assert said in expected


def test_a_move_has_its_regret_where_it_is_exact():
    near_the_end = next(each for each in load_positions() if each.state.empties == 8)
    worst = max(near_the_end.scores, key=near_the_end.loss)
    answers = iter(["d3", near_the_end.state.action_to_text(worst)])
    agent = ChatAgent(lambda messages: next(answers))
    for state in (Othello(), near_the_end.state):
        agent.act(state)
    assert [move.regret for move in agent.moves] == [None, near_the_end.loss(worst)]
    assert agent.summary()["judged"] == 1
    assert agent.summary()["discs_lost_a_move"] == near_the_end.loss(worst) > 0
    assert f"1 moves near the end lost {near_the_end.loss(worst):.2f} discs a move" in agent.report()[-1]


OTHERS = [
    ({"name": "n"}, "line 1: expected agent 'n', got 'm'; name a new file"),
    ({"settings": {}}, "expected settings {}, got {'temperature': 0.5}"),
    ({"attempts": 1}, "expected prompt {.*'attempts': 1.*}, got {.*'attempts': 2"),
    ({"history": "conversation"}, "expected prompt {.*'history': 'conversation'"),
    (b"{}\n", "line 1: expected format 'othello-env chat 3', got None"),
    (b'{"precious": "settings"}', "expected format"),
    (b"settings", "line 1: it is not JSON"),
    (2, "line 3: .*game"),
]


@pytest.mark.parametrize(("change", "words"), OTHERS)
def test_a_file_of_something_else_is_refused_and_stays_as_it_is(tmp_path, change, words):
    file = tmp_path / "t.jsonl"
    options = {"name": "m", "settings": {"temperature": 0.5}, "transcripts": file}
    ChatAgent(lambda messages: "d3", **options).act(Othello())
    if isinstance(change, bytes):
        file.write_bytes(change)
    elif change == 2:
        file.write_bytes(file.read_bytes() + b'{"key": 1}\n')
    else:
        options |= change
    content = file.read_bytes()
    with pytest.raises(ValueError, match=words):
        ChatAgent(str, **options)
    assert file.read_bytes() == content


class RefusedError(Exception):
    """An error as those of openai, httpx and requests, which have an HTTP response."""

    def __init__(self, retry_after):
        self.response = SimpleNamespace(headers=Headers({"retry-after": retry_after}))


@pytest.mark.parametrize(
    ("error", "waits"),
    [
        (ConnectionError("busy"), [1, 2, 4, 8, 16, 32, 60]),
        (RefusedError("7"), [7, 7, 7, 8, 16, 32, 60]),
        (RefusedError("86400"), [600] * 7),
        (RefusedError("soon"), [1, 2, 4, 8, 16, 32, 60]),
        (HTTPError("http://a", 429, "busy", Headers({"retry-after": "5"}), None), [5, 5, 5, 8, 16, 32, 60]),
    ],
    ids=str,
)
def test_a_question_is_repeated_for_minutes_and_as_late_as_the_endpoint_asks(monkeypatch, error, waits):
    waited = []
    monkeypatch.setattr("othello_env.text.chat.time", SimpleNamespace(sleep=waited.append, perf_counter=lambda: 0.0))

    def chat(messages):
        raise error

    agent = ChatAgent(chat)
    with pytest.raises(AgentLeftError, match="the model could not be asked"):
        agent.act(Othello())
    assert waited == waits
    assert agent.report()[-1] == "8 calls of the model failed."


def test_a_call_that_takes_too_long_has_failed_and_is_repeated():
    released, cancelled = threading.Event(), threading.Event()

    async def sleep():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    for hangs in (lambda: released.wait(60), sleep):
        answers = iter([lambda _, hangs=hangs: hangs(), lambda _: "d3"])
        agent = ChatAgent(lambda messages, answers=answers: next(answers)(messages), wait=0, timeout=0.5)
        assert agent.act(Othello()) == 19
        assert agent.errors == 1
        assert agent.summary()["tokens_a_move"] is None, "no answer tells them"
    assert cancelled.wait(60)
    with pytest.raises(AgentLeftError, match=r"TimeoutError: no answer in time"):
        ChatAgent(lambda messages: released.wait(60), retries=0, timeout=0.01).act(Othello())
    released.set()


def legal_answer(messages):
    """The first move that was last listed as legal."""
    said = [message["content"] for message in messages if "Legal moves: " in message["content"]]
    return said[-1].rsplit("Legal moves: ")[1].split()[0]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_coroutine_function_and_a_function_of_batches_play_the_same_games(workers):
    sizes, loops = [], set()

    async def chat_async(messages):
        loops.add(id(asyncio.get_running_loop()))
        await asyncio.sleep(0)
        return wrong(messages) or legal_answer(messages)

    def chat_batch(conversations):
        sizes.append(len(conversations))
        return [wrong(messages) or Answer(legal_answer(messages)) for messages in conversations]

    def wrong(messages):  # once for a question
        return "hm" if len(messages) == 1 and zlib.crc32(json.dumps(messages).encode()) % 8 == 0 else None

    options = {"legal_moves": True, "workers": workers}
    agents = [
        ChatAgent(lambda messages: wrong(messages) or legal_answer(messages), **options),
        ChatAgent(chat_async, **options),
        ChatAgent(chat_batch, batched=True, **options),
    ]
    results = [
        play_match(agent, "random", games=6, openings="random:3", seed=3, game="othello:size=4") for agent in agents
    ]
    assert results[0].records == results[1].records == results[2].records
    counts = [without_seconds(agent.summary()) for agent in agents]
    assert counts[0] == counts[1] == counts[2]
    assert counts[0]["unreadable"] > 0
    assert len(loops) == 1
    assert max(sizes) == workers


def test_a_game_is_one_conversation_if_it_is_asked_for():
    """It is the conversation of `OthelloText`, with the same corrections."""
    asked, said = [], []

    def chat(messages):
        asked.append([dict(message) for message in messages])
        wrong = len(messages) % 4 == 3 and "not accepted" not in messages[-1]["content"]
        said.append("hm" if wrong else legal_answer(messages))
        return said[-1]

    agent = ChatAgent(chat, legal_moves=True, history="conversation")
    for seed in (1, 2):
        env, seat = OthelloText("othello:size=4", side="black", legal_moves=True, seed=seed), Seat(agent, seed)
        env.reset()
        while not env.done:
            said.clear()
            assert env.position.play(seat.ask(env.position))
            assert asked[-1] == [*env.messages, *asked[-1][len(env.messages) :]]
            for text in said:
                env.play(text)
        assert len(asked[-1]) > 8
    assert agent.summary()["unreadable"] > 3


@pytest.mark.parametrize("options", [{"workers": 3}, {"workers": 3, "batched": True}], ids=str)
def test_conversations_of_games_that_are_played_at_once_are_taken_up_again(options, tmp_path):
    def play(chat):
        called = (lambda many: [chat(each) for each in many]) if "batched" in options else chat
        agent = ChatAgent(called, legal_moves=True, history="conversation", transcripts=tmp_path / "t.jsonl", **options)
        return play_match(agent, "random", games=4, seed=1, game="othello:size=4").records, agent.summary()

    def never(messages):
        pytest.fail("asked")

    alone = ChatAgent(legal_answer, legal_moves=True)
    result = play(lambda messages: legal_answer(messages))
    assert result[0] == play_match(alone, "random", games=4, seed=1, game="othello:size=4").records
    assert play(never) == result


def fails(messages):
    raise ConnectionError("quota")


def ends_the_program(messages):
    sys.exit("set OPENAI_API_KEY")  # as a client's file does if it finds no key


async def ends_the_program_async(messages):
    ends_the_program(messages)


STOPS = [
    (fails, {"retries": 1, "wait": 0}, "the model could not be asked: ConnectionError: quota"),
    (lambda messages: messages.content, {}, "the model could not be asked: AttributeError"),
    (ends_the_program, {}, "chat ended the program: SystemExit: set OPENAI_API_KEY"),
    (ends_the_program_async, {}, "chat ended the program: SystemExit: set OPENAI_API_KEY"),
    (lambda asked: ["d3"] * 5, {"batched": True}, "chat must return a list of [12] answers, not "),
    (lambda asked: None, {"batched": True}, "chat must return a list of [12] answers, not "),
    *(
        (lambda messages, a=a: a, {}, f"chat must return .*, not .* of type {type(a).__name__}")
        for a in ({"content": "d3"}, ["d3"], b"d3", 5)
    ),
    (lambda _: Answer("d3", tokens="5"), {}, "chat returned a wrong Answer: Expected .int .*, got .str. .*tokens"),
]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("chat", "options", "words"), STOPS)
def test_what_is_not_the_models_fault_stops_the_run_at_once_and_nobody_loses(chat, options, words, workers):
    agent = ChatAgent(chat, name="m", workers=workers, **{"wait": 60} | options)
    for run in (
        lambda: play_match(agent, "random", games=4),
        lambda: place(agent, games=4),
        lambda: measure_positions(agent, game="othello:size=4"),
        lambda: make_vec_env(2, opponent=agent, side="white").reset(seed=1),
    ):
        with pytest.raises(AgentLeftError, match=f"m: {words}"):
            run()


@pytest.mark.parametrize("workers", [1, 4])
def test_a_question_has_the_moves_so_far_on_each_way_to_an_agent(workers):
    """In packaged positions, in games on the ladder and against agents that answer batches, and in a batch of games."""

    def chat(messages):
        moves = re.search("Moves so far: (.*)\\.", messages[0]["content"])[1]
        state = Othello.from_moves([] if moves == "none" else moves.split(", "), 4)
        assert state == read_position(messages)
        return state.action_to_text(state.legal_actions()[0])

    agent = ChatAgent(chat, workers=workers, history=True, retries=0)
    assert measure_positions(agent, game="othello:size=4").faults == ()
    assert agent.summary()["moves"] == len(load_positions("othello:size=4"))
    assert not play_match(agent, "random", games=6, game="othello:size=4").faults(0)
    envs = make_vec_env(3, opponent=agent, size=4, strict=True)
    observation, _ = envs.reset(seed=1)
    for _ in range(12):
        observation, *_ = envs.step(observation["action_mask"].argmax(axis=1))


def test_long_thinking_is_no_answer_and_is_not_sent_again():
    """The answer is longer than what is read. Its end has no tag, because the model was cut off in its thoughts."""
    answers = iter(["<think>" + "d3 or c4? " * 5_000, "<think>" + "d3 or c4? " * 5_000 + "</think> f5"])
    asked = []
    agent = ChatAgent(lambda messages: asked.append(messages) or next(answers))
    assert agent.act(Othello()) == Othello().action_from_text("f5")
    assert agent.summary()["unreadable"] == 1
    assert len(agent.moves[0].answers[0].text) > 50_000
    assert len(json.dumps(asked[1])) < 5_000


def test_a_benchmark_keeps_twelve_of_sixteen_calls_under_way(server):
    """The endpoint answers 60 times 12 calls, each time when all 12 wait. The results are those of a single worker."""

    def ask(messages):
        with closing(HTTPConnection("127.0.0.1", server.server_port)) as connection:
            connection.request("POST", "/v1/chat/completions", json.dumps({"model": "random", "messages": messages}))
            return json.load(connection.getresponse())["choices"][0]["message"]["content"]

    server.together, server.groups = 12, 60
    agent = ChatAgent(ask, name="m", workers=16, retries=0)
    measured = run_benchmark(agent, games=20, seed=3)
    assert server.asked == agent.summary()["answers"] + agent.summary()["unused"]
    assert server.asked > 12 * 60
    alone = ChatAgent(lambda messages: answer("random", messages), name="m")
    found = run_benchmark(alone, games=20, seed=3)
    assert found.parts[:2] == measured.parts[:2]
    same = ("moves", "answers", "illegal", "unreadable", "forfeits", "judged", "discs_lost_a_move")
    assert [alone.summary()[name] for name in same] == [agent.summary()[name] for name in same]


def test_a_game_does_not_wait_for_the_answer_of_another_game():
    """The first answer of one game comes when the other games have ended."""
    ended, calls, lock = threading.Event(), [], threading.Lock()

    def chat(messages):
        with lock:
            calls.append(messages)
            first = len(calls) == 1
        state = read_position(messages)
        if first:
            assert ended.wait(60)
        elif state.empties < 2:
            ended.set()
        return state.action_to_text(state.legal_actions()[0])

    agent = ChatAgent(chat, workers=2, retries=0)
    result = play_match(agent, "random", games=4, game="othello:size=4")
    alone = play_match(ChatAgent(chat), "random", games=4, game="othello:size=4")
    assert result.records == alone.records


def test_the_agent_of_the_page(tmp_path, monkeypatch):
    """The file of the page, with a script in place of the client."""
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "language-models.md").read_text()
    (program,) = re.findall(r"^```python\n# policy.py\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)

    def create(messages, model, temperature):
        choice = SimpleNamespace(message=SimpleNamespace(content=answer("random", messages)))
        return SimpleNamespace(choices=[choice], usage=SimpleNamespace(prompt_tokens=300, completion_tokens=20))

    client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
    monkeypatch.setitem(sys.modules, "openai", SimpleNamespace(OpenAI=lambda base_url, api_key: client))
    names = {}
    exec(program, names)
    assert not play_match(names["agent"], "random", games=2).faults(0)
    found = names["agent"].summary()
    assert (found["prompt_tokens_a_move"], found["tokens_a_move"]) == (300, 20)
    kept = [json.loads(line) for line in Path("qwen3-8b.jsonl").read_text().splitlines()[1:]]
    assert sum(len(move["answers"]) for move in kept) == found["answers"] + found["unused"]


def test_the_question_and_what_is_refused():
    state = Othello.from_moves("f5 d6 c3")

    def asked(**options):
        (message,) = ChatAgent(str, **options).question(state)
        return message["content"]

    board, legal = f"\n\n{state}\n", " ".join(map(state.action_to_text, state.legal_actions()))
    assert asked().endswith(f"{board}You are white. It is your move.")
    told = f"{board}Moves so far: f5, d6, c3.\nYou are white. It is your move.\nLegal moves: {legal}"
    assert asked(history=True, legal_moves=True).endswith(told)
    assert asked(question=lambda state: state.to_text()) == state.to_text()
    for options, error, words in (
        ({"question": repr, "history": True}, ValueError, "are for the usual question"),
        ({"history": "all"}, ValueError, "history must be one of False, True, 'conversation', not 'all'"),
        ({"system": 5}, TypeError, "expected a system message as text"),
    ):
        with pytest.raises(error, match=words):
            ChatAgent(str, **options)
