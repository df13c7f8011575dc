// The checkpoints in the watched folder. A person can play against a checkpoint, or choose it as the evaluator of the analysis.

import { byId, html, renew, wide } from "./elements.js";

const timeText = version => new Date(Number(version.split("-")[0]) / 1e6).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** The versions of the agents' files that the page has seen, also of agents that are not offered at the moment. */
export class Versions {
  constructor() { this.seen = new Map(); }

  /** Remember the versions of these agents. Return the specs of those whose files have changed since they were seen last. */
  take(agents) {
    const changed = agents.filter(({ spec, version }) => this.seen.has(spec) && this.seen.get(spec) !== version).map(({ spec }) => spec);
    for (const { spec, version } of agents) this.seen.set(spec, version);
    return changed;
  }
}

/**
 * Show the checkpoints among the agents. `leftOut` are the files that could not be loaded, including files of
 * leagues. `folder` is the path of the watched folder, or null. `play(agent)` and `look(agent)` are called when a
 * person chooses a checkpoint.
 */
export function showCheckpoints(agents, leftOut, titleOf, folder, { play, look }) {
  const nameOf = path => path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  const found = agents.filter(({ version }) => version); // also agents of the command whose files are in the folder
  byId("checkpoints-none").hidden = found.length > 0;
  const reasons = new Set(leftOut.filter(({ file }) => /\.(npz|safetensors|onnx)$/i.test(file)).map(({ reason }) => reason));
  byId("checkpoints-none").textContent = reasons.size ? `No file in the folder could be loaded as an agent: ${[...reasons].join("; ")}.`
    : folder ? "No file in the folder is an agent yet (.npz, .safetensors or .onnx). Agents appear here when the training saves them."
    : "With --runs FOLDER, the newest agents in the folder appear here, and you can play against them.";
  const rows = found.map(agent => {
    const button = (text, action) => {
      const made = html("button", { "aria-label": `${text} ${agent.spec}` }, text);
      made.addEventListener("click", () => action(agent));
      return made;
    };
    return html("tr", { "data-spec": agent.spec }, html("th", { scope: "row", title: agent.spec }, nameOf(agent.spec)),
      html("td", {}, html("span", { class: "small" }, button("Play", play), button("Analyse", look))),
      html("td", {}, agent.games.map(titleOf).join(", ")), html("td", {}, timeText(agent.version)));
  });
  renew(byId("checkpoints-list"), ...(found.length ? [wide("Table of checkpoints",
    html("table", {}, html("thead", {}, html("tr", {}, ...["agent", "open on the board", "plays", "saved"].map(text => html("th", { scope: "col" }, text)))), html("tbody", {}, ...rows)))] : []));
  const isOpen = byId("checkpoints-left").querySelector("details")?.open;
  byId("checkpoints-left").replaceChildren(...(leftOut.length ? [html("details", { class: "settings", open: isOpen ? "" : null },
    html("summary", {}, `${leftOut.length} ${leftOut.length === 1 ? "file" : "files"} could not be loaded`),
    html("ul", { class: "faint" }, ...leftOut.map(({ file, reason }) => html("li", {}, `${nameOf(file)}: ${reason}`))))] : []));
}
