// What requests to a server and the answers of a file without a server have in common.

/** The server answered with an error. If an agent failed, `details` has the `agent`, and what is known about its error. */
export class Refused extends Error {
  constructor(message, details = {}) {
    super(message);
    this.details = details;
  }
}

/** Wait for a time in ms. The promise rejects when the signal is aborted. */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}
