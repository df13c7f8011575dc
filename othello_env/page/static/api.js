// Requests to the server. If the server does not answer, the request is sent again until the server answers.

import { pause, Refused } from "./waiting.js";

const RETRY_MS = 1000;
const banner = document.getElementById("offline");

/** The answer of the server. The request is repeated until there is an answer. */
async function insist(path, options) {
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      return await fetch(path, options);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await untilBack(options.signal);
  }
}

let back = null;

/** Show a banner until the server answers again. Then the promise resolves. It rejects when the signal is aborted. */
function untilBack(signal) {
  back ??= (async () => {
    banner.hidden = false;
    for (let answers = false; !answers;) {
      await pause(RETRY_MS);
      answers = await fetch("/api/offers").then(answer => answer.ok, () => false);
    }
    banner.hidden = true;
    back = null;
  })();
  return Promise.race([back, new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  })]);
}

/** Return an answer; throw `Refused` if the answer is an error. */
async function checked(answer) {
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({})); // if the answer is not JSON, the status is the reason
  throw new Refused(told.error ?? `${answer.status} ${answer.statusText}`, told);
}

/** The JSON at a path. */
export async function get(path) {
  return (await checked(await insist(path, {}))).json();
}

/** Send a message, and return the answer as a Response. */
export async function send(name, message, signal, priority = "auto") {
  return checked(await insist(`/api/${name}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(message), signal, priority,
  }));
}

/** Send a message, and return the JSON of the answer. */
export async function post(name, message, signal) {
  return (await send(name, message, signal)).json();
}

/** The lines of JSON of an answer, each as soon as it is there. */
async function* linesOf({ body }, signal) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "";;) {
    const { value, done } = await reader.read().catch(() => { signal?.throwIfAborted(); return { value: "", done: true }; });
    if (done) return; // the answer is complete, or the server has ended
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines.map(line => JSON.parse(line));
  }
}

/**
 * An agent's answer to a task. If the signal is aborted, the agent stops thinking. Before the answer, `onNews` gets what the
 * server tells: `{doing}`, which is "starting" or "thinking", and `{answer}`, that of a less deep search.
 */
export async function think(agent, task, record, signal, onNews = _news => {}) {
  for (;;) {
    const answer = await send("think", { agent, task, record }, signal, "low"); // the browser sends all other requests first
    for await (const news of linesOf(answer, signal)) {
      if (news.error !== undefined) throw new Refused(news.error, news);
      if (news.isLast) return news.answer;
      onNews(news);
    }
    await untilBack(signal);
  }
}
