// A game: its record, which the page sends to the server, and its positions, which the server sends back.

import { post } from "./api.js";

export class Game {
  constructor(record, { board, views }, cursor) {
    this.record = record;
    this.board = board;
    this.views = views;
    this.cursor = Math.min(cursor ?? record.moves.length, record.moves.length);
  }

  /** Load the game of a record. The position at the ply `cursor` is shown, by default the last position. */
  static async fromRecord(record, cursor, signal) {
    return new Game(record, await post("game", { record }, signal), cursor);
  }

  get view() { return this.views[this.cursor]; }
  get atEnd() { return this.cursor === this.views.length - 1; }
  get players() { return this.board.players; }
  get mover() { return this.players[this.view.toMove].name; }

  /** The actions of this game and their names. */
  get line() { return { moves: this.record.moves, names: this.views.slice(1).map(view => view.move) }; }

  /** The record up to a ply, by default up to the ply that is shown. */
  recordAt(ply = this.cursor) {
    return { ...this.record, moves: this.record.moves.slice(0, ply) };
  }

  /** This game up to the position that is shown, and then an action. All old moves after that position are left out. */
  async played(action, signal) {
    const record = this.recordAt();
    record.moves.push(action);
    const at = record.moves.length;
    const { views } = await post("game", { record, from: at }, signal);
    return new Game(record, { board: this.board, views: [...this.views.slice(0, at), ...views] }, at);
  }

  /**
   * The nearest ply before (-1) or after (+1) the shown ply at which a human chooses a move; null if there is none.
   * In the direction +1, the last ply also counts.
   */
  humanPly(direction, isHuman) {
    for (let ply = this.cursor + direction; ply >= 0 && ply < this.views.length; ply += direction) {
      const view = this.views[ply];
      if (!view.isOver && !view.mustPass && isHuman(view.toMove)) return ply;
      if (direction > 0 && ply === this.views.length - 1) return ply;
    }
    return null;
  }

  /** The name of a square: its column and row in Othello and Tribolo, its number in checkers. */
  squareName(row, column) {
    const label = this.board.labels[row][column];
    if (label) return label;
    return this.board.columnLabels[column] ? this.board.columnLabels[column] + this.board.rowLabels[row] : "no square";
  }
}
