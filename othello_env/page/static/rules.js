// The rules of Othello, and its positions as the page draws them. A file without a server uses them.

const NAMES = ["black", "white"];

/** @typedef {{board: Int8Array, player: number, last: number | null}} Position The squares row by row: 1 black, -1 white, 0 empty; whose turn it is; the last action. */

export class Rules {
  constructor(size) {
    this.size = size;
    this.pass = size * size;
    const steps = [-1, 0, 1].flatMap(down => [-1, 0, 1].map(right => [down, right])).filter(step => step.some(Boolean));
    // For each square, the lines of squares that go out from it.
    this.rays = Array.from({ length: size * size }, (_, square) => steps.map(([down, right]) => {
      const ray = [];
      for (let r = Math.floor(square / size) + down, c = square % size + right; r >= 0 && r < size && c >= 0 && c < size; r += down, c += right) ray.push(r * size + c);
      return ray;
    }).filter(ray => ray.length > 1));
  }

  /** @returns {Position} */
  start() {
    const board = new Int8Array(this.pass);
    const middle = this.size / 2;
    for (const [r, c, player] of [[-1, -1, -1], [-1, 0, 1], [0, -1, 1], [0, 0, -1]]) board[(middle + r) * this.size + middle + c] = player;
    return { board, player: 1, last: null };
  }

  /** The position of a text of X, O and -, with the name of the player to move. @returns {Position} */
  read({ text, player }) {
    return { board: Int8Array.from(text, cell => ({ X: 1, O: -1 })[cell] ?? 0), player: player === "white" ? -1 : 1, last: null };
  }

  /** The squares that a player's disc on a square would turn. */
  flips(board, square, player) {
    const turned = [];
    if (board[square]) return turned;
    for (const ray of this.rays[square]) {
      let length = 0;
      while (length < ray.length && board[ray[length]] === -player) length += 1;
      if (length && length < ray.length && board[ray[length]] === player) for (let i = 0; i < length; i += 1) turned.push(ray[i]);
    }
    return turned;
  }

  moves(board, player) {
    const found = [];
    for (let square = 0; square < this.pass; square += 1) if (!board[square] && this.flips(board, square, player).length) found.push(square);
    return found;
  }

  /** The legal actions: squares in ascending order, or a pass; none if the game is over. */
  legal({ board, player }) {
    const found = this.moves(board, player);
    return found.length ? found : this.moves(board, -player).length ? [this.pass] : [];
  }

  /** @returns {Position} */
  play({ board, player }, action) {
    const next = board.slice();
    if (action < this.pass) for (const square of [action, ...this.flips(board, action, player)]) next[square] = player;
    return { board: next, player: -player, last: action };
  }

  /** Black's lead at the end of the game; the winner also gets the empty squares. */
  margin(board) {
    let lead = 0;
    let empty = 0;
    for (const disc of board) { lead += disc; empty += Number(!disc); }
    return lead + Math.sign(lead) * empty;
  }

  name(action) {
    return action === this.pass ? "pass" : "abcdefgh"[action % this.size] + (Math.floor(action / this.size) + 1);
  }

  action(name) {
    return name === "pass" ? this.pass : (Number(name[1]) - 1) * this.size + name.charCodeAt(0) - 97;
  }

  /** A position as the server's position_view tells it. */
  view(position) {
    const { board, player, last } = position;
    const place = square => [Math.floor(square / this.size), square % this.size];
    const squares = [...board.keys()];
    const actions = this.legal(position);
    const isOver = !actions.length;
    const scores = [1, -1].map(side => squares.filter(square => board[square] === side).length);
    const margin = this.margin(board);
    const winner = margin > 0 ? "black" : "white";
    const passed = last === this.pass && !isOver ? `${NAMES[player > 0 ? 1 : 0]} passed, ` : "";
    return {
      move: last === null ? null : this.name(last), action: last,
      pieces: squares.filter(square => board[square]).map(square => [...place(square), board[square] > 0 ? 0 : 1, false]),
      last: last === null || last === this.pass ? [] : [place(last)],
      choices: actions.map(action => ({ action, name: this.name(action), path: action === this.pass ? [] : [place(action)] })),
      toMove: player > 0 ? 0 : 1, scores, isOver, mustPass: actions[0] === this.pass, empties: this.pass - scores[0] - scores[1],
      status: isOver ? `game over: ${margin ? `${winner} wins` : "draw"}` : `${passed}${NAMES[player > 0 ? 0 : 1]} to move`,
      ending: isOver ? this.ending(scores, margin, winner) : null,
      end: isOver ? { values: [margin, margin && -margin], unit: "discs", exact: true, bound: this.pass, moves: [] } : null,
    };
  }

  ending(scores, margin, winner) {
    const [low, high] = scores.toSorted((one, other) => one - other);
    const by = Math.abs(margin);
    const many = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
    const empty = by - (high - low);
    const who = margin ? `${winner} wins by ${many(by, "disc")}, ${high} to ${low}${empty ? ` and ${many(empty, "empty square")}` : ""}` : `a draw, ${high} to ${low}`;
    const why = scores.includes(0) ? `${NAMES[scores.indexOf(0)]} has no disc left` : high + low < this.pass ? "neither side has a move" : "the board is full";
    return `${who}: ${why}`;
  }
}
