// The other lines (sequences of moves) of a game, and the games that were on the board before. Nothing here draws.

const MOST_LINES = 12;
const MOST_GAMES = 10;

/** @typedef {{moves: number[], names: string[]}} Line The actions of a line, and their names. */

/** The number of moves that two lines have in common at their beginning. */
export function common(one, other) {
  let ply = 0;
  while (ply < one.length && ply < other.length && one[ply] === other[ply]) ply += 1;
  return ply;
}

const contains = (line, part) => part.length <= line.length && common(line, part) === part.length;

/**
 * The lines to keep when the line `now` is shown instead of the line `left`. A line that is the beginning of `now` is
 * not kept. An earlier line that is the beginning of `left` is not kept either.
 * @param {Line[]} lines
 * @param {Line} left
 * @param {Line} now
 */
export function keepLine(lines, left, now) {
  const kept = lines.filter(({ moves }) => !contains(now.moves, moves) && !contains(left.moves, moves));
  if (!contains(now.moves, left.moves)) kept.push(left);
  return kept.slice(-MOST_LINES);
}

/** The games that were on the board before. The latest game is last. */
export class Past {
  constructor(games = []) {
    this.games = games;
  }

  get last() { return this.games.at(-1) ?? null; }

  /**
   * Keep a game. `what` names the reason why the game left the board, such as "paste". A game without moves after the
   * ply `opened` and without other lines is kept only if a player resigned.
   */
  push(what, kept) {
    if (what === "resign" || isWorth(kept)) this.games = [...this.games, { what, kept, isBack: false }].slice(-MOST_GAMES);
  }

  /** Take out the latest game and return it. Keep the present game `kept`, so that a second call brings it back. */
  swap(kept) {
    const { what, kept: last, isBack } = this.games.at(-1);
    const isSame = String(kept.record.moves) === String(last.record.moves); // for example, a player had only resigned
    this.games = this.games.slice(0, -1);
    if (isWorth(kept) && !isSame) this.games.push({ what, kept, isBack: !isBack });
    return last;
  }
}

const isWorth = kept => kept.record.moves.length > kept.opened || (kept.lines ?? []).length > 0;
