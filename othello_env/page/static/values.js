// Numbers as text for a person, and the scales of curves. Nothing here draws.

/** @typedef {number | "inf" | "-inf"} Value A value; "inf" is a sure win. */

/** A scale without a bound goes at least up to this value, so that small numbers look small. */
const FLOOR = 20;

/** The number of decimals with which a value is shown. Exact leads are whole numbers. */
function decimals(size, unit, exact) {
  if (unit === "discs") return exact ? 0 : 1;
  const isCount = /^(cells|moves|pieces|points)\b/.test(unit);
  return Number.isInteger(size) && (size > 1 || isCount) ? 0 : size < 10 ? 2 : 1;
}

/**
 * A value as text with a sign. A sure win is "win", a sure loss is "loss".
 * @param {Value} value
 */
export function valueText(value, unit = "", exact = false) {
  if (value === "inf") return "win";
  if (value === "-inf") return "loss";
  const size = Math.abs(value);
  const rounded = size.toFixed(decimals(size, unit, exact));
  if (Number(rounded) === 0) return "0";
  return (value > 0 ? "+" : "−") + rounded;
}

/** A score from 0 to 1 as text: .965, or 1.000. Halves are rounded away from .5, so that the scores of two agents add up to 1. */
export const scoreText = (share, digits = 3) => (share + 1e-9 * Math.sign(share - .5)).toFixed(digits).replace(/^-?0\./, ".");

/**
 * A value as a number. A sure win becomes `most`, and a sure loss becomes `least`.
 * @param {Value} value
 */
export function number(value, most, least = -most) {
  return value === "inf" ? most : value === "-inf" ? least : value;
}

/** Round up to 1, 2 or 5 times a power of ten. */
export function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find(step => step * power >= value * (1 - 1e-9));
}

/**
 * The largest value of a curve's scale. Values from -1 to +1 have the scale 1. For other values it is the largest value,
 * rounded up, but at least a quarter of the bound, or `FLOOR` without a bound, and at most the bound.
 * @param {{value: Value, bound: number | null}[]} points
 */
export function greatestOf(points) {
  if (!points.length) return 1;
  const bound = Math.max(...points.map(point => point.bound ?? Infinity));
  if (bound === 1) return 1;
  const floor = Number.isFinite(bound) ? bound / 4 : FLOOR;
  return Math.min(bound, nice(Math.max(floor, ...points.map(({ value }) => Math.abs(number(value, 0))))));
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

/** A tick as text: 1500 is "1,500", and 0.25 is "0.25". */
export const tickText = value => value.toLocaleString("en", { maximumFractionDigits: 6 }).replace("-", "−");

