// A chart of lines over one quantity, such as the games of a training. The pointer or the arrow keys show the values at one
// place. The axis is linear or logarithmic.

import { axis, valueAt } from "./bands.js";
import { html, pathThrough, svg } from "./elements.js";
import { greatest, scoreText, shortText, smallest, tickText, ticks } from "./values.js";

/** @typedef {{x: number, y: number, low: number | null, high: number | null}} Point A value with its interval; null is infinite. */
/**
 * @typedef {object} Series One line of a chart.
 * @property {string} name the text of the key
 * @property {string} short the name beside a value
 * @property {string} colour
 * @property {string} dashes the attribute stroke-dasharray; empty for a solid line
 * @property {Point[]} points in ascending order of x
 * @property {"band" | "bars" | null} interval how the intervals are drawn
 * @property {number[][][]} runs the points (x, y) of each run, drawn as a thin line; `points` are the means of the runs
 */

const COLOURS = ["var(--accent)", "var(--second)", "#5577c8", "#a8539b", "#8a8a2a", "#4a9aa8"];
const DASHES = ["", "7 4", "2 3", "12 4 2 4"];
const [TOP, RIGHT, BOTTOM, LEFT] = [10, 16, 24, 52];
const [LEAST_WIDTH, MOST_WIDTH] = [260, 960];
const LABEL_WIDTH = 52;
const LEAST_PART = 8; // a shorter drag is a click

const areShares = series => series.flatMap(({ points, runs }) => [...points.map(({ y }) => y), ...runs.flat().map(([, y]) => y)])
  .every(y => y >= 0 && y <= 1);

let clips = 0; // each chart has its own clip path

/** The colour and the dashes of the line with this index. */
export const styleOf = index => ({ colour: COLOURS[index % COLOURS.length], dashes: DASHES[Math.floor(index / COLOURS.length) % DASHES.length] });

/**
 * The figure of a chart.
 * @param {object} options
 * @param {string} options.label what the chart shows
 * @param {string} options.over the unit of the axis
 * @param {Series[]} options.series
 * @param {number} options.width in pixels
 * @param {boolean} [options.isLog] whether the axis is logarithmic
 * @param {{name: string, y: number}[]} [options.levels] values that are drawn as dashed horizontal lines
 * @param {boolean} [options.isShare] whether the values are scores from 0 to 1; by default, if all are from 0 to 1
 * @param {number[] | null} [options.zoom] the part of the axis that is drawn; null for the whole axis
 * @param {boolean} [options.hasKey] whether the names of the lines are listed below the chart
 * @param {((from: number, to: number) => void) | null} [options.onZoom] called when a person drags along a part of the axis
 */
