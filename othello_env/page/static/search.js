// An agent with n-tuple weights without Python: the values of moves one ply ahead, and an alpha-beta search with a time limit.
// The Python package othello_agents.ntuple describes the weights.

const WIN = 1000; // a finished game is worth this and its margin, more than any estimate
const LOOK = 512; // the search looks at its clock after this number of positions

/** The weights of a network from the file: float16, deflated, first all low bytes, then all high ones. */
export async function unpacked({ weights }) {
  const packed = Uint8Array.from(atob(weights), char => char.charCodeAt(0));
  const bytes = new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
  const half = bytes.length / 2;
  const values = Float32Array.from({ length: 1 << 16 }, (_, bits) => halfFloat(bits));
  return Float32Array.from({ length: half }, (_, i) => values[bytes[i] | bytes[half + i] << 8]);
}

function halfFloat(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, bits >> 10 & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction);
}

class Late extends Error {}

export class Agent {
  /**
   * @param {import("./rules.js").Rules} rules
   * @param {{stages: number, offsets: number[], squares: number[][], discs: number[]}} tables the number of stages, the offsets
   *   and the squares of the placements, and the numbers that turn values into discs
   * @param {Float32Array} weights
   */
  constructor(rules, tables, weights) {
    this.rules = rules;
    this.weights = weights;
    this.offsets = tables.offsets;
    this.stages = tables.stages;
    this.discs = tables.discs;
    this.board = new Int8Array(rules.pass);
    this.count = this.nodes = this.deadline = 0;
    this.isExact = true;
    this.stage = weights.length / tables.stages;
    // For each square, the placements that contain it, and what a disc on it adds to their configurations.
    this.deltas = Array.from({ length: rules.pass }, () => []);
    tables.squares.forEach((squares, p) => squares.forEach((square, i) => this.deltas[square].push(p, p < tables.squares.length - 1 ? 3 ** i : 1)));
    this.codes = new Int32Array(this.offsets.length); // the configurations for Black
  }

  setUp(position) {
    this.board = position.board.slice();
    this.codes.fill(0);
    this.count = 0;
    this.board.forEach((disc, square) => { if (disc) { this.add(square, disc); this.count += 1; } });
  }

  add(square, times) {
    const deltas = this.deltas[square];
    for (let i = 0; i < deltas.length; i += 2) this.codes[deltas[i]] += times * deltas[i + 1];
  }

  put(square, turned, player) {
    this.board[square] = player;
    this.add(square, player);
    for (const each of turned) { this.board[each] = player; this.add(each, 2 * player); }
    this.count += 1;
  }

  take(square, turned, player) {
    this.board[square] = 0;
    this.add(square, -player);
    for (const each of turned) { this.board[each] = -player; this.add(each, -2 * player); }
    this.count -= 1;
  }

  /** The value of the board for the player who has just moved. The sums are those of Python, to the bit. */
  logit(player) {
    const { offsets, codes, weights } = this;
    const base = Math.max(0, Math.floor((this.count - 5) * this.stages / (this.rules.pass - 4))) * this.stage;
    const sums = [0, 0, 0, 0];
    const fours = offsets.length - offsets.length % 4;
    for (let p = 0; p < offsets.length; p += 1) sums[p < fours ? p % 4 : 0] += weights[base + offsets[p] + player * codes[p]];
    return Math.fround(sums[0] + sums[1] + (sums[2] + sums[3]));
  }

  /** The value of a finished game for a player. */
  result(player) {
    const margin = player * this.rules.margin(this.board);
    return margin ? Math.sign(margin) * (WIN + Math.abs(margin)) : 0;
  }

  /** The moves of a player, those with the best values one ply ahead first, each with the discs that it turns. */
  ordered(player, depth) {
    const found = [];
    for (let square = 0; square < this.rules.pass; square += 1) {
      const turned = this.rules.flips(this.board, square, player);
      if (!turned.length) continue;
      let rank = 0;
      if (depth > 1) {
        this.put(square, turned, player);
        rank = this.logit(player);
        this.take(square, turned, player);
      }
      found.push({ square, turned, rank });
    }
    return depth > 1 ? found.sort((one, other) => other.rank - one.rank) : found;
  }

