// What the evaluator says of a position, as texts and as the losses of moves. All views of the page read these functions, so
// that a number is the same everywhere. Nothing here draws.

import { number, valueText } from "./values.js";

/**
 * @typedef {object} Reading What an agent thinks of a position, or the result of a finished game; see the server's
 *   Assessment. With two players, all values are for the first player.
 * @property {import("./values.js").Value[] | null} values for each player
 * @property {string} unit
 * @property {boolean} exact whether the values are facts: the result of perfect play, or a sure win or loss
 * @property {number | null} bound
 * @property {{action: number, value: import("./values.js").Value | null, exact: boolean, share: number | null, line: [number, string][]}[]} moves the best move first
 * @property {number | null} [depth]
 * @property {number | null} [nodes]
 */

/** The number of a move in the game. Passes have none. */
export const moveNumber = (views, ply) => views.slice(0, ply).filter(({ mustPass }) => !mustPass).length;

/** A move with its number, such as "24. g5". */
export const moveLabel = (views, ply) => !ply ? "start" : views[ply - 1].mustPass ? views[ply].move : `${moveNumber(views, ply)}. ${views[ply].move}`;

const hasShares = ({ moves }) => moves[0]?.value === null;

/** The unit of the moves' numbers. @param {Reading} found */
export const moveUnit = found => hasShares(found) ? "share" : found.unit;

/** The side of the moves' numbers: a share is for the player to move, a value for the first of two players. */
export function sideOf(found, { view, players }) {
  const mover = players[view.toMove].name;
  return hasShares(found) ? `${mover} to move` : players.length === 2 ? players[0].name : mover;
}

/** A move's value or share as text. @param {Reading} found */
export const moveText = (found, move) => move.value === null ? `${Math.round(100 * move.share)}%` : valueText(move.value, found.unit, move.exact);

/** The value of a position as text, with its side and its unit. @param {Reading} found */
export function readingText(found, players) {
  if (!found.values) return "no value of this position";
  const each = players.length === 2 ? found.values.slice(0, 1) : found.values;
  const told = each.map((value, index) => `${players[index].name} ${valueText(value, found.unit, found.exact)}`).join(", ");
  return [`${told} ${each.every(value => typeof value === "string") ? "" : found.unit}`.trim(), ...(found.exact ? ["exact"] : [])].join(", ");
}

/** The moves that are shown as the best ones: those with the text of the first move. @param {Reading | undefined} found */
export function bestActions(found) {
  const moves = found?.moves ?? [];
  return new Set(moves.filter(move => moveText(found, move) === moveText(found, moves[0])).map(({ action }) => action).sort((one, other) => one - other));
}

/**
 * @typedef {object} Judged A move and what it lost.
 * @property {number} ply the ply after the move
 * @property {number} player the player that made the move
 * @property {string} name
 * @property {number} loss in discs
 * @property {any} best the choice of the best move
 * @property {boolean} isExact whether the loss is exact, or an estimate
 * @property {boolean} isBlunder
 */

/**
 * What the move that led to a ply lost. Null if it was the only legal move, or if the values of the moves are not known in
 * discs.
 * @param {Reading | undefined} found the reading of the position before the move
 * @param {number} blunder a loss of at least this number of discs is a blunder
 * @returns {Judged | null}
 */
export function judged(found, views, ply, blunder) {
  const { choices, toMove } = views[ply - 1];
  if (found?.unit !== "discs" || choices.length < 2) return null;
  const [best] = found.moves;
  const played = found.moves.find(({ action }) => action === views[ply].action);
  if (typeof best?.value !== "number" || typeof played?.value !== "number") return null;
  const loss = Math.abs(best.value - played.value);
  const action = loss ? best.action : played.action;
  return {
    ply, player: toMove, name: views[ply].move, loss, best: choices.find(choice => choice.action === action),
    isExact: best.exact && played.exact, isBlunder: loss >= blunder,
  };
}

/** A loss in discs as text: 6 if it is exact, 6.3 if it is an estimate. */
export const lossText = ({ loss, isExact }) => isExact ? String(Math.round(loss)) : loss.toFixed(1);

/** A summary of the moves of one player. A mean is null if there are no moves. @param {Judged[]} moves */
export function summary(moves) {
  const mean = numbers => numbers.length ? numbers.reduce((sum, each) => sum + each, 0) / numbers.length : null;
  return {
    choices: moves.length, best: mean(moves.map(({ loss }) => loss === 0 ? 1 : 0)), loss: mean(moves.map(({ loss }) => loss)),
    blunders: moves.filter(({ isBlunder }) => isBlunder).length,
  };
}

/**
 * The numbers over the squares. If a piece is selected, only its moves have numbers. Each `share` says how good the move
 * is for the player to move: from 0 for the worst move to 1 for the best move.
 * @param {Reading | undefined} found
 */
export function squareMarks(game, found, selected) {
  if (!found) return [];
  const best = bestActions(found);
  const size = move => move.value === null ? move.share : number(move.value, 1e3);
  const sizes = found.moves.map(size);
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const [first] = sizes;
  const marks = new Map(); // a piece of checkers can be reached by several moves: the best one comes first
  for (const move of found.moves) {
    const choice = game.view.choices.find(({ action }) => action === move.action);
    const place = choice?.path.at(-1);
    if (!place || marks.has(String(place)) || (selected && String(choice.path[0]) !== String(selected))) continue;
    const share = best.has(move.action) ? 1 : .999 * (1 - Math.abs(first - size(move)) / (high - low));
    marks.set(String(place), {
      place, text: moveText(found, move), share, value: move.value ?? move.share, exact: move.exact,
      label: `${choice.name}: ${moveText(found, move)}${typeof move.value === "string" ? "" : ` ${moveUnit(found)}`}, ${sideOf(found, game)}${move.exact ? ", exact" : ""}`,
    });
  }
  return [...marks.values()];
}
