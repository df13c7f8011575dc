// The lines of a game besides the one that is shown, and the games that were on the board before. Nothing here draws.

const MOST_LINES = 12;
const MOST_GAMES = 10;

/** @typedef {{moves: number[], names: string[]}} Line The actions of a line, and their names. */

/** How many moves two lines have in common at their beginning. */
export function common(one, other) {
  let ply = 0;
  while (ply < one.length && ply < other.length && one[ply] === other[ply]) ply += 1;
  return ply;
}

const contains = (line, part) => part.length <= line.length && common(line, part) === part.length;

/**
 * The lines to keep when `left`, the line that was shown, gives way to `now`. A line that another one contains is not kept.
 * @param {Line[]} lines
 * @param {Line} left
 * @param {Line} now
 */
export function keepLine(lines, left, now) {
  const kept = lines.filter(({ moves }) => !contains(now.moves, moves) && !contains(left.moves, moves));
  if (!contains(now.moves, left.moves)) kept.push(left);
  return kept.slice(-MOST_LINES);
}

/** Games that were on the board before, the last one last. */
export class Past {
  constructor(games = []) {
    this.games = games;
  }

  get last() { return this.games.at(-1) ?? null; }

  /** Keep a game; `what` names the deed that took it away. A game without a move of its own is not worth it. */
  push(what, kept) {
    if (what === "resign" || isWorth(kept)) this.games = [...this.games, { what, kept, isBack: false }].slice(-MOST_GAMES);
  }

  /** Take the last game out, and keep the present one in its place, so that the same deed can be done again. */
  swap(kept) {
    const { what, kept: last, isBack } = this.games.at(-1);
    const isSame = String(kept.record.moves) === String(last.record.moves); // it had only been ended
    this.games = this.games.slice(0, -1);
    if (isWorth(kept) && !isSame) this.games.push({ what, kept, isBack: !isBack });
    return last;
  }
}

const isWorth = kept => kept.record.moves.length > kept.base || (kept.lines ?? []).length > 0;
