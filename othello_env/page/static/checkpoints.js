// The checkpoints in the watched folder. A person can play against a checkpoint, or choose it as the evaluator of the analysis.

import { button, byId, headCell, html, renew, tableOf, wide } from "./elements.js";

const timeText = version => new Date(Number(version.split("-")[0]) / 1e6).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/**
 * Show the checkpoints among the agents. `leftOut` are the files that could not be loaded, including files of
 * leagues. `folder` is the path of the watched folder, or null. `play(agent)` and `look(agent)` are called when a
 * person chooses a checkpoint.
 */
export function showCheckpoints(agents, leftOut, titleOf, folder, { play, look }) {
  const nameOf = path => path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  const found = agents.filter(({ version }) => version); // also agents of the command whose files are in the folder
  byId("checkpoints-none").hidden = found.length > 0;
  byId("checkpoints-none").textContent = folder ? "No file in the folder is an agent yet (.npz, .safetensors or .onnx). Agents appear here when the training saves them."
    : "With --runs FOLDER, the newest agents in the folder appear here, and you can play against them.";
  const buttonOf = (text, action, agent) => button(text, () => action(agent), { "aria-label": `${text} ${agent.spec}` });
  const rows = found.map(agent => html("tr", { "data-spec": agent.spec }, html("th", { scope: "row", title: agent.spec }, nameOf(agent.spec)),
    html("td", {}, html("span", { class: "small" }, buttonOf("Play", play, agent), buttonOf("Analyse", look, agent))),
    html("td", {}, agent.games.map(titleOf).join(", ")), html("td", {}, timeText(agent.version))));
  const head = ["agent", "open on the board", "plays", "saved"].map(text => headCell(text));
  renew(byId("checkpoints-list"), ...(found.length ? [wide("Table of checkpoints", tableOf(head, rows))] : []));
  const isOpen = byId("checkpoints-left").querySelector("details")?.open ?? true;
  byId("checkpoints-left").replaceChildren(...(leftOut.length ? [html("details", { class: "settings", open: isOpen ? "" : null },
    html("summary", {}, `${leftOut.length} ${leftOut.length === 1 ? "file" : "files"} could not be loaded`),
    html("ul", { class: "faint" }, ...leftOut.map(({ file, reason }) => html("li", {}, `${nameOf(file)}: ${reason}`))))] : []));
}
