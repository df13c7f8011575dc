// Requests to the server. If the server does not answer, the request is sent again until the server answers.

import { pause, Refused } from "./waiting.js";

const RETRY_MS = 1000;
const NOT_YET = 202; // the agent is still thinking; the page asks again, and in between other tabs can send requests
const NO_CONTENT = 204;
const CLOSING = 503;
const banner = document.getElementById("offline");

/** The answer of the server. The request is repeated until there is an answer. */
async function insist(path, options) {
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      const answer = await fetch(path, options);
      if (answer.status !== CLOSING) return answer;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await Promise.race([untilBack(), aborted(options.signal)]);
  }
}

let back = null;

/** Show a banner until the server answers again. Then the promise resolves. */
function untilBack() {
  return back ??= (async () => {
    banner.hidden = false;
    for (let answers = false; !answers;) {
      await pause(RETRY_MS);
      answers = await fetch("/api/offers").then(answer => answer.ok, () => false);
    }
    banner.hidden = true;
    back = null;
  })();
}

/** A promise that rejects when a signal is aborted. */
function aborted(signal) {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Return an answer; throw `Refused` if the answer is an error. */
async function checked(answer) {
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({})); // if the answer is not JSON, the status is the reason
  throw new Refused(told.error ?? `${answer.status} ${answer.statusText}`, told);
}

/** The JSON at a path; null if the answer has no content. */
export async function get(path) {
  const answer = await checked(await insist(path, {}));
  return answer.status === NO_CONTENT ? null : answer.json();
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

/**
 * An agent's answer to a task. If the signal is aborted, the agent stops thinking. Until the answer is there,
 * `onNews({doing, answer})` is called again and again: `doing` is "waiting", "loading" or "thinking", and `answer` is the
 * answer of a less deep search, or null.
 */
export async function think(agent, task, record, signal, onNews = _news => {}) {
  const message = { agent, task, record, request: crypto.randomUUID() };
  for (;;) {
    const answer = await send("think", message, signal, "low"); // the browser sends all other requests first
    const content = await answer.json();
    if (answer.status !== NOT_YET) return content;
    onNews(content);
  }
}
