// The course of a game as a curve, and values as text.

import { html, pathThrough, svg } from "./elements.js";

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

/** A value as a number: a sure win is `most` and a sure loss `least`. */
export function number(value, most, least = -most) {
  return value === "inf" ? most : value === "-inf" ? least : value;
}

/**
 * The course of a game. `points` are the players' values by ply, null where they are not known. For two players it draws
 * the line of the first one, above and below 0; for more, a line for each.
 */
export function courseChart(points, cursor, players, onPly) {
  const two = players.length === 2;
  const drawn = two ? [0] : [...players.keys()];
  const known = points.flatMap(values => values ? drawn.map(player => values[player]) : []).filter(Number.isFinite);
  const most = two ? Math.max(...known.map(Math.abs), .001) : Math.max(...known, 1);
  const least = two ? -most : Math.min(...known, 0);
  const last = Math.max(1, points.length - 1);
  const place = {
    x: ply => EDGE + (WIDTH - 2 * EDGE) * ply / last,
    y: value => EDGE + (HEIGHT - 2 * EDGE) * (most - number(value, most, least)) / (most - least),
  };
  const colour = player => two ? "var(--accent)" : `light-dark(${players[player].fill}, ${players[player].light})`;
  const chart = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
    "aria-label": two ? `The evaluation's course, ${players[0].name} above` : "The course of each player's evaluation",
  }, ...background(two), cursorLine(place.x(cursor)), ...drawn.flatMap(player => course(points, player, place, colour(player))));
  chart.addEventListener("click", event => {
    const box = chart.getBoundingClientRect();
    const along = (event.clientX - box.left) / box.width * WIDTH;
    const ply = Math.round((along - EDGE) / (WIDTH - 2 * EDGE) * last);
    onPly(Math.max(0, Math.min(points.length - 1, ply)));
  });
  const scale = value => known.length ? valueText(value, "", "values") : "";
  return html("div", { class: "course" }, chart,
    html("span", {}, two ? `${players[0].name}\n${scale(most)}` : scale(most)),
    html("span", { class: "bottom" }, two ? `${scale(most)}\n${players[1].name}` : scale(least)));
}

/** The ground of the curve; for two players the half above 0 and the line of 0. */
function background(two) {
  const ground = svg("rect", { width: WIDTH, height: two ? HEIGHT / 2 : HEIGHT, fill: "currentColor", "fill-opacity": .05 });
  if (!two) return [ground];
  return [ground, svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, stroke: "currentColor", "stroke-opacity": .3 })];
}

function cursorLine(x) {
  return svg("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, stroke: "currentColor", "stroke-opacity": .45, "stroke-dasharray": "4 3" });
}

/** One player's line and its points. */
function course(points, player, { x, y }, colour) {
  const known = [...points.entries()].filter(([, values]) => values).map(([ply, values]) => [ply, values[player]]);
  const line = known.map(([ply, value]) => [x(ply), y(value)]);
  const follows = i => known[i - 1][0] === known[i][0] - 1;
  return [
    svg("path", {
      d: pathThrough(line, follows), fill: "none", stroke: colour, "stroke-width": 2.5, "vector-effect": "non-scaling-stroke",
      "stroke-linejoin": "round",
    }),
    ...known.map(([ply, value]) => svg("ellipse", {
      cx: x(ply), cy: y(value), rx: 2.5, ry: 2.5, fill: colour, "data-ply": ply, "data-player": player, "data-value": value,
    })),
  ];
}
