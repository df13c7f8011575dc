// The other lines (sequences of moves) of a game, and the game that was on the board before. Nothing here draws.

const MOST_LINES = 12;

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

/** @typedef {{what: string, kept: any, isBack: boolean}} Last The game that was on the table before, and why it left, such as "paste". */

/**
 * The game to keep when the game `kept` leaves the table. A game without moves after the ply `opened` and without other lines
 * is kept only if a player resigned; otherwise `last` stays.
 * @param {Last | null} last
 */
export const leaving = (last, what, kept) => what === "resign" || isWorth(kept) ? { what, kept, isBack: false } : last;

/** The game to keep when the game `last` comes back in place of `present`: so a second call brings this one back. @param {Last} last */
export function swapped({ what, kept, isBack }, present) {
  const isSame = String(kept.record.moves) === String(present.record.moves); // for example, a player had only resigned
  return isWorth(present) && !isSame ? { what, kept: present, isBack: !isBack } : null;
}

const isWorth = kept => kept.record.moves.length > kept.opened || (kept.lines ?? []).length > 0;
