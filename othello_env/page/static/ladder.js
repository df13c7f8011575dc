// The packaged ladders of opponents, with the agents that were rated on them.

import { html, svg, wide } from "./elements.js";
import { eloText, intervalText } from "./values.js";

/** @typedef {{name: string, elo: number, interval: (number | null)[], file?: string, ladder?: string}} Rated A rated agent; the results file `file` contains the agent's rating on `ladder`. */

/** The ladders on which agents were rated, each with its agents. @param {{name: string, rungs: Rated[]}[]} ladders @param {Rated[]} rated */
export function shownLadders(ladders, rated) {
  return ladders.map(ladder => ({ ladder, rated: rated.filter(each => each.ladder === ladder.name) })).filter(each => each.rated.length);
}

/** The rows of the ladder: its opponents and the rated agents, the strongest first. @param {Rated[]} rungs @param {Rated[]} rated */
export function ladderRows(rungs, rated) {
  const seen = new Set();
  const once = rated.filter(({ name, file, elo }) => {
    const key = JSON.stringify([name, file, elo]);
    return !seen.has(key) && seen.add(key);
  });
  return [...rungs.map(rung => ({ ...rung, isYours: false })), ...once.map(each => ({ ...each, isYours: true }))].sort((a, b) => b.elo - a.elo);
}

/** The table of the ladder: each agent has a point at its rating, and a line for the interval. */
export function ladderTable({ name, rungs }, rated) {
  const rows = ladderRows(rungs, rated);
  const ends = rows.flatMap(({ elo, interval }) => [elo, ...interval.filter(end => end !== null)]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const x = elo => 6 + 188 * (elo - least) / (most - least || 1);
  /** @param {{elo: number, interval: (number | null)[], isYours: boolean}} row */
  const line = ({ elo, interval: [low, high], isYours }) => svg("svg", { viewBox: "0 0 200 14", "aria-hidden": "true" },
    svg("line", { x1: x(low ?? least), x2: x(high ?? most), y1: 7, y2: 7, stroke: isYours ? "var(--accent)" : "currentColor", "stroke-opacity": isYours ? 1 : .45, "stroke-width": isYours ? 4 : 2 }),
    svg("circle", { cx: x(elo), cy: 7, r: isYours ? 5.5 : 3.5, fill: isYours ? "var(--accent)" : "currentColor" }));
  const body = rows.map(row => html("tr", { class: row.isYours ? "rated" : null },
    html("th", { scope: "row" }, row.name, ...(row.file ? [html("span", { class: "source" }, row.file)] : [])),
    html("td", {}, eloText(row.elo)), html("td", {}, intervalText(row.interval)), html("td", { class: "bar" }, line(row))));
  return wide("Table of the ladder", html("table", { class: "ladder" },
    html("thead", {}, html("tr", {}, ...[`on ${name}`, "Elo", "95% interval"].map(text => html("th", { scope: "col" }, text)), html("td", { class: "bar" }))),
    html("tbody", {}, ...body)));
}
