// What the page asks the server for. A server that does not answer is asked again until it does.

const RETRY_MS = 1000;
export const client = crypto.randomUUID();

/** An error that the server told. */
export class Refused extends Error {}

/** Wait for a time; aborting the signal rejects. */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

async function insist(path, options) {
  const banner = document.getElementById("offline");
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      const answer = await fetch(path, options);
      banner.hidden = true;
      return answer;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      banner.hidden = false;
      await pause(RETRY_MS, options.signal);
    }
  }
}

async function checked(answer) {
  if (answer.ok) return answer;
  let reason = `${answer.status} ${answer.statusText}`;
  try {
    reason = (await answer.json()).error ?? reason;
  } catch { /* no JSON: the status must do */ }
  throw new Refused(reason);
}

/** The JSON that a path has. */
export async function get(path) {
  return (await checked(await insist(path, {}))).json();
}

/** The answer to a message, as a Response. */
export async function send(name, message, signal) {
  return checked(await insist(`/api/${name}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(message), signal,
  }));
}

/** The answer to a message, as JSON. */
export async function post(name, message, signal) {
  return (await send(name, message, signal)).json();
}

/** What an agent answers; aborting the signal ends its thinking. */
export function think(agent, task, record, signal, more = {}) {
  return post("think", { agent, task, record, client, ...more }, signal);
}
