// The packaged ladders of opponents, with the agents that were rated on them.

import { headCell, html, tableOf, wide } from "./elements.js";

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

/** The table of the ladder. */
export function ladderTable({ name, rows }) {
  const body = rows.map(row => html("tr", { class: row.file ? "rated" : null },
    html("th", { scope: "row" }, row.name, ...(row.file ? [html("span", { class: "source" }, row.file)] : [])),
    html("td", {}, row.text), html("td", {}, row.range)));
  return wide("Table of the ladder", tableOf([`on ${name}`, "Elo", "95% interval"].map(text => headCell(text)), body));
}