  /** The value for the player to move; `hasPassed` says whether the other player has just passed. */
  search(player, depth, low, high, hasPassed) {
    this.nodes += 1;
    if (this.nodes % LOOK === 0 && performance.now() > this.deadline) throw new Late();
    if (depth <= 0 && this.count < this.rules.pass && !hasPassed) {
      const isOver = !this.rules.moves(this.board, player).length && !this.rules.moves(this.board, -player).length;
      if (isOver) return this.result(player);
      this.isExact = false;
      return -this.logit(-player);
    }
    const moves = this.ordered(player, depth);
    if (!moves.length) return hasPassed ? this.result(player) : -this.search(-player, depth, -high, -low, true);
    for (const { square, turned } of moves) {
      this.put(square, turned, player);
      let value;
      try {
        value = -this.search(-player, depth - 1, -high, -low, false);
      } finally {
        this.take(square, turned, player);
      }
      if (value > low) low = value;
      if (low >= high) break;
    }
    return low;
  }

  /** A value for the player to move in discs. */
  inDiscs(value, empties) {
    const squares = this.rules.pass;
    if (Math.abs(value) >= WIN) return Math.sign(value) * (Math.abs(value) - WIN);
    const [atEnd, perEmpty] = this.discs;
    return Math.max(-squares, Math.min(squares, (atEnd + perEmpty * empties) * Math.atanh(Math.tanh(value))));
  }

  /** The action with the best value one ply ahead, the first of the best: the move of Python's agent `ntuple`. */
  act(position) {
    const values = this.afterEach(position);
    return values.find(({ value }) => value === Math.max(...values.map(each => each.value))).action;
  }

  /** The values of the moves one ply ahead, as Python's agent `ntuple` tells them. */
  onePly(position) {
    const values = this.afterEach(position).sort((one, other) => other.discs - one.discs);
    return this.told(position, values, null);
  }

  afterEach(position) {
    this.setUp(position);
    const { player } = position;
    const actions = this.rules.moves(position.board, player);
    if (!actions.length) {
      const value = this.logit(player);
      return [{ action: this.rules.pass, value, discs: this.inDiscs(value, this.rules.pass - this.count), exact: false }];
    }
    return actions.map(action => {
      const turned = this.rules.flips(this.board, action, player);
      this.put(action, turned, player);
      const isOver = !this.rules.moves(this.board, player).length && !this.rules.moves(this.board, -player).length;
      const value = isOver ? this.result(player) : this.logit(player);
      this.take(action, turned, player);
      return { action, value, discs: this.inDiscs(value, this.rules.pass - this.count - 1), exact: isOver };
    });
  }

  /**
   * The values of all moves by a search that deepens for a time in ms; `onDepth(found)` gets those of each depth. A search
   * to the end of the game is exact. With `isMove`, only the best move is searched with certainty.
   */
  deepen(position, ms, isMove = false, onDepth = _found => {}) {
    let found = this.onePly(position);
    if (found.moves[0].action === this.rules.pass) return found;
    this.deadline = performance.now() + ms;
    this.nodes = 0;
    let order = found.moves.map(({ action }) => action);
    const { player } = position;
    const empties = this.rules.pass - this.count;
    for (let depth = 2; depth <= empties + 1 && order.length > Number(isMove); depth += 1) {
      const values = [];
      let low = -Infinity;
      try {
        let allExact = true;
        for (const action of order) {
          const turned = this.rules.flips(this.board, action, player);
          this.put(action, turned, player);
          this.isExact = true;
          try {
            const value = -this.search(-player, depth - 1, -Infinity, isMove ? -low : Infinity, false);
            values.push({ action, value, discs: this.inDiscs(value, empties), exact: this.isExact });
            low = Math.max(low, value);
            allExact &&= this.isExact;
          } finally {
            this.take(action, turned, player);
          }
        }
        found = this.told(position, values.sort((one, other) => other.value - one.value), depth);
        order = found.moves.map(({ action }) => action);
        onDepth(found);
        if (allExact) break;
      } catch (error) {
        if (!(error instanceof Late)) throw error;
        break;
      }
    }
    return found;
  }

  /** Values, the best first, as the server's Assessment tells them: for Black. */
  told({ player }, values, depth) {
    const moves = values.map(({ action, discs, exact }) => ({ action, value: player * discs || 0, exact, share: null, line: [] }));
    const [best] = moves;
    const exact = moves.length > 0 && (moves.every(move => move.exact) || (best.exact && Math.abs(best.value) >= this.rules.pass));
    return { unit: "discs", moves, values: best ? [best.value, -best.value || 0] : null, exact, bound: this.rules.pass, depth, nodes: depth ? this.nodes : null };
  }
}
