// The curves of the evaluation over a game, and the evaluation bar beside the board. When the pointer is over the curves,
// the values at that ply are shown. A click or a drag goes to the ply.

import { html, svg } from "./elements.js";
import { readingText } from "./reading.js";
import { greatestOf, nice, number, ticks, tickText, valueText } from "./values.js";

const HEIGHT = 150;
const EDGE = 10;
const FLOOR = 20; // with three players, the scale reaches at least up to this value
const TEN = 10; // there is a line of the grid at every tenth ply

/** @typedef {import("./reading.js").Reading} Reading */
/** @typedef {{slot: string, name: string, colour: string, points: (Reading | null)[]}} Series */

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
    this.width = 0;
    this.redraw = () => {};
    for (const name of ["pointermove", "pointerdown"]) parent.addEventListener(name, event => this.moved(event));
    parent.addEventListener("pointerleave", () => this.read(null));
    new ResizeObserver(() => { if (parent.clientWidth !== this.width) this.redraw(); }).observe(parent);
  }

  moved(event) {
    if (!this.chart?.contains(event.target)) return;
    const box = this.chart.getBoundingClientRect();
    const along = (event.clientX - box.left - EDGE) / (box.width - 2 * EDGE);
    const ply = Math.max(0, Math.min(this.plies - 1, Math.round(along * Math.max(1, this.plies - 1))));
    if (event.buttons && ply !== this.cursor) this.onPly(ply);
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
   * Draw the curves. For two players, each series is one line, good for the first player above 0. Series in the same unit
   * have one scale. For three players, only the first series is drawn, with a line for each player. `blunders` are the plies
   * whose moves were blunders, and `texts(ply)` is the text that is shown for a ply.
   * @param {Series[]} series
   */
  show(series, { cursor, players, blunders, texts }) {
    this.redraw = () => this.show(series, { cursor, players, blunders, texts });
    const plies = series[0]?.points.length ?? 1;
    if (this.hovered >= plies) this.hovered = null; // the game has become shorter
    Object.assign(this, { plies, cursor, texts, width: this.parent.clientWidth });
    const two = players.length === 2;
    const lines = two ? linesOf(series, players) : players.map((player, index) => lineOf(series[0] ?? EMPTY, index,
      `light-dark(${player.fill}, ${player.light})`, boundsOfMany(series[0]?.points ?? [], players.length)));
    const scale = lines[0] ?? lineOf(EMPTY, 0, "", [-1, 1]);
    const isShared = lines.every(({ least, most }) => least === scale.least && most === scale.most);
    const width = Math.max(120, this.width - (isShared ? SCALE : 2 * SCALE));
    this.x = ply => EDGE + (width - 2 * EDGE) * ply / Math.max(1, plies - 1);
    this.pointer = svg("line", { class: "pointer", y1: 0, y2: HEIGHT, stroke: "currentColor", "stroke-opacity": .7, visibility: "hidden" });
    const marks = ticks(scale.least, scale.most, 4).filter(value => value >= scale.least && value <= scale.most);
    this.chart = svg("svg", {
      viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img",
      "aria-label": two ? `The course of the evaluation, good for ${players[0].name} above` : "The course of each player's evaluation",
    }, ...marks.map(value => gridLine({ x1: 0, x2: width, y1: scale.y(value), y2: scale.y(value) }, value === 0)),
    ...Array.from({ length: Math.ceil(plies / TEN) }, (_, i) => gridLine({ x1: this.x(TEN * i), x2: this.x(TEN * i), y1: 0, y2: HEIGHT })),
    svg("line", { x1: this.x(cursor), x2: this.x(cursor), y1: 0, y2: HEIGHT, stroke: "currentColor", "stroke-opacity": .6, "stroke-dasharray": "4 3" }), this.pointer,
    ...lines.flatMap((line, index) => drawn(line, this.x, two ? series[index].slot : "a")),
    ...blunders.map(ply => blunderMark(ply, this.x(ply))));
    this.parent.replaceChildren(legend(series, players),
      html("div", { class: "course" }, scaleOf(scale, marks, "left"), this.chart,
        ...(isShared ? [] : [scaleOf(lines[1], ticks(lines[1].least, lines[1].most, 4).filter(value => Math.abs(value) <= lines[1].most), "right")])), this.readout);
    this.read(this.hovered ?? null);
  }
}

const EMPTY = { points: [], colour: "currentColor" };
const SCALE = 46; // the width of the numbers beside the chart, in pixels

/** The unit of a curve: that of its first point. The result of the game at the end may have another unit. */
const unitOf = points => points.find(point => point?.values)?.unit ?? "";

/** The lines of two players' series. Series in the same unit have the same scale. */
function linesOf(series, players) {
  const bounds = series.map(({ points }) => boundsOfTwo(points));
  const isShared = series.length > 1 && unitOf(series[0].points) === unitOf(series[1].points);
  const most = Math.max(...bounds.map(([, each]) => each));
  return series.map((each, index) => lineOf(each, 0, each.colour, isShared ? [-most, most] : bounds[index]));
}

/**
 * What one line needs to be drawn: its points, its colour, and its scale from `least` to `most`. A point in another unit than
 * the line's is the result of the game. It is drawn as a sure win, a draw or a sure loss.
 */
