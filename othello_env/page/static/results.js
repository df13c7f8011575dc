// Shows the results of benchmarks and tournaments, which the server reads from files, as tables.

import { crosstable } from "./crosstable.js";
import { headCell, html, tableOf, wide } from "./elements.js";

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

function tableView({ columns, rows }) {
  return wide("Results", tableOf(columns.map(name => headCell(name)), rows.map(row => html("tr", {}, ...row.map(text => html("td", {}, text))))));
}
