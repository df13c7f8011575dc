// Shows the results of benchmarks and tournaments, which the server reads from files, as tables and bars.

import { crosstable } from "./crosstable.js";
import { html, svg, wide } from "./elements.js";
import { eloText, scoreText, valueText } from "./values.js";

/** The results of one file. `open(file, number)` replays a recorded game. */
export function resultsView(content, open) {
  const { name, title, about, facts, matches } = content;
  return html("article", {},
    html("h3", {}, title),
    html("p", { class: "faint" }, [name === title ? "" : name, about].filter(Boolean).join(": ")),
    ...(facts.length ? [html("dl", {}, ...facts.flatMap(([term, text]) => [html("dt", {}, term), html("dd", {}, text)]))] : []),
    ...(matches.length ? [matchTable(matches)] : []),
    ...(content.standings ? [crosstable(content, open)] : []));
}

function matchTable(matches) {
  const rated = matches.some(({ elo }) => elo !== null);
  const head = ["against", ...(rated ? ["Elo"] : []), "won", "drawn", "lost", "score"];
  const rows = matches.map(({ opponent, elo, wins, draws, losses, score, interval, expected, discs }) => html("tr", {},
    html("td", {}, opponent),
    ...(rated ? [html("td", {}, elo === null ? "" : eloText(elo))] : []),
    ...[wins, draws, losses].map(count => html("td", {}, String(count))),
    html("td", {}, scoreText(score)),
    html("td", { class: "bar" }, scoreBar(score, interval, expected)),
    html("td", {}, valueText(discs))));
  const names = [...head.map(text => html("th", { scope: "col" }, text)), html("td", { class: "bar" }), html("th", { scope: "col" }, "discs")];
  return wide("Matches",
    html("table", {}, html("thead", {}, html("tr", {}, ...names)), html("tbody", {}, ...rows)));
}

/** A score with its interval, and a dashed line at the score that was expected. */
function scoreBar(score, [low, high], expected) {
  const label = `${scoreText(low)} to ${scoreText(high)}` + (expected === null ? "" : `, expected ${scoreText(expected)}`);
  const line = (at, more) => svg("line", { x1: 100 * at, x2: 100 * at, y1: 0, y2: 12, stroke: "currentColor", "vector-effect": "non-scaling-stroke", ...more });
  return svg("svg", { viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("title", {}, label),
    svg("rect", { y: 3, width: 100, height: 6, rx: 2, fill: "currentColor", "fill-opacity": .12 }),
    svg("rect", { y: 3, width: 100 * score, height: 6, rx: 2, fill: "var(--accent)" }),
    line(.5, { "stroke-opacity": .5 }),
    ...(expected === null ? [] : [line(expected, { "stroke-dasharray": "2 2" })]),
    svg("line", { x1: 100 * low, x2: 100 * high, y1: 6, y2: 6, stroke: "currentColor", "stroke-width": 2, "vector-effect": "non-scaling-stroke" }));
}
