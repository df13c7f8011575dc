// The curves of the evaluation over a game, and the evaluation bar beside the board. When the pointer is over the curves,
// the values at that ply are shown. A click or a drag goes to the ply.

import { html, pathThrough, svg } from "./elements.js";
import { greatestOf, MOMENT, nice, number } from "./values.js";

const WIDTH = 400;
const HEIGHT = 120;
const EDGE = 8;
const NEAR = 14; // labels beside the chart are at least so far apart
const FLOOR = 20; // with three players, the scale reaches at least up to this value

/** @typedef {{slot: string, name: string, unit: string, colour: string, points: (Point | null)[]}} Series */
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
   * Draw the curves. For two players, each series is one line, good for the first player above 0, with a scale of its own.
   * For three players, only the first series is drawn, with a line for each player. `plies` is the number of positions of
   * the game, `blunders` are the plies whose moves were blunders, and `texts(ply)` is the text that is shown for a ply.
   * @param {Series[]} series
   */
  show(series, { plies, cursor, players, blunders, texts }) {
    if (this.hovered >= plies) this.hovered = null; // the game has become shorter
    Object.assign(this, { plies, cursor, texts });
    const two = players.length === 2;
    const last = Math.max(1, plies - 1);
    this.x = ply => EDGE + (WIDTH - 2 * EDGE) * ply / last;
    const lines = two ? series.map(each => lineOf(each, 0, each.colour)) : players.map((player, index) =>
      lineOf(series[0] ?? EMPTY, index, `light-dark(${player.fill}, ${player.light})`, boundsOfMany(series[0]?.points ?? [], players.length)));
    const zero = lines[0]?.y(0) ?? HEIGHT / 2;
    this.pointer = svg("line", { class: "pointer", y1: 0, y2: HEIGHT, stroke: "currentColor", "stroke-opacity": .7, visibility: "hidden" });
    this.chart = svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
      "aria-label": two ? `The course of the evaluation, good for ${players[0].name} above` : "The course of each player's evaluation",
    }, svg("rect", { width: WIDTH, height: zero, fill: "currentColor", "fill-opacity": .05 }),
    svg("line", { class: "zero", x1: 0, x2: WIDTH, y1: zero, y2: zero, stroke: "currentColor", "stroke-opacity": .3 }),
    cursorLine(this.x(cursor)), this.pointer,
    ...lines.flatMap((line, index) => drawn(line, this.x, two ? series[index].slot : "a")),
    ...blunders.map(ply => blunderMark(ply, this.x(ply), lines[0]?.at(ply) ?? zero)));
    this.parent.replaceChildren(legend(series, players),
      html("div", { class: "course" }, scaleOf(lines[0], two ? players : null, zero, "left"), this.chart,
        ...(two && lines[1] ? [scaleOf(lines[1], null, zero, "right")] : [])), this.readout);
    this.read(this.hovered ?? null);
  }
}

const EMPTY = { points: [], colour: "currentColor" };

/** What one line needs to be drawn: its points, its colour, and its scale from `least` to `most`. */
function lineOf({ points }, player, colour, [least, most] = boundsOfTwo(points)) {
  const y = value => EDGE + (HEIGHT - 2 * EDGE) * (most - number(value, most, least)) / (most - least);
  return { points, player, colour, least, most, y, at: ply => points[ply] ? y(points[ply].values[player]) : null };
}

/**
 * The labels beside the chart: the ends of a line's scale, 0, and for two players who is ahead at each end. The number is
 * the outermost line of its label, so that it stands at the height of its value. An end too near to 0 has no label.
 */
function scaleOf(line, players, zero, side) {
  const label = (text, y) => {
    const made = html("span", {}, text);
    made.style.top = `${(100 * y / HEIGHT).toFixed(1)}%`;
    return made;
  };
  const end = (value, y) => Math.abs(y - zero) < NEAR ? "" : Math.abs(value) >= 1 ? `${value > 0 || players ? "" : "−"}${Math.abs(value)}` : String(value);
  const [most, least] = line ? [end(line.most, 0), end(side === "right" ? -line.least : line.least, HEIGHT)] : ["", ""];
  const made = html("div", { class: `scale ${side}` },
    label(players ? `${most}\n${players[0].name}` : most, 0), label("0", zero), label(players ? `${players[1].name}\n${least}` : least, HEIGHT));
  if (!players && side === "right") made.style.color = line.colour;
  return made;
}

const titleOf = (slot, name, unit) => `${slot.toUpperCase()} ${name}${unit ? `: ${unit}` : ""}`;

/** A line above the chart: what each curve shows, with its unit. */
function legend(series, players) {
  const entry = (text, colour) => {
    const made = html("span", {}, text);
    made.style.color = colour;
    return made;
  };
  const entries = players.length === 2
    ? series.map(({ slot, name, unit, colour }) => entry(titleOf(slot, name, unit), colour))
    : [...series.slice(0, 1).map(({ slot, name, unit }) => entry(titleOf(slot, name, unit && unit + MOMENT), "")),
      ...players.map(({ name, fill, light }) => entry(`— ${name}`, `light-dark(${fill}, ${light})`))];
  return html("p", { class: "legend" }, ...entries);
}

/** The lowest and the highest value on the scale of a curve, for two players. */
export function boundsOfTwo(points) {
  const most = greatestOf(points.filter(point => point !== null).map(({ values, bound }) => ({ value: values[0], bound })));
  return [-most, most];
}

function boundsOfMany(points, players) {
  const known = points.filter(point => point !== null).flatMap(({ values }) => values.slice(0, players)).filter(Number.isFinite);
  const least = Math.min(0, ...known);
  return [least < 0 ? -nice(-least) : 0, nice(Math.max(FLOOR, ...known))];
}

function cursorLine(x) {
  return svg("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, stroke: "currentColor", "stroke-opacity": .45, "stroke-dasharray": "4 3" });
}

/** The mark of a blunder: a red ring on the curve. */
const blunderMark = (ply, x, y) => svg("ellipse", {
  class: "blunder", cx: x, cy: y, rx: 3.6, ry: 5.5, fill: "none", stroke: "var(--bad)", "stroke-width": 2.5, "vector-effect": "non-scaling-stroke", "data-blunder": ply,
}, svg("title", {}, `ply ${ply} was a blunder`));

/** The elements that draw one line and its points. */
function drawn({ points, player, y, colour }, x, name) {
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

/** The first player's share of the bar, from 0 to 1. Values that can be above 1 come closer and closer to its ends. */
export function barShare(value, bound) {
  if (value === "inf") return 1;
  if (value === "-inf") return 0;
  return bound === 1 ? (1 + value) / 2 : (1 + Math.tanh(value / (bound ? bound / 4 : 50))) / 2;
}

/**
 * Show the evaluation bar. `point` is null if the value is not known yet. `text` is the number in the bar. It stands at the
 * end of the `player` that it is for. `label` is the number with its unit and its player.
 * @param {Point | null} point
 */
export function showBar(parent, point, players, { text, player, label }) {
  parent.hidden = players.length !== 2;
  const [first, second] = players;
  parent.setAttribute("aria-label", label);
  parent.title = label;
  const fill = html("div", { class: "fill" });
  fill.style.height = `${(100 * (point ? barShare(point.values[0], point.bound) : .5)).toFixed(1)}%`;
  fill.style.background = `light-dark(${first.fill}, ${first.light})`;
  parent.style.background = second.light;
  parent.replaceChildren(fill, html("span", { class: player ? "top" : null }, text));
}
