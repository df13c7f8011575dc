// A card about an agent that failed: who, what, where, and what a person can do.

import { button, html } from "./elements.js";

/**
 * @param {Error & {details?: any}} error the server's answer
 * @param {{retry: () => void, other: () => void}} ways to go on
 */
export function errorCard({ message, details = {} }, { retry, other }) {
  const { agent, type, where } = details;
  return html("div", { class: "failure", role: "alert" },
    html("p", {}, html("strong", {}, agent ? `${agent} failed` : "This did not work"), ...(type ? [`: ${type}`] : [])),
    html("p", { class: "message" }, message),
    ...(where ? [html("details", {}, html("summary", {}, "where"), html("pre", { tabindex: 0 }, where))] : []),
    html("p", { class: "small" }, button("Retry", retry), button("Another agent", other)));
}
