// Numbers as text for a person, and the scales of curves. Nothing here draws.

/** @typedef {number | "inf" | "-inf"} Value A value; "inf" is a sure win. */

/** A scale without a bound goes at least up to this value, so that small numbers look small. */
const FLOOR = 20;

/**
 * A value as text with a sign. A sure win is "win", a sure loss is "loss".
 * @param {Value} value
 * @param {string} unit
 * @param {string} kind "values" or "probabilities"
 */
export function valueText(value, unit = "", kind = "values") {
  if (value === "inf") return "win";
  if (value === "-inf") return "loss";
  if (kind === "probabilities") return `${Math.round(100 * value)}%`;
  const size = Math.abs(value);
  const rounded = unit === "discs" || (Number.isInteger(value) && size > 1) ? String(Math.round(size))
    : size.toFixed(size < 10 ? 2 : 1);
  const sign = Number(rounded) === 0 ? "" : value > 0 ? "+" : "−";
  return sign + (Number(rounded) === 0 ? "0" : rounded);
}

/**
 * A value as a number. A sure win becomes `most`, and a sure loss becomes `least`.
 * @param {Value} value
 */
export function number(value, most, least = -most) {
  return value === "inf" ? most : value === "-inf" ? least : value;
}

/**
 * The same value from the point of view of the other of two players.
 * @param {Value} value
 * @returns {Value}
 */
export const turned = value => value === "inf" ? "-inf" : value === "-inf" ? "inf" : value === 0 ? 0 : -value;

/**
 * Turn a value for the player to move into the value that the page shows. With two players, this is the value for the
 * first player. With three players, it is the value for the player to move.
 * @param {Value} value
 */
export const shown = (value, toMove, players) => players === 2 && toMove === 1 ? turned(value) : value;

// Math.min(...numbers) and Math.max(...numbers) fail if there are very many numbers, such as those of many learning curves.

/** The smallest of many numbers; Infinity if there are none. @param {number[]} numbers */
export const smallest = numbers => numbers.reduce((found, number) => Math.min(found, number), Infinity);

/** The greatest of many numbers; -Infinity if there are none. @param {number[]} numbers */
export const greatest = numbers => numbers.reduce((found, number) => Math.max(found, number), -Infinity);

/** Round up to 1, 2 or 5 times a power of ten. */
export function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find(step => step * power >= value * (1 - 1e-9));
}

/**
 * The largest value of a curve's scale. If all values have a bound, it is the largest bound. Otherwise it is the largest
 * value, rounded up, but at least `FLOOR`.
 * @param {{value: number, bound: number | null}[]} points
 */
export function scaleOf(points) {
  if (!points.length) return 1;
  if (points.every(({ bound }) => bound !== null)) return Math.max(...points.map(({ bound }) => bound));
  return nice(Math.max(FLOOR, ...points.map(({ value }) => Math.abs(value))));
}

/**
 * About `count` round numbers. The first is at most `least`, and the last is at least `most`.
 * @returns {number[]}
 */
export function ticks(least, most, count = 4) {
  if (!(most > least)) return [least];
  const step = nice((most - least) / count);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.ceil(most / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Powers of ten. The first is at most `least`, and the last is at least `most`. Both arguments are positive. */
export function powersOfTen(least, most) {
  const first = Math.floor(Math.log10(least) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(most) - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

/** A tick as text: 1500 is "1,500", and 0.25 is "0.25". */
export const tickText = value => value.toLocaleString("en", { maximumFractionDigits: 6 }).replace("-", "−");

/** A value beside an axis as a short text: 1,500 stays "1,500", and 15,000 is "15K". */
export const shortText = value => Math.abs(value) < 1e4 ? tickText(value) : value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 2 }).replace("-", "−");

/** A rating as text. @param {number | null} elo */
export const eloText = elo => elo === null ? "–" : elo.toFixed(0).replace("-", "−").replace(/^−0$/, "0");

/** An interval of ratings as text. An end that is null is infinite. @param {(number | null)[] | null} interval */
export function intervalText(interval) {
  const [low, high] = (interval ?? [null, null]).map(end => end === null ? null : eloText(end));
  if (low === null) return high === null ? "–" : `at most ${high}`;
  return high === null ? `at least ${low}` : `${low} to ${high}`;
}

/** A count as a short text, such as "12,345" or "1.2 M". */
export function countText(count) {
  return count < 1e6 ? Math.round(count).toLocaleString("en") : `${(count / 1e6).toFixed(count < 1e7 ? 1 : 0)} M`;
}

/**
 * The rows of the table of moves: each move's value by agent A and by agent B, its exact score, and for each agent the
 * visits, nodes, depth and expected line of the move, as far as the agent says them.
 * The moves are sorted by their exact scores, then by A's values, then by B's values; the best move is first.
 * `a`, `b` and `exact` are answers about the position (see the server's Assessment). Each may be undefined.
 */
export function moveRows(choices, { a, b, exact }) {
  const of = (found, action) => found?.actions[action];
  const rows = choices.filter(({ path }) => path.length).map(({ action, name, path }) => ({
    action, name, path, a: of(a, action), b: of(b, action), exact: of(exact, action),
    visits: [a?.visits?.[action], b?.visits?.[action]], facts: [factsOf(a, action), factsOf(b, action)],
  }));
  const order = value => value === undefined ? -Infinity : number(value, Infinity);
  const better = (x, y) => order(x) === order(y) ? 0 : order(y) - order(x);
  return rows.sort((x, y) => better(x.exact, y.exact) || better(x.a, y.a) || better(x.b, y.b));
}

/**
 * What an agent says about a move besides its value. If the agent gives no depth for the single move, the depth of the
 * whole search is used.
 */
function factsOf(found, action) {
  const facts = found?.moves?.[action];
  return { nodes: facts?.nodes, depth: facts?.depth ?? (found?.actions[action] === undefined ? undefined : found.depth ?? undefined), line: facts?.line };
}

/** All actions that have the greatest value. */
export function bestActions(found) {
  const entries = Object.entries(found?.actions ?? {}).map(([action, value]) => [action, number(value, Infinity)]);
  const most = Math.max(...entries.map(([, value]) => value));
  return new Set(entries.filter(([, value]) => value === most).map(([action]) => Number(action)));
}