function lineOf({ points }, player, colour, bounds) {
  const [least, most] = bounds;
  const y = value => EDGE + (HEIGHT - 2 * EDGE) * (most - Math.max(least, Math.min(most, number(value, most, least)))) / (most - least);
  const unit = unitOf(points);
  const place = ({ values, unit: own }) => own === unit || typeof values[player] === "string" ? values[player] : Math.sign(values[player]) * most;
  return { points, player, colour, least, most, y, at: ply => points[ply]?.values ? y(place(points[ply])) : null };
}

const gridLine = (place, isZero = false) => svg("line", { class: isZero ? "zero" : null, ...place, stroke: "currentColor", "stroke-opacity": isZero ? .5 : .14 });

/** The numbers beside the chart. */
function scaleOf(line, marks, side) {
  const made = html("div", { class: `scale ${side}`, "aria-hidden": "true" }, ...marks.map(value => {
    const label = html("span", {}, value > 0 ? `+${tickText(value)}` : tickText(value));
    label.style.top = `${line.y(value)}px`;
    return label;
  }));
  if (side === "right") made.style.color = line.colour;
  return made;
}

/** A line above the chart: what each curve shows, with its unit and its side. */
function legend(series, players) {
  const entry = (text, colour) => {
    const made = html("span", {}, text);
    made.style.color = colour;
    return made;
  };
  const unit = ({ points }) => unitOf(points);
  if (players.length > 2) {
    return html("p", { class: "legend" }, ...series.slice(0, 1).map(each => entry(`${each.name}: ${unit(each)}`, "")),
      ...players.map(({ name, fill, light }) => entry(`— ${name}`, `light-dark(${fill}, ${light})`)));
  }
  return html("p", { class: "legend" }, ...series.map(each => series.length > 1
    ? entry(`${each.slot.toUpperCase()} ${each.name}: ${unit(each)}`, each.colour) : entry(unit(each), "")),
  entry(`${players[0].name} above 0`, ""));
}

/** The lowest and the highest value on the scale of a curve, for two players. */
export function boundsOfTwo(points) {
  const unit = unitOf(points);
  const most = greatestOf(points.filter(point => point?.values && point.unit === unit).map(({ values, bound }) => ({ value: values[0], bound })));
  return [-most, most];
}

function boundsOfMany(points, players) {
  const known = points.filter(point => point?.values).flatMap(({ values }) => values.slice(0, players)).filter(Number.isFinite);
  const least = Math.min(0, ...known);
  return [least < 0 ? -nice(-least) : 0, nice(Math.max(FLOOR, ...known))];
}

/** The mark of a blunder: a red line below the curve. */
const blunderMark = (ply, x) => svg("rect", {
  class: "blunder", x: x - 1.5, y: HEIGHT - EDGE, width: 3, height: EDGE, fill: "var(--bad)", "data-blunder": ply,
}, svg("title", {}, `ply ${ply} was a blunder`));

/** The elements that draw one line and its points. Exact points are filled, estimates are rings. */
function drawn({ points, player, at, colour }, x, name) {
  const known = [...points.entries()].filter(([, point]) => point?.values);
  const step = (ply, i) => i && known[i - 1][0] === ply - 1 ? "L" : "M"; // a gap where a value is not known yet
  return [
    svg("path", {
      d: known.map(([ply], i) => `${step(ply, i)}${x(ply).toFixed(1)} ${at(ply).toFixed(1)}`).join(""), fill: "none", stroke: colour, "stroke-width": 2,
      "stroke-linejoin": "round", ...(name === "b" ? { "stroke-dasharray": "6 3" } : {}),
    }),
    ...known.map(([ply, { values, unit, exact }]) => svg("circle", {
      cx: x(ply), cy: at(ply), r: 2.6, fill: exact ? colour : "var(--card)", stroke: colour, "stroke-width": 1.2,
      "data-ply": ply, "data-player": player, "data-value": values[player], "data-unit": unit, "data-exact": exact, "data-line": name,
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
 * Show the evaluation bar: the value of the position for the first player, whose part is below. Until the value is known,
 * the last one stays, dimmed, if `isOld`; without one, the bar has no parts.
 * @param {Reading | undefined} point undefined if the value is not known yet
 */
export function showBar(parent, point, players, isOld = false) {
  parent.hidden = players.length !== 2;
  const [first, second] = players;
  const known = point?.values ? point : null;
  parent.classList.toggle("old", !known);
  if (!known && isOld && parent.children.length) return;
  const label = known ? readingText(known, players) : "no evaluation yet";
  parent.setAttribute("aria-label", label);
  parent.title = label;
  parent.style.background = known ? second.light : "";
  if (!known) { parent.replaceChildren(); return; }
  const fill = html("div", { class: "fill" });
  fill.style.height = `${(100 * barShare(known.values[0], known.bound)).toFixed(1)}%`;
  fill.style.background = `light-dark(${first.fill}, ${first.light})`;
  parent.replaceChildren(fill, html("span", { class: known.exact ? "exact" : null }, valueText(known.values[0], known.unit, known.exact)));
}
