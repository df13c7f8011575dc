// The learning curves of several runs: grouped by name, with the mean and an interval for each group. Nothing here draws.

import { greatest, powersOfTen, smallest, ticks } from "./values.js";

/** @typedef {{name: string, points: number[][]}} Line One run's points (x, y). */
/** @typedef {{name: string, runs: number, points: {x: number, mean: number, low: number, high: number}[]}} Band */

// Student's t for a 95% interval, by degrees of freedom. For ten or more, `interval` approximates it.
const T95 = [Infinity, 12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26];

/** The name of a run without its seed. So ppo_seed2.json and ppo_seed3.json are in the same group. */
export const groupOf = name => name.replace(/\.json$/, "").replace(/[-_/ ]?seed[-_=]?\d+/gi, "") || name;

/** The quantities that some runs measured, by name: the unit, and the number of points, in all and over each axis. */
export function quantities(runs) {
  /** @type {Map<string, {unit: string, points: number, axes: Map<string, number>}>} */
  const found = new Map();
  for (const { name, unit, over, values } of runs.flatMap(({ curves }) => curves)) {
    const { points, axes } = found.get(name) ?? { points: 0, axes: new Map() };
    for (const axis of Object.keys(over)) axes.set(axis, (axes.get(axis) ?? 0) + values.length);
    found.set(name, { unit, points: points + values.length, axes });
  }
  return found;
}

/** The key with the greatest number; of several, the first. @param {Map<string, number>} counts */
export const mostOf = counts => [...counts].reduce((one, other) => other[1] > one[1] ? other : one, ["", -1])[0];

/** The quantity to show at first: a rating if there is one, otherwise the one with the most points. */
export function firstOf(known) {
  const rated = [...known].filter(([, { unit }]) => unit === "Elo");
  return mostOf(new Map((rated.length ? rated : [...known]).map(([name, { points }]) => [name, points])));
}

/** The lines of one quantity over one axis. Each run that has both gives a line. @returns {Line[]} */
export function linesOf(runs, quantity, axis) {
  return runs.flatMap(({ name, curves }) => curves.filter(curve => curve.name === quantity && curve.over[axis])
    .map(({ over, values }) => ({ name, points: values.map((value, i) => [over[axis][i], value]) })));
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

/**
 * The band of each group of runs: the mean and its 95% interval (Student's t), at each x where all runs of the group have
 * a value. In a group of one run, both ends of the interval are the value itself.
 * @param {Line[]} lines
 * @returns {Band[]}
 */
export function bands(lines) {
  const groups = new Map();
  for (const line of lines) {
    const sorted = { ...line, points: [...line.points].sort(([a], [b]) => a - b) };
    groups.set(groupOf(line.name), [...(groups.get(groupOf(line.name)) ?? []), sorted]);
  }
  return [...groups].map(([name, members]) => {
    const xs = [...new Set(members.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
    const points = xs.flatMap(x => {
      const values = members.map(({ points: own }) => valueAt(own, x));
      return values.includes(null) ? [] : [{ x, ...interval(values) }];
    });
    return { name, runs: members.length, points };
  });
}

function interval(values) {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, low: mean, high: mean };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = (T95[n - 1] ?? 1.96 + 2.37 / (n - 1) + 2.82 / (n - 1) ** 2) * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half };
}

/** The ticks of an axis that covers all numbers, and 0. A logarithmic axis covers only the positive numbers. */
export function axis(numbers, isLog) {
  const used = isLog ? numbers.filter(number => number > 0) : [0, ...numbers];
  if (!used.length) return [1, 10]; // so that the logarithms of the ticks are finite
  return isLog ? powersOfTen(smallest(used), greatest(used)) : ticks(smallest(used), Math.max(greatest(used), 1e-9), 5);
}
