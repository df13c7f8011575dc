// Shows the results of benchmarks and training, which the server reads from files, as tables, bars and learning curves.

import { crosstable } from "./crosstable.js";
import { html, pathThrough, svg } from "./elements.js";
import { tickText, ticks, valueText } from "./values.js";

const COLOURS = ["var(--accent)", "#c2702c", "#5577c8", "#a8539b", "#8a8a2a", "#4a9aa8"];
const LEFT = 40;
const RIGHT = 392;
const TOP = 10;
const BOTTOM = 100;

/** The results of one file. `open(file, number)` replays a recorded game. */
export function resultsView(content, open) {
  const { name, title, about, facts, matches, curves, ladder } = content;
  return html("article", {},
    html("h3", {}, title),
    html("p", { class: "faint" }, [name === title ? "" : name, about].filter(Boolean).join(": ")),
    ...(facts.length ? [html("dl", {}, ...facts.flatMap(([term, text]) => [html("dt", {}, term), html("dd", {}, text)]))] : []),
    ...(matches.length ? [matchTable(matches)] : []),
    ...(ladder?.length ? [ladderTable(ladder)] : []),
    ...(content.standings ? [crosstable(content, open)] : []),
    ...curves.map(learningCurve));
}

/** A table of the opponents on the packaged ladder and the rated agent. Each has a point; the agent has an interval. */
function ladderTable(ladder) {
  const ends = ladder.flatMap(({ elo, interval }) => [elo, ...(interval ?? [])]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const x = elo => 4 + 192 * (elo - low) / (high - low || 1);
  const rows = ladder.map(({ name, elo, interval }) => html("tr", { class: interval ? "rated" : null }, html("th", { scope: "row" }, name),
    html("td", {}, elo.toFixed(0)),
    html("td", { class: "bar" }, svg("svg", { viewBox: "0 0 200 12", role: "img", "aria-label": interval ? `${interval.map(end => end.toFixed(0)).join(" to ")}` : elo.toFixed(0) },
      ...(interval ? [svg("line", { x1: x(interval[0]), x2: x(interval[1]), y1: 6, y2: 6, stroke: "var(--accent)", "stroke-width": 4 })] : []),
      svg("circle", { cx: x(elo), cy: 6, r: interval ? 5 : 3, fill: interval ? "var(--accent)" : "currentColor" })))));
  return html("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Ladder" }, html("table", { class: "ladder" },
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "on the ladder"), html("th", { scope: "col" }, "Elo"), html("td", { class: "bar" }))),
    html("tbody", {}, ...rows)));
}

const percent = share => `${(100 * share).toFixed(1)}%`;

function matchTable(matches) {
  const rated = matches.some(({ elo }) => elo !== null);
  const head = ["against", ...(rated ? ["Elo"] : []), "won", "drawn", "lost", "score"];
  const rows = matches.map(({ opponent, elo, wins, draws, losses, score, interval, expected, discs }) => html("tr", {},
    html("td", {}, opponent),
    ...(rated ? [html("td", {}, elo === null ? "" : elo.toFixed(0))] : []),
    ...[wins, draws, losses].map(count => html("td", {}, String(count))),
    html("td", {}, percent(score)),
    html("td", { class: "bar" }, scoreBar(score, interval, expected)),
    html("td", {}, valueText(discs))));
  const names = [...head.map(text => html("th", { scope: "col" }, text)), html("td", { class: "bar" }), html("th", { scope: "col" }, "discs")];
  return html("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Matches" },
    html("table", {}, html("thead", {}, html("tr", {}, ...names)), html("tbody", {}, ...rows)));
}

/** A score with its interval, and a dashed line at the score that was expected. */
function scoreBar(score, [low, high], expected) {
  const label = `${percent(low)} to ${percent(high)}` + (expected === null ? "" : `, expected ${percent(expected)}`);
  const line = (at, more) => svg("line", { x1: 100 * at, x2: 100 * at, y1: 0, y2: 12, stroke: "currentColor", "vector-effect": "non-scaling-stroke", ...more });
  return svg("svg", { viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("title", {}, label),
    svg("rect", { y: 3, width: 100, height: 6, rx: 2, fill: "currentColor", "fill-opacity": .12 }),
    svg("rect", { y: 3, width: 100 * score, height: 6, rx: 2, fill: "var(--accent)" }),
    line(.5, { "stroke-opacity": .5 }),
    ...(expected === null ? [] : [line(expected, { "stroke-dasharray": "2 2" })]),
    svg("line", { x1: 100 * low, x2: 100 * high, y1: 6, y2: 6, stroke: "currentColor", "stroke-width": 2, "vector-effect": "non-scaling-stroke" }));
}

/** A chart of scores or of other numbers over the seconds, games or plies of training. Scores are from 0 to 1. */
function learningCurve({ what, over, lines }) {
  const all = lines.flatMap(({ points }) => points);
  const isScore = all.every(([, value]) => value >= 0 && value <= 1);
  const across = ticks(0, Math.max(...all.map(([at]) => at), 1e-9));
  const values = all.map(([, value]) => value);
  const up = isScore ? [0, .25, .5, .75, 1] : ticks(Math.min(...values), Math.max(...values, Math.min(...values) + 1e-6));
  const last = across.at(-1);
  const [least, most] = [up[0], up.at(-1)];
  const x = at => LEFT + (RIGHT - LEFT) * at / last;
  const y = value => BOTTOM - (BOTTOM - TOP) * (value - least) / (most - least);
  const text = (attributes, content) => svg("text", { "font-size": 9, fill: "currentColor", ...attributes }, content);
  const grid = up.flatMap(value => [
    svg("line", { x1: LEFT, x2: RIGHT, y1: y(value), y2: y(value), stroke: "currentColor", "stroke-opacity": .18 }),
    text({ x: LEFT - 4, y: y(value) + 3, "text-anchor": "end" }, isScore ? `${100 * value}%` : tickText(value)),
  ]);
  const feet = across.map((at, i) => text({ x: x(at), y: 113, "text-anchor": i === 0 ? "start" : i < across.length - 1 ? "middle" : "end" },
    tickText(at)));
  const curves = lines.flatMap(({ points }, i) => curve(points.map(([at, value]) => [x(at), y(value)]), colour(i)));
  return html("figure", {},
    svg("svg", { viewBox: "0 0 400 116", role: "img", "aria-label": `${what} over ${over}` }, ...grid, ...curves,
      ...feet),
    html("figcaption", {}, `${what} over ${over}`, html("ul", { class: "key" }, ...lines.map(({ name }, i) => keyEntry(name, colour(i))))));
}

const colour = index => COLOURS[index % COLOURS.length];

/** The elements that draw a line through points. For a single point, a dot. */
function curve(points, colour) {
  if (points.length === 1) return [svg("circle", { cx: points[0][0], cy: points[0][1], r: 3, fill: colour })];
  return [svg("path", { d: pathThrough(points), fill: "none", stroke: colour, "stroke-width": 2 })];
}

function keyEntry(name, colour) {
  return html("li", {},
    svg("svg", { viewBox: "0 0 20 10", "aria-hidden": "true" },
      svg("line", { x1: 0, x2: 20, y1: 5, y2: 5, stroke: colour, "stroke-width": 4 })), name);
}
