// The curves of the evaluation over a game, and the evaluation bar beside the board. When the pointer is over the curves,
// the values at that ply are shown. A click or a drag goes to the ply.

import { html, pathThrough, svg } from "./elements.js";
import { nice, number, scaleOf, valueText } from "./values.js";

const WIDTH = 400;
const HEIGHT = 120;
const EDGE = 8;
const FLOOR = 20; // with three players, the scale reaches at least up to this value

/**
 * @typedef {object} Point What an agent thinks of a position; see the server's Assessment.
 * @property {import("./values.js").Value[]} values for each player
 * @property {string} unit
 * @property {number | null} bound
 */

export class Course {
  /** `onPly(ply)` is called for a click and while the pointer is dragged. */
  constructor(parent, onPly) {
    this.parent = parent;
    this.onPly = onPly;
    this.plies = 0;
    this.cursor = 0;
    /** @type {(ply: number) => string} */
    this.texts = () => "";
    this.readout = html("p", { class: "faint", id: "curve-read" });
    this.dragging = false;
    parent.addEventListener("pointermove", event => this.moved(event));
    parent.addEventListener("pointerdown", event => {
      if (!this.chart?.contains(event.target)) return;
      this.dragging = true;
      parent.setPointerCapture(event.pointerId);
      this.moved(event);
    });
    for (const name of ["pointerup", "pointercancel"]) parent.addEventListener(name, () => { this.dragging = false; });
    parent.addEventListener("pointerleave", () => { if (!this.dragging) this.read(null); });
  }

  moved(event) {
    if (!this.chart) return;
    const box = this.chart.getBoundingClientRect();
    const along = (event.clientX - box.left) / box.width * WIDTH;
    const last = Math.max(1, this.plies - 1);
    const ply = Math.max(0, Math.min(this.plies - 1, Math.round((along - EDGE) / (WIDTH - 2 * EDGE) * last)));
    if (this.dragging && ply !== this.cursor) this.onPly(ply);
    this.read(ply);
  }

  /** Show the values of the curves at a ply. If `ply` is null, show them at the ply that is on the board. */
  read(ply) {
    this.hovered = ply;
    this.readout.textContent = this.texts(ply ?? this.cursor);
    this.pointer?.setAttribute("x1", this.x(ply ?? this.cursor));
    this.pointer?.setAttribute("x2", this.x(ply ?? this.cursor));
    this.pointer?.setAttribute("visibility", ply === null ? "hidden" : "visible");
  }

  /**
   * Draw the curves. For two players, each series is one line, with the values for the first player. For three players,
   * only the first series is drawn, with a line for each player. `plies` is the number of positions of the game, and
   * `texts(ply)` is the text that is shown for a ply.
   * @param {{name: string, colour: string, points: (Point | null)[]}[]} series
   */
  show(series, plies, cursor, players, texts) {
    if (this.hovered >= plies) this.hovered = null; // the game has become shorter
    Object.assign(this, { plies, cursor, texts });
    const two = players.length === 2;
    const last = Math.max(1, plies - 1);
    const [least, most] = two ? boundsOfTwo(series) : boundsOfMany(series, players.length);
    this.x = ply => EDGE + (WIDTH - 2 * EDGE) * ply / last;
    const y = value => EDGE + (HEIGHT - 2 * EDGE) * (most - number(value, most, least)) / (most - least);
    const lines = two
      ? series.map(({ name, colour, points }) => ({ name, colour, player: 0, points: inUnit(points, series) }))
      : players.map((player, index) => ({
        name: series[0]?.name ?? "", colour: `light-dark(${player.fill}, ${player.light})`, player: index, points: series[0]?.points ?? [],
      }));
    this.pointer = svg("line", { class: "pointer", y1: 0, y2: HEIGHT, stroke: "currentColor", "stroke-opacity": .7, visibility: "hidden" });
    this.chart = svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
      "aria-label": two ? `The course of the evaluation, good for ${players[0].name} above` : "The course of each player's evaluation",
    }, ...background(two), cursorLine(this.x(cursor)), this.pointer,
    ...lines.flatMap(({ points, player, colour }, index) => line(points, player, this.x, y, colour, "ab"[two ? index : 0])));
    const scale = value => valueText(value);
    this.parent.replaceChildren(html("div", { class: "course" }, this.chart,
      html("span", {}, two ? `${players[0].name}\n${scale(most)}` : scale(most)),
      html("span", { class: "middle" }, two ? "0" : ""),
      html("span", { class: "bottom" }, two ? `${scale(least)}\n${players[1].name}` : scale(least))), this.readout);
    this.read(this.hovered ?? null);
  }
}

