// Shows the results of benchmarks and tournaments, which the server reads from files, as tables and bars.

import { crosstable } from "./crosstable.js";
import { headCell, html, svg, tableOf, wide } from "./elements.js";

/** The results of one file: a report with its parts, or the records of a tournament. The agents `elsewhere` have their rating in another place of the screen; `isRated` is false if that of the report comes from another file. `open(file, number)` replays a recorded game. */
export function resultsView(content, elsewhere, isRated, open) {
  const { name, title, about } = content;
  return html("article", {},
    html("h3", {}, title),
    html("p", { class: "faint" }, [name === title ? "" : name, about].filter(Boolean).join(": ")),
    ...(content.parts ?? []).flatMap(part => partView(part, isRated)),
    ...(content.standings ? [crosstable(content, elsewhere, open)] : []));
}

function partView({ how, facts, tables, notes }, isRated) {
  const told = facts.map(([term, text]) => [term, term === "Elo" && !isRated ? "see the ladder, which has a closer rating of this agent" : text]);
  return [
    ...(told.length ? [html("dl", {}, ...told.flatMap(([term, text]) => [html("dt", {}, term), html("dd", {}, text)]))] : []),
    ...(how ? [html("p", { class: "faint" }, how)] : []),
    ...tables.map(tableView),
    ...notes.map(note => html("p", {}, note)),
  ];
}

/** A table. A column with bars takes two columns: the numbers, and the bars. */
function tableView({ columns, rows }) {
  const barred = columns.map((_, i) => rows.some(row => row[i].bar));
  const head = columns.flatMap((name, i) => [headCell(name), ...(barred[i] ? [html("td", { class: "bar" })] : [])]);
  const line = row => row.flatMap(({ text, bar }, i) => [html("td", {}, text), ...(barred[i] ? [html("td", { class: "bar" }, ...(bar ? [barView(bar)] : []))] : [])]);
  return wide("Results", tableOf(head, rows.map(row => html("tr", {}, ...line(row)))));
}

/** A score or share with its interval, and a dashed line at what was expected. */
function barView({ at, interval: [low, high], chance, label }) {
  const line = (x, more) => svg("line", { x1: 100 * x, x2: 100 * x, y1: 0, y2: 12, stroke: "currentColor", "vector-effect": "non-scaling-stroke", ...more });
  return svg("svg", { viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("title", {}, label),
    svg("rect", { y: 3, width: 100, height: 6, rx: 2, fill: "currentColor", "fill-opacity": .12 }),
    svg("rect", { y: 3, width: 100 * at, height: 6, rx: 2, fill: "var(--accent)" }),
    line(.5, { "stroke-opacity": .5 }),
    ...(chance === null ? [] : [line(chance, { "stroke-dasharray": "2 2" })]),
    svg("line", { x1: 100 * low, x2: 100 * high, y1: 6, y2: 6, stroke: "currentColor", "stroke-width": 2, "vector-effect": "non-scaling-stroke" }));
}
