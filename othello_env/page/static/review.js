// How many discs each move of a game lost. The server reviews whole games. Without a review, the page computes the
// losses near the end of the game from exact scores. Nothing here draws.

import { number } from "./values.js";

/**
 * @typedef {object} Judged A move and what it lost.
 * @property {number} ply the ply after the move
 * @property {number} player the player that made the move
 * @property {string} name
 * @property {number} loss in discs
 * @property {string} best the name of the best move
 * @property {boolean} isExact whether the loss is exact, or an engine's estimate
 * @property {boolean} isBlunder
 */

/**
 * The review of the move that led to a ply. Null if it was the only legal move, or a move of the opening.
 * @param {any} review the server's review of the game; its `moves` has the review of each action after the opening
 * @param {number} blunder a loss of at least this number of discs is a blunder
 * @returns {Judged | null}
 */
export function reviewed(review, views, ply, blunder) {
  const found = review.moves.find(move => move.ply === ply);
  if (!found || found.choices < 2) return null;
  return {
    ply, player: views[ply - 1].toMove, name: found.move, loss: found.loss, best: found.best, isExact: found.exact,
    isBlunder: found.loss >= blunder,
  };
}

/**
 * The loss of a move, computed from exact scores. Null if it was the only legal move, or if an exact score is missing.
 * `view` is the position before the move, `after` is the position after it, and `found` has the exact scores of `view`.
 * @returns {Judged | null}
 */
export function exactly(view, after, found, ply, blunder) {
  if (!found || view.choices.length < 2) return null;
  const scores = view.choices.map(({ action, name }) => ({ action, name, score: number(found.actions[action], Infinity) }));
  const played = scores.find(({ action }) => action === after.action);
  if (!played || scores.some(({ score }) => score === undefined)) return null;
  const best = scores.reduce((one, other) => other.score > one.score ? other : one);
  const loss = best.score - played.score;
  return { ply, player: view.toMove, name: played.name, loss, best: loss ? best.name : played.name, isExact: true, isBlunder: loss >= blunder };
}

/** A loss in discs as text: 6 if it is exact, 6.3 if it is an estimate. */
export const lossText = ({ loss, isExact }) => isExact ? String(Math.round(loss)) : loss.toFixed(1);
