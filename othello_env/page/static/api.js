// Requests to the server. If it does not answer, it is asked again until it does.

const RETRY_MS = 1000;
const NOT_YET = 202; // a long think: the page asks again, so that other tabs get the connection meanwhile
const CLOSING = 503;
const banner = document.getElementById("offline");
export const client = crypto.randomUUID();

/** An error that the server answered with. */
export class Refused extends Error {}

/** Wait for a time; it rejects when the signal is aborted. */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

/** Whether the server did not answer when it was last asked. */
export const isOffline = () => !banner.hidden;

/** The answer of the server, whatever it takes to get one. */
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

/** Show a banner until the server answers again, even if nothing waits for it any more. */
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

/** Rejects when a signal is aborted. */
function aborted(signal) {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** An answer that is no error. */
async function checked(answer) {
  if (answer.ok) return answer;
  let reason = `${answer.status} ${answer.statusText}`;
  try {
    reason = (await answer.json()).error ?? reason;
  } catch { /* no JSON: the status must do */ }
  throw new Refused(reason);
}

/** The JSON at a path. */
export async function get(path) {
  return (await checked(await insist(path, {}))).json();
}

/** The answer to a message, as a Response. */
export async function send(name, message, signal, priority = "auto") {
  return checked(await insist(`/api/${name}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(message), signal, priority,
  }));
}

/** The answer to a message, as JSON. */
export async function post(name, message, signal) {
  return (await send(name, message, signal)).json();
}

/** What an agent answers. Aborting the signal stops its thinking. */
export async function think(agent, task, record, signal, more = {}) {
  const message = { agent, task, record, client, ticket: crypto.randomUUID(), ...more };
  for (;;) {
    const answer = await send("think", message, signal, "low"); // all other requests go first
    if (answer.status !== NOT_YET) return answer.json();
  }
}
