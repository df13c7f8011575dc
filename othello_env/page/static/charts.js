// Curves and bars.

import { html, svg } from "./svg.js";

const WIDTH = 400;
const HEIGHT = 120;
const EDGE = 8;

/** A value as text, signed; `inf` is a sure win. */
export function valueText(value, unit, kind) {
  if (value === "inf") return "win";
  if (value === "-inf") return "loss";
  if (kind === "probabilities") return `${Math.round(100 * value)}%`;
  const rounded = Number.isInteger(value) || unit === "discs" ? String(Math.round(Math.abs(value)))
    : Math.abs(value).toFixed(Math.abs(value) < 10 ? 2 : 1);
  const sign = Number(rounded) === 0 ? "" : value > 0 ? "+" : "−";
  return sign + rounded;
}

/** A value as a number, a sure win being `most` and a sure loss `least`. */
export function number(value, most, least = -most) {
  return value === "inf" ? most : value === "-inf" ? least : value;
}

/**
 * The course of a game: `points` are the players' values by ply, null where unknown. Of two players the first one's line
 * is drawn, about 0; of more each one's.
 */
export function courseChart(points, cursor, players, onPly) {
  const two = players.length === 2;
  const drawn = two ? [0] : [...players.keys()];
  const known = points.flatMap(values => values ? drawn.map(player => values[player]) : []).filter(Number.isFinite);
  const most = two ? Math.max(...known.map(Math.abs), .001) : Math.max(...known, 1);
  const least = two ? -most : Math.min(...known, 0);
  const x = ply => EDGE + (WIDTH - 2 * EDGE) * ply / Math.max(1, points.length - 1);
  const y = value => EDGE + (HEIGHT - 2 * EDGE) * (most - number(value, most, least)) / (most - least);
  const course = player => {
    const colour = two ? "var(--accent)" : players[player].fill;
    const dots = [...points.entries()].filter(([, values]) => values).map(([ply, values]) => [ply, values[player]]);
    const line = dots.map(([ply, value], i) => `${i ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    return [
      svg("path", { d: line, fill: "none", stroke: colour, "stroke-width": 2.5, "vector-effect": "non-scaling-stroke", "stroke-linejoin": "round" }),
      ...dots.map(([ply, value]) => svg("ellipse", {
        cx: x(ply), cy: y(value), rx: 2.5, ry: 2.5, fill: colour, "data-ply": ply, "data-player": player, "data-value": value,
      })),
    ];
  };
  const chart = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
    "aria-label": two ? `The evaluation's course, ${players[0].name} above` : "The course of each player's evaluation",
  },
  ...(two ? [
    svg("rect", { width: WIDTH, height: HEIGHT / 2, fill: "currentColor", "fill-opacity": .05 }),
    svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, stroke: "currentColor", "stroke-opacity": .3 }),
  ] : [svg("rect", { width: WIDTH, height: HEIGHT, fill: "currentColor", "fill-opacity": .05 })]),
  svg("line", { x1: x(cursor), x2: x(cursor), y1: 0, y2: HEIGHT, stroke: "currentColor", "stroke-opacity": .45, "stroke-dasharray": "4 3" }),
  ...drawn.flatMap(course));
  chart.addEventListener("click", event => {
    const box = chart.getBoundingClientRect();
    const along = (event.clientX - box.left) / box.width * WIDTH;
    const ply = Math.round((along - EDGE) / (WIDTH - 2 * EDGE) * Math.max(1, points.length - 1));
    onPly(Math.max(0, Math.min(points.length - 1, ply)));
  });
  const scale = value => known.length ? valueText(value, "", "values") : "";
  return html("div", { class: "course" }, chart,
    html("span", { class: "top" }, two ? `${players[0].name} ${scale(most)}` : scale(most)),
    html("span", { class: "bottom" }, two ? `${players[1].name} ${scale(most)}` : scale(least)));
}

/** A benchmark's results as a table with bars, and its learning curve. */
export function resultsView({ name, content }) {
  const head = ["against", "won", "drawn", "lost", "score", "", "discs"].map(text => html("th", { scope: "col" }, text));
  const rows = content.results.map(row => html("tr", {},
    html("td", {}, String(row.opponent)),
    ...[row.wins, row.draws, row.losses].map(count => html("td", {}, String(count))),
    html("td", {}, percent(row.score)),
    html("td", {}, scoreBar(row.score, row.interval95)),
    html("td", {}, valueText(Number(row.mean_disc_difference), "", "values"))));
  const parts = [
    html("h3", {}, String(content.agent ?? name)),
    html("p", { class: "faint" }, `${name}: ${content.games} games against each, openings ${content.openings}, seed ${content.seed}`),
    html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows)),
  ];
  const curve = content.training?.curve;
  if (Array.isArray(curve) && curve.length > 1) parts.push(learningCurve(curve, content.training.yardstick));
  return html("article", {}, ...parts);
}

const percent = share => `${(100 * Number(share)).toFixed(1)}%`;

function scoreBar(score, interval) {
  const [low, high] = Array.isArray(interval) ? interval.map(Number) : [score, score];
  return svg("svg", { viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": `${percent(low)} to ${percent(high)}` },
    svg("rect", { y: 3, width: 100, height: 6, rx: 2, fill: "currentColor", "fill-opacity": .12 }),
    svg("rect", { y: 3, width: 100 * score, height: 6, rx: 2, fill: "var(--accent)" }),
    svg("line", { x1: 50, x2: 50, y1: 0, y2: 12, stroke: "currentColor", "stroke-opacity": .5, "vector-effect": "non-scaling-stroke" }),
    svg("line", { x1: 100 * low, x2: 100 * high, y1: 6, y2: 6, stroke: "currentColor", "stroke-width": 2, "vector-effect": "non-scaling-stroke" }));
}

function learningCurve(curve, yardstick) {
  const last = Math.max(...curve.map(point => Number(point[0])), 1e-9);
  const place = ([at, score]) => [30 + 360 * at / last, 10 + 90 * (1 - score)];
  const line = curve.map((point, i) => `${i ? "L" : "M"}${place(point.map(Number)).map(v => v.toFixed(1)).join(" ")}`).join("");
  const grid = [0, .5, 1].flatMap(score => [
    svg("line", { x1: 30, x2: 390, y1: 10 + 90 * (1 - score), y2: 10 + 90 * (1 - score), stroke: "currentColor", "stroke-opacity": .18 }),
    svg("text", { x: 26, y: 13 + 90 * (1 - score), "font-size": 9, "text-anchor": "end", fill: "currentColor" }, percent(score).replace(".0", "")),
  ]);
  return html("figure", {},
    svg("svg", { viewBox: "0 0 400 116", role: "img", "aria-label": "Learning curve" }, ...grid,
      svg("path", { d: line, fill: "none", stroke: "var(--accent)", "stroke-width": 2 }),
      svg("text", { x: 390, y: 113, "font-size": 9, "text-anchor": "end", fill: "currentColor" }, `${last.toFixed(0)} s`)),
    html("figcaption", {}, `Learning: the score against ${yardstick} by seconds of training`));
}
