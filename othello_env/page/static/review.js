// The review of a whole game: how much each move lost, by an engine, and a summary for each side. Nothing here draws.

import { number } from "./values.js";

/** A move that loses at least this much is a blunder. The limit depends on the unit of the loss. */
export const BLUNDER = { discs: 6, "expected result": .25, value: .25 };
/** A move that loses at most this much counts as a best move. */
const NOTHING = { discs: 0, "expected result": .005, value: .005 };

/**
 * @typedef {object} Judged A move and what it lost.
 * @property {number} ply the ply after the move
 * @property {number} player the player that made the move
 * @property {string} name
 * @property {number} loss
 * @property {string} unit
 * @property {string} best the name of the best move
 * @property {boolean} isBlunder
 */

/**
 * How much a move lost. Null if its scores are not known, or if it was the only legal move.
 * `view` is the position before the move, `after` is the position after it, and `found` is an answer about `view`.
 * @returns {Judged | null}
 */
export function judge(view, after, found, ply) {
  if (!found || view.choices.length < 2) return null;
  const most = found.bound ?? Infinity;
  const scores = view.choices.map(({ action, name }) => ({ action, name, score: number(found.actions[action], most) }));
  if (scores.some(({ score }) => score === undefined)) return null;
  const best = scores.reduce((one, other) => other.score > one.score ? other : one);
  const played = scores.find(({ action }) => action === after.action);
  if (!played) return null;
  const loss = best.score === played.score ? 0 : best.score - played.score;
  const gaveAway = found.unit === "discs" && Math.sign(best.score) > Math.sign(played.score);
  return {
    ply, player: view.toMove, name: played.name, loss, unit: found.unit, best: best.name,
    isBlunder: loss >= (BLUNDER[found.unit] ?? Infinity) || gaveAway,
  };
}

/**
 * The review of a game. `answers(ply)` is the answer about the position at a ply; undefined if there is none yet.
 * @returns {{moves: Map<number, Judged>, sides: object[], known: number, asked: number}}
 */
export function reviewOf(views, players, answers) {
  const moves = new Map();
  let asked = 0;
  let known = 0;
  for (let ply = 1; ply < views.length; ply += 1) {
    const before = views[ply - 1];
    if (before.choices.length < 2) continue;
    asked += 1;
    const found = answers(ply - 1);
    if (found) known += 1;
    const judged = judge(before, views[ply], found, ply);
    if (judged) moves.set(ply, judged);
  }
  const sides = Array.from({ length: players }, (_, player) => summary([...moves.values()].filter(move => move.player === player)));
  return { moves, sides, known, asked };
}

/** For the moves of one side: their number, the number of best moves, the mean loss in each unit, and the blunders. */
function summary(moves) {
  const losses = unit => moves.filter(move => move.unit === unit).map(({ loss }) => loss);
  const mean = numbers => numbers.length ? numbers.reduce((sum, each) => sum + each, 0) / numbers.length : null;
  return {
    moves: moves.length,
    best: moves.filter(({ loss, unit }) => loss <= (NOTHING[unit] ?? 0)).length,
    result: mean([...losses("expected result"), ...losses("value")]),
    discs: mean(losses("discs")),
    blunders: moves.filter(({ isBlunder }) => isBlunder).map(({ ply }) => ply),
  };
}

/** A loss as text: 6 discs, or 0.31 of the result. */
export const lossText = (loss, unit) => unit === "discs" ? String(Math.round(loss)) : loss.toFixed(2);

/** The number of the move at each ply. A pass has no number, so its entry is null. */
export function moveNumbers(views) {
  let count = 0;
  return views.map((view, ply) => ply === 0 || views[ply - 1].mustPass ? null : count += 1);
}
