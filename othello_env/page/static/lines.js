// The other lines (sequences of moves) of a game. Nothing here draws.

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
