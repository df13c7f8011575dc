// The packaged ladders of opponents, with the agents that were rated on them.

import { headCell, html, svg, tableOf, wide } from "./elements.js";

/** @typedef {{name: string, elo: number, interval: (number | null)[], text: string, range: string, file?: string, ladder?: string}} Rated A rated agent; the results file `file` contains the agent's rating on `ladder`. */

/** The width of a rating's interval. @param {Rated} rated */
const width = ({ interval: [low, high] }) => (high ?? Infinity) - (low ?? -Infinity);

/**
 * The ladders on which agents were rated, each with its rows: the opponents and the rated agents, the strongest first. Of
 * several ratings of an agent, the one with the narrowest interval is shown; an opponent that was rated again has only this
 * rating.
 * @param {{name: string, rungs: Rated[]}[]} ladders @param {Rated[]} rated
 */
export function shownLadders(ladders, rated) {
  return ladders.map(({ name, rungs }) => {
    const wideFirst = rated.filter(({ ladder }) => ladder === name).sort((one, other) => width(other) - width(one));
    const yours = new Map(wideFirst.map(each => [each.name, each]));
    const others = rungs.filter(rung => !yours.has(rung.name));
    return { name, rows: yours.size ? [...others, ...yours.values()].sort((a, b) => b.elo - a.elo) : [] };
  }).filter(({ rows }) => rows.length);
}

/** The table of the ladder: each agent has a point at its rating, and a line for the interval. */
export function ladderTable({ name, rows }) {
  const ends = rows.flatMap(({ elo, interval }) => [elo, ...interval.filter(end => end !== null)]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const x = elo => 6 + 188 * (elo - least) / (most - least || 1);
  /** @param {Rated} row A rung has no file. */
  const line = ({ elo, interval: [low, high], file: isYours }) => svg("svg", { viewBox: "0 0 200 14", "aria-hidden": "true" },
    svg("line", { x1: x(low ?? least), x2: x(high ?? most), y1: 7, y2: 7, stroke: isYours ? "var(--accent)" : "currentColor", "stroke-opacity": isYours ? 1 : .45, "stroke-width": isYours ? 4 : 2 }),
    svg("circle", { cx: x(elo), cy: 7, r: isYours ? 5.5 : 3.5, fill: isYours ? "var(--accent)" : "currentColor" }));
  const body = rows.map(row => html("tr", { class: row.file ? "rated" : null },
    html("th", { scope: "row" }, row.name, ...(row.file ? [html("span", { class: "source" }, row.file)] : [])),
    html("td", {}, row.text), html("td", {}, row.range), html("td", { class: "bar" }, line(row))));
  const head = [...[`on ${name}`, "Elo", "95% interval"].map(text => headCell(text)), html("td", { class: "bar" })];
  return wide("Table of the ladder", tableOf(head, body, { class: "ladder" }));
}