const finite = (series, players) => series.flatMap(({ points }) => points.flatMap(point => point
  ? players.map(player => ({ value: point.values[player], bound: point.bound, unit: point.unit })) : []))
  .filter(({ value }) => Number.isFinite(value));

/**
 * Whether some values are in discs and others are not, for example because an engine solves only the end of the game.
 * The result of a finished game fits to all units.
 */
function isMixed(series) {
  const units = new Set(series.flatMap(({ points }) => points).map(point => point?.unit));
  return units.has("discs") && [...units].some(unit => unit && unit !== "discs" && unit !== "result");
}

/** The points of one line. Unless all values are in discs, a value in discs becomes a sure win, a draw or a sure loss. */
export function inUnit(points, series) {
  if (!isMixed(series)) return points;
  return points.map(point => point?.unit === "discs"
    ? { ...point, bound: null, values: point.values.map(value => value > 0 ? "inf" : value < 0 ? "-inf" : value) } : point);
}

/** The lowest and the highest value on the axis, for the curves of two players. */
export function boundsOfTwo(series) {
  const mixed = isMixed(series);
  const points = finite(series.map(each => ({ ...each, points: inUnit(each.points, series) })), [0]);
  // A draw that was solved has the value 0 in every unit, so it says nothing about the scale.
  const most = scaleOf(points.filter(({ unit }) => unit !== "result" && !(mixed && unit === "discs")));
  return [-most, most];
}

function boundsOfMany(series, players) {
  const known = finite(series.slice(0, 1), [...Array(players).keys()]).map(({ value }) => value);
  const least = Math.min(0, ...known);
  return [least < 0 ? -nice(-least) : 0, nice(Math.max(FLOOR, ...known))];
}

/** The background of the curves. For two players, this is the half above 0, and a line at 0. */
function background(two) {
  const ground = svg("rect", { width: WIDTH, height: two ? HEIGHT / 2 : HEIGHT, fill: "currentColor", "fill-opacity": .05 });
  if (!two) return [ground];
  return [ground, svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, stroke: "currentColor", "stroke-opacity": .3 })];
}

function cursorLine(x) {
  return svg("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, stroke: "currentColor", "stroke-opacity": .45, "stroke-dasharray": "4 3" });
}

/** The elements that draw one line and its points. */
function line(points, player, x, y, colour, name) {
  const known = [...points.entries()].filter(([, point]) => point).map(([ply, point]) => [ply, point.values[player]]);
  const follows = i => known[i - 1][0] === known[i][0] - 1;
  return [
    svg("path", {
      d: pathThrough(known.map(([ply, value]) => [x(ply), y(value)]), follows), fill: "none", stroke: colour, "stroke-width": 2.5,
      "vector-effect": "non-scaling-stroke", "stroke-linejoin": "round", ...(name === "b" ? { "stroke-dasharray": "6 3" } : {}),
    }),
    ...known.map(([ply, value]) => svg("ellipse", {
      cx: x(ply), cy: y(value), rx: 2.2, ry: 2.2, fill: colour, "data-ply": ply, "data-player": player, "data-value": value, "data-line": name,
    })),
  ];
}

/** The first player's share of the bar, from 0 to 1. Values that can be above 1 are scaled with tanh. */
export function barShare(value, unit, bound) {
  if (value === "inf") return 1;
  if (value === "-inf") return 0;
  return bound === 1 ? (1 + value) / 2 : (1 + Math.tanh(value / (unit === "discs" ? 16 : 50))) / 2;
}

/**
 * Show the evaluation bar. `point` is null if the value is not known yet. `drawn` is the point as the curve draws it.
 * @param {Point | null} point
 */
export function showBar(parent, point, players, name, drawn = point) {
  parent.hidden = players.length !== 2;
  const [first, second] = players;
  const share = drawn ? barShare(drawn.values[0], drawn.unit, drawn.bound) : .5;
  const text = point ? valueText(point.values[0], point.unit) : "";
  const label = point ? `${name}: ${text}${point.unit === "discs" ? " discs" : ""} for ${first.name}` : "no evaluation yet";
  parent.setAttribute("aria-label", label);
  parent.title = label;
  const fill = html("div", { class: "fill" });
  fill.style.height = `${(100 * share).toFixed(1)}%`;
  fill.style.background = first.fill;
  parent.style.background = second.light;
  parent.replaceChildren(fill, html("span", {}, text));
}
