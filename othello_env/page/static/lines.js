// The lines of a game besides the one that is shown, and the games that were on the board before. Nothing here draws.

const MOST_LINES = 12;
const MOST_GAMES = 10;

/** How many moves two lines have in common at their beginning. */
export function common(one, other) {
  let ply = 0;
  while (ply < one.length && ply < other.length && one[ply] === other[ply]) ply += 1;
  return ply;
}

const contains = (line, part) => part.length <= line.length && common(line, part) === part.length;

/**
 * The lines to keep when `left`, the line that was shown, gives way to `now`. A line is `{moves, names}`: actions, and
 * their names. A line that another one contains is not kept.
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
    if (what !== "resign" && kept.record.moves.length <= kept.base && !kept.lines?.length) return;
    this.games = [...this.games, { what, kept }].slice(-MOST_GAMES);
  }

  /** Take the last game out and put the present one first, so that all games come round. */
  swap(kept) {
    const last = this.games.at(-1);
    const rest = this.games.slice(0, -1);
    const worth = kept.record.moves.length > kept.base || kept.lines?.length;
    this.games = worth ? [{ what: last.what, kept }, ...rest] : rest;
    return last.kept;
  }
}
