// A chart of one line with intervals, such as the ratings in the course of a training. The pointer or the arrow keys show the
// values at one place.

import { html, pathThrough, svg } from "./elements.js";
import { intervalText, shortText, tickText, ticks } from "./values.js";

/** @typedef {{x: number, y: number, low: number | null, high: number | null}} Point A value with its interval; null is infinite. */

const COLOUR = "var(--accent)";
const [TOP, RIGHT, BOTTOM, LEFT] = [10, 16, 24, 52];
const [LEAST_WIDTH, MOST_WIDTH] = [260, 960];
const LABEL_WIDTH = 52;

/**
 * The figure of a chart.
 * @param {object} options
 * @param {string} options.label what the chart shows
 * @param {string} options.over the unit of the axis
 * @param {string} options.name the line's text in the key
 * @param {string} options.short the text beside a value
 * @param {Point[]} options.points at least one, in ascending order of x
 * @param {{name: string, y: number}[]} options.levels values that are drawn as dashed horizontal lines
 * @param {number} options.width in pixels
 */
export function plot({ label, over, name, short, points, levels, width }) {
  const size = { width: Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, width)), height: width < 480 ? 220 : 300 };
  const ends = [...points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]), ...levels.map(({ y }) => y)];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const up = ticks(least, most > least ? most : least + 1, 5);
  const across = ticks(0, Math.max(1e-9, ...points.map(({ x }) => x)), 5);
  const scale = scalesOf(size, across, up);
  const told = value => tickText(Number(value.toPrecision(4)));
  const pointer = svg("line", { class: "pointer", y1: TOP, y2: size.height - BOTTOM, stroke: "currentColor", "stroke-opacity": .6, visibility: "hidden" });
  const readout = html("p", { class: "faint read", role: "status" }, "Move the pointer over the chart, or use the arrow keys on it, to read values.");
  const picture = svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", tabindex: 0, "aria-label": `${label} over ${over}` },
    ...grid(size, scale, across, up), ...levels.flatMap(level => levelLine(size, scale.y(level.y), level.name)), ...drawn(points, scale), pointer);
  picture.style.maxWidth = `${size.width}px`;
  const read = at => {
    for (const end of ["x1", "x2"]) pointer.setAttribute(end, String(scale.x(at)));
    pointer.setAttribute("visibility", "visible");
    readout.textContent = `${tickText(Number(at.toPrecision(3)))} ${over}: ${reading(short, points, at, told)}`;
  };
  picture.addEventListener("pointermove", event => {
    const box = picture.getBoundingClientRect();
    read(scale.at((event.clientX - box.left) / box.width * size.width));
  });
  followKeys(picture, points.map(({ x }) => x), read);
  const key = [[name, COLOUR, ""], ...levels.map(level => [`${level.name} (${told(level.y)})`, "currentColor", "3 4"])];
  return html("figure", { class: "plot" }, picture, readout,
    html("figcaption", {}, `${label} over ${over}`,
      html("ul", { class: "key" }, ...key.map(([text, colour, dashes]) => html("li", {}, swatch(colour, dashes), text)))));
}

/** The functions that turn values into places in the picture, and a place on the axis back into a value. */
function scalesOf({ width, height }, across, up) {
  const [first, last] = [across[0], across.at(-1)];
  const [least, most] = [up[0], up.at(-1)];
  return {
    x: value => LEFT + (width - LEFT - RIGHT) * (value - first) / (last - first),
    y: value => height - BOTTOM - (height - TOP - BOTTOM) * ((Number.isFinite(value) ? value : value > 0 ? most : least) - least) / (most - least),
    at: place => first + Math.max(0, Math.min(1, (place - LEFT) / (width - LEFT - RIGHT))) * (last - first),
  };
}

/** The horizontal lines with the values beside them, and the values below the axis. Labels that would overlap are left out. */
function grid({ width, height }, scale, across, up) {
  const text = (attributes, content) => svg("text", { "font-size": 12, fill: "currentColor", ...attributes }, content);
  const every = Math.max(1, Math.ceil(across.length * LABEL_WIDTH / (width - LEFT - RIGHT)));
  return [
    ...up.flatMap(value => [
      svg("line", { x1: LEFT, x2: width - RIGHT, y1: scale.y(value), y2: scale.y(value), stroke: "currentColor", "stroke-opacity": .18 }),
      text({ x: LEFT - 6, y: scale.y(value) + 4, "text-anchor": "end" }, shortText(value)),
    ]),
    ...across.filter((_, i) => i % every === 0).map(at => {
      const isLast = scale.x(at) > width - LABEL_WIDTH / 2;
      return text({ x: isLast ? width : scale.x(at), y: height - 6, "text-anchor": isLast ? "end" : "middle" }, shortText(at));
    }),
  ];
}

const levelLine = ({ width }, y, name) => [
  svg("line", { x1: LEFT, x2: width - RIGHT, y1: y, y2: y, stroke: "currentColor", "stroke-opacity": .6, "stroke-dasharray": "3 4" }),
  svg("text", { x: LEFT + 4, y: y - 4, "font-size": 11, fill: "currentColor", stroke: "var(--card)", "stroke-width": 3, "paint-order": "stroke" }, name),
];

/** The elements that draw the line, and each point with its interval. */
function drawn(points, { x, y }) {
  return [
    ...points.map(point => svg("line", { class: "interval", x1: x(point.x), x2: x(point.x), y1: y(point.low ?? -Infinity), y2: y(point.high ?? Infinity), stroke: COLOUR, "stroke-width": 2, "stroke-opacity": .6 })),
    svg("path", { class: "mean", fill: "none", stroke: COLOUR, "stroke-width": 2.5, d: pathThrough(points.map(point => [x(point.x), y(point.y)])) }),
    ...points.map(point => svg("circle", { cx: x(point.x), cy: y(point.y), r: 4, fill: COLOUR })),
  ];
}

/** The value of a line at x. Between two points it is interpolated; before the first and after the last it is null. */
export function valueAt(points, x) {
  if (!points.length || x < points[0][0] || x > points.at(-1)[0]) return null;
  const next = points.findIndex(([at]) => at >= x);
  const [x1, y1] = points[next];
  if (x1 === x || next === 0) return y1;
  const [x0, y0] = points[next - 1];
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

/** The value of the line at a place of the axis, with its interval, as text. An end that is NaN is infinite. */
function reading(short, points, at, told) {
  const [value, low, high] = ["y", "low", "high"].map(end => valueAt(points.map(point => [point.x, point[end] ?? NaN]), at));
  if (value === null) return "no value";
  const ends = [low, high].map(end => Number.isNaN(end) ? null : end);
  return `${short} ${told(value)}${ends.every(end => end === null) ? "" : ` (95%: ${intervalText(ends, told)})`}`;
}

/** The arrow keys go from one point to the next. */
function followKeys(picture, xs, read) {
  let place = -1;
  picture.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    place = Math.max(0, Math.min(xs.length - 1, place + step));
    read(xs[place]);
    event.preventDefault();
  });
}

/** A short piece of a line, as it is in the chart. */
function swatch(colour, dashes) {
  return svg("svg", { viewBox: "0 0 20 10", "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 20, y1: 5, y2: 5, stroke: colour, "stroke-width": 4, "stroke-dasharray": dashes || null }));
}