export function plot({ label, over, series, width, isLog = false, levels = [], isShare = areShares(series) && !levels.length, zoom = null, onZoom = null, hasKey = true }) {
  const size = { width: Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, width)), height: width < 480 ? 220 : 300 };
  const isIn = x => !zoom || (x >= zoom[0] && x <= zoom[1]);
  const points = series.flatMap(each => each.points).filter(({ x }) => isIn(x));
  const ends = points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]);
  const thin = series.flatMap(({ runs }) => runs.flat()).filter(([x]) => isIn(x));
  const all = [...ends, ...thin.map(([, y]) => y), ...levels.map(({ y }) => y)];
  const [least, most] = [smallest(all), greatest(all)];
  const up = isShare && !zoom ? [0, .25, .5, .75, 1] : all.length ? ticks(least, most > least ? most : least + (isShare ? .01 : 1), 5) : [0, 1];
  const across = zoom ?? axis([...points.map(({ x }) => x), ...thin.map(([x]) => x)], isLog);
  const scale = scalesOf(size, across, up, isLog);
  const told = value => isShare ? scoreText(Math.max(0, Math.min(1, value))) : tickText(Number(value.toPrecision(4)));
  const clip = `clip-${clips += 1}`;
  const pointer = svg("line", { class: "pointer", y1: TOP, y2: size.height - BOTTOM, stroke: "currentColor", "stroke-opacity": .6, visibility: "hidden" });
  const readout = html("p", { class: "faint read", role: "status" }, `Move the pointer over the chart, or use the arrow keys on it, to read values.${onZoom ? " Drag along it to enlarge a part." : ""}`);
  const picture = svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", tabindex: 0, "aria-label": `${label} over ${over}` },
    svg("clipPath", { id: clip }, svg("rect", { x: LEFT - 5, y: TOP - 4, width: size.width - LEFT - RIGHT + 10, height: size.height - TOP - BOTTOM + 8 })),
    ...grid(size, scale, zoom ? ticks(zoom[0], zoom[1], 5).filter(isIn) : across, up, isShare),
    ...levels.flatMap(({ name, y }) => levelLine(size, scale.y(y), name)),
    svg("g", { "clip-path": `url(#${clip})` }, ...series.flatMap(each => drawn(each, scale))), pointer);
  picture.style.maxWidth = `${size.width}px`;
  const read = at => {
    for (const end of ["x1", "x2"]) pointer.setAttribute(end, String(scale.x(at)));
    pointer.setAttribute("visibility", "visible");
    readout.textContent = `${tickText(Number(at.toPrecision(3)))} ${over}: ${readings(series, at, told).join(", ") || "no value"}`;
  };
  followPointer(picture, size, scale, read, onZoom);
  followKeys(picture, [...new Set(points.map(({ x }) => x))].filter(x => !isLog || x > 0).sort((a, b) => a - b), read);
  return html("figure", { class: "plot" }, picture, readout,
    html("figcaption", {}, `${label} over ${over}`, ...(hasKey ? [html("ul", { class: "key" },
      ...series.map(each => html("li", {}, swatch(each), each.name)),
      ...levels.map(({ name, y }) => html("li", {}, swatch({ colour: "currentColor", dashes: "3 4" }), `${name} (${told(y)})`)))] : [])));
}

/** The functions that turn values into places in the picture, and a place on the axis back into a value. */
function scalesOf({ width, height }, across, up, isLog) {
  const along = value => isLog ? Math.log10(Math.max(value, across[0])) : value;
  const [first, last] = [along(across[0]), along(across.at(-1))];
  const [least, most] = [up[0], up.at(-1)];
  return {
    x: value => LEFT + (width - LEFT - RIGHT) * (along(value) - first) / (last - first || 1),
    y: value => height - BOTTOM - (height - TOP - BOTTOM) * ((Number.isFinite(value) ? value : value > 0 ? most : least) - least) / (most - least || 1),
    at: place => {
      const raw = first + Math.max(0, Math.min(1, (place - LEFT) / (width - LEFT - RIGHT))) * (last - first);
      return isLog ? 10 ** raw : raw;
    },
  };
}

