// The board editor: a click on a square puts a disc there, turns it, or takes it away. Then the position is opened.

import { byId, html } from "./elements.js";

export class Editor {
  /** `open(record)` opens the position that was set up. */
  constructor(board, open) {
    this.board = board;
    /** @type {any} */
    this.game = null; // the game whose board is edited
    byId("edit-done").addEventListener("click", () => open(this.record));
    byId("edit-clear").addEventListener("click", () => { this.owners = this.owners.map(row => row.map(() => -1)); this.draw(); });
    byId("edit-player").addEventListener("change", () => this.draw());
  }

  get isOpen() { return this.game !== null; }

  /** Begin to edit the position of a game that is shown; null stops. */
  edit(game) {
    this.game = game;
    byId("editor").hidden = !game;
    if (!game) return;
    this.owners = game.board.labels.map(row => row.map(() => -1));
    for (const [row, column, owner] of game.view.pieces) this.owners[row][column] = owner;
    byId("edit-player").replaceChildren(...game.players.map(({ name }, player) => html("option", { value: player }, name)));
    byId("edit-player").value = String(game.view.toMove);
    this.draw();
  }

  choose(row, column) {
    const { players } = this.game;
    this.owners[row][column] = (this.owners[row][column] + 2) % (players.length + 1) - 1;
    this.draw();
  }

  draw() {
    const pieces = this.owners.flatMap((row, y) => row.flatMap((owner, x) => owner < 0 ? [] : [[y, x, owner, false]]));
    this.board.heat([]);
    this.board.arrow(null);
    this.board.show({ pieces, last: [], choices: [], toMove: Number(byId("edit-player").value) }, {
      legal: false, selected: null, squareName: (row, column) => this.game.squareName(row, column),
    });
  }

  get record() {
    const text = this.owners.flat().map(owner => "-XO"[owner + 1]).join("");
    return { ...this.game.record, position: { text, player: this.game.players[Number(byId("edit-player").value)].name }, moves: [], agents: [] };
  }
}