/** The horizontal lines with the values beside them, and the values below the axis. Labels that would overlap are left out. */
function grid({ width, height }, scale, across, up, isShare) {
  const text = (attributes, content) => svg("text", { "font-size": 12, fill: "currentColor", ...attributes }, content);
  const every = Math.max(1, Math.ceil(across.length * LABEL_WIDTH / (width - LEFT - RIGHT)));
  return [
    ...up.flatMap(value => [
      svg("line", { x1: LEFT, x2: width - RIGHT, y1: scale.y(value), y2: scale.y(value), stroke: "currentColor", "stroke-opacity": .18 }),
      text({ x: LEFT - 6, y: scale.y(value) + 4, "text-anchor": "end" }, isShare ? scoreText(value, 2) : shortText(value)),
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

/** The elements that draw one line with its intervals. A single point is drawn as a dot. */
function drawn({ short, colour, dashes, points, interval, runs }, { x, y }) {
  const ends = points.map(point => ({ x: x(point.x), y: y(point.y), low: y(point.low ?? -Infinity), high: y(point.high ?? Infinity) }));
  const band = interval === "band" ? [svg("path", {
    class: "band", "data-group": short, fill: colour, "fill-opacity": .16,
    d: `${pathThrough([...ends.map(end => [end.x, end.high]), ...ends.map(end => [end.x, end.low]).reverse()])}Z`,
  })] : [];
  const isBars = interval === "bars" || (interval !== null && ends.length === 1);
  const bars = isBars ? ends.map(end => svg("line", { class: "interval", x1: end.x, x2: end.x, y1: end.low, y2: end.high, stroke: colour, "stroke-width": 2, "stroke-opacity": .6 })) : [];
  const thin = runs.map(line => svg("path", { fill: "none", stroke: colour, "stroke-opacity": .35, d: pathThrough(line.map(([at, value]) => [x(at), y(value)])) }));
  const dots = isBars || ends.length === 1 ? ends.map(end => svg("circle", { cx: end.x, cy: end.y, r: 4, fill: colour })) : [];
  return [...thin, ...band, ...bars, svg("path", {
    class: "mean", "data-group": short, fill: "none", stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dashes || null,
    d: pathThrough(ends.map(end => [end.x, end.y])),
  }), ...dots];
}

/**
 * The values of all lines at a place of the axis, as texts. If a line has no value there but some of its runs have
 * values, the text shows the mean of these runs.
 */
function readings(series, at, told) {
  return series.flatMap(({ short, points, interval, runs }) => {
    const along = end => valueAt(points.map(point => [point.x, point[end] ?? NaN]), at);
    const value = along("y");
    const some = runs.map(run => valueAt(run, at)).filter(each => each !== null);
    if (value === null && some.length) return [`${short} ${told(some.reduce((sum, each) => sum + each, 0) / some.length)} (${some.length} of ${runs.length} runs)`];
    if (value === null) return [];
    return [`${short} ${told(value)}${interval ? between(along("low"), along("high"), told) : ""}`];
  });
}

/** An interval as text. An end that is NaN is infinite. */
function between(low, high, told) {
  if (Number.isNaN(low)) return Number.isNaN(high) ? "" : ` (95%: at most ${told(high)})`;
  return Number.isNaN(high) ? ` (95%: at least ${told(low)})` : ` (95%: ${told(low)} to ${told(high)})`;
}

/** Read the values under the pointer. If `onZoom` is given, a drag along the axis chooses a part of it. */
function followPointer(picture, { width, height }, scale, read, onZoom) {
  const at = event => {
    const box = picture.getBoundingClientRect();
    return scale.at((event.clientX - box.left) / box.width * width);
  };
  const part = svg("rect", { class: "part", y: TOP, height: height - TOP - BOTTOM, width: 0, fill: "var(--accent)", "fill-opacity": .15 });
  picture.append(part);
  let from = null;
  const span = event => [from, at(event)].sort((a, b) => a - b);
  picture.addEventListener("pointermove", event => {
    read(at(event));
    if (from === null) return;
    const [left, right] = span(event).map(scale.x);
    part.setAttribute("x", String(left));
    part.setAttribute("width", String(right - left));
  });
  if (!onZoom) return;
  picture.addEventListener("pointerdown", event => { from = at(event); picture.setPointerCapture(event.pointerId); });
  picture.addEventListener("pointerup", event => {
    const [left, right] = span(event);
    from = null;
    if (scale.x(right) - scale.x(left) > LEAST_PART) onZoom(left, right);
    else part.setAttribute("width", "0");
  });
}

/** The arrow keys go from one point to the next. */
function followKeys(picture, xs, read) {
  let place = -1;
  picture.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !xs.length) return;
    place = Math.max(0, Math.min(xs.length - 1, place + step));
    read(xs[place]);
    event.preventDefault();
  });
}

/** A short piece of a line, as it is in the chart. */
export function swatch({ colour, dashes }) {
  return svg("svg", { viewBox: "0 0 20 10", "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 20, y1: 5, y2: 5, stroke: colour, "stroke-width": 4, "stroke-dasharray": dashes || null }));
}
