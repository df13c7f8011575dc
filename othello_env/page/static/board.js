// The board: the server's picture of the empty board, the pieces, the marks, and the squares that a person can choose.

import { svg, svgOf } from "./elements.js";

const TEXT_SIZES = { 1: 42, 2: 42, 3: 38, 4: 32 }; // font sizes of numbers over squares, by length

const CELL = 100; // the side of a square in the server's picture

const key = ([row, column]) => `${row},${column}`;
const middle = place => (place + .5) * CELL;

export class Board {
  /** `onSquare(row, column)` is called for a click, Enter or Space on a square. */
  constructor(parent, onSquare) {
    this.parent = parent;
    this.onSquare = onSquare;
    this.focus = [0, 0];
    this.isFlipped = false;
    this.rows = this.columns = 0;
    this.hasLabels = false; // whether squares have numbers, as in checkers
    this.players = [];
    this.pieces = new Map();
    this.hasKeys = false; // whether a square has the focus by keys, not by a click
    // An SVG element that listens to the focus could take it itself, so the parent listens.
    parent.addEventListener("keydown", event => this.keydown(event));
    parent.addEventListener("focusin", ({ target }) => {
      this.moveFocus(...target.dataset.place.split(",").map(Number), false);
      this.hasKeys = target.matches(":focus-visible");
      this.point(this.hasKeys ? [this.focus] : [], "focus");
    });
    parent.addEventListener("focusout", () => { this.hasKeys = false; this.point([], "focus"); });
  }

  /** Show the board turned by half a turn, or not turned. */
  flip(isFlipped) {
    this.isFlipped = isFlipped;
    this.root.classList.toggle("turned", isFlipped);
  }

  /** Show the empty board of another game. */
  setup(board) {
    const rows = board.labels.length;
    const columns = board.labels[0].length;
    Object.assign(this, { rows, columns, players: board.players, hasLabels: board.labels.flat().some(Boolean) });
    this.pieces = new Map();
    this.focus = [Math.min(this.focus[0], rows - 1), Math.min(this.focus[1], columns - 1)];
    this.layers = Object.fromEntries(["pieces", "over", "heat", "arrow", "pointed"].map(name => [name, svg("g", { class: name })]));
    this.squares = this.grid(board);
    this.root = svgOf(board.svg);
    // Screen readers read the names of the squares (see `nameSquares`), so the texts of the picture are hidden.
    for (const text of this.root.querySelectorAll("text")) text.setAttribute("aria-hidden", "true");
    const { width, height } = this.root.viewBox.baseVal;
    this.parent.style.setProperty("--ratio", String(width / height));
    const margin = (this.root.viewBox.baseVal.width - columns * CELL) / 2;
    this.root.append(svg("g", { transform: `translate(${margin} ${margin})` },
      this.layers.pieces, this.layers.over, this.squares, this.layers.heat, this.layers.arrow, this.layers.pointed));
    this.flip(this.isFlipped);
    this.parent.replaceChildren(this.root);
  }

  grid(board) {
    const group = svg("g", { role: "grid", "aria-label": "Board", "aria-rowcount": this.rows, "aria-colcount": this.columns });
    this.cells = board.labels.map((labels, row) => {
      const line = svg("g", { role: "row" });
      const made = labels.map((_, column) => {
        const square = svg("rect", {
          class: "square", role: "gridcell", tabindex: -1, x: column * CELL + 2, y: row * CELL + 2,
          width: CELL - 4, height: CELL - 4, "data-place": key([row, column]),
        });
        square.addEventListener("click", () => { this.moveFocus(row, column, false); this.onSquare(row, column); });
        return square;
      });
      line.append(...made);
      group.append(line);
      return made;
    });
    return group;
  }

  /** Give the keyboard focus to the square that had it last. Without `hasKeys`, the arrows step through the game. */
  takeFocus(hasKeys = true) {
    this.cells[this.focus[0]][this.focus[1]].focus({ preventScroll: true });
    if (hasKeys) return;
    this.hasKeys = false;
    this.point([], "focus");
  }

  /** The keys that move between squares. After a click, the keys of the page step through the game instead. */
  keydown(event) {
    if (!this.hasKeys) return;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const [row, column] = this.focus;
    if (event.key in steps) {
      const [down, right] = steps[event.key].map(step => this.isFlipped ? -step : step);
      this.moveFocus(Math.max(0, Math.min(this.rows - 1, row + down)), Math.max(0, Math.min(this.columns - 1, column + right)));
    } else if (event.key === "Home") this.moveFocus(row, 0);
    else if (event.key === "End") this.moveFocus(row, this.columns - 1);
    else if (event.key === "Enter" || event.key === " ") this.onSquare(row, column);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  moveFocus(row, column, take = true) {
    this.cells[this.focus[0]][this.focus[1]].setAttribute("tabindex", -1);
    this.focus = [row, column];
    this.cells[row][column].setAttribute("tabindex", 0);
    if (take) {
      this.cells[row][column].focus();
      this.point([[row, column]], "focus");
    }
  }

  /** Draw a frame around squares: the square with the keyboard focus ("focus"), or the move under the pointer ("pointed"). */
  point(path, how = "pointed") {
    for (const old of this.layers.pointed.querySelectorAll(`.${how}`)) old.remove();
    this.layers.pointed.append(...path.flatMap(([row, column]) => ["dark", "light"].map(tone => svg("rect", {
      class: `${how} ${tone}`, x: column * CELL + 5, y: row * CELL + 5, width: CELL - 10, height: CELL - 10, rx: 6,
    }))));
  }

  /**
   * Show a position. `legal` says whether legal moves are marked. `selected` is the place of the piece that a person wants to move,
   * or null.
   */
  show(view, { legal, selected, squareName }) {
    const owners = ownersOf(view);
    const choices = view.choices.filter(({ path }) => path.length && (!selected || key(path[0]) === key(selected)));
    const targets = byKey(choices.map(({ path }) => path.at(-1)));
    const movable = byKey(view.choices.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));
    this.showPieces(view);
    this.layers.over.replaceChildren(
      ...(legal ? [...targets.values()] : []).map(place => this.legalDot(view, place)),
      ...(legal && !selected ? [...movable.values()] : []).flatMap(place => [ring("movable dark", place, 43), ring("movable light", place, 43)]),
      ...view.last.map(place => svg("circle", {
        class: "last", cx: middle(place[1]), cy: middle(place[0]), r: 8.5,
        fill: this.players[owners.get(key(place)) ?? view.toMove].mark,
      })));
    this.nameSquares(view, owners, targets, movable, { selected, squareName });
  }

  /** Put the pieces on the board. Unchanged pieces keep their elements, so that only changed pieces are animated. */
  showPieces(view) {
    const shown = new Map();
    for (const [row, column, owner, king] of view.pieces) {
      const place = key([row, column]);
      const look = `${owner}${king ? "k" : ""}`;
      const old = this.pieces.get(place);
      if (old?.look === look) {
        old.element.classList.remove("placed", "flipped");
        shown.set(place, old);
      } else {
        shown.set(place, { look, element: this.piece(row, column, owner, king, old ? "flipped" : "placed") });
      }
    }
    this.pieces = shown;
    this.layers.pieces.replaceChildren(...[...shown.values()].map(each => each.element));
  }

  /** A dot in the player's colour. Its rim is light if the dot is dark, so that the dot can be seen on every background. */
  legalDot(view, [row, column]) {
    const { fill } = this.players[view.toMove];
    return svg("circle", {
      class: "legal", cx: middle(column), cy: middle(row), r: 13, fill, stroke: isDark(fill) ? "#fff" : "#0b1f14", "stroke-width": 3.5,
    });
  }

  piece(row, column, owner, king, change) {
    const use = svg("use", { href: `#${king ? "king" : "piece"}-${owner}`, x: middle(column), y: middle(row) });
    return svg("g", { class: `piece ${change}`, "data-owner": owner }, use);
  }

  /** Give each square a text for screen readers. */
  nameSquares(view, owners, targets, movable, { selected, squareName }) {
    const kings = new Set(view.pieces.filter(piece => piece[3]).map(key));
    const last = new Set(view.last.map(key));
    this.cells.forEach((cells, row) => cells.forEach((square, column) => {
      const place = key([row, column]);
      const owner = owners.get(place);
      const words = [squareName(row, column), owner === undefined ? "empty" : this.players[owner].name];
      if (kings.has(place)) words.push("king");
      if (last.has(place)) words.push("last move");
      if (movable.has(place)) words.push("can move");
      if (targets.has(place)) words.push("legal");
      square.setAttribute("aria-label", words.join(", "));
      square.setAttribute("tabindex", row === this.focus[0] && column === this.focus[1] ? 0 : -1);
      square.classList.toggle("selected", selected !== null && key(selected) === place);
      square.classList.remove("hinted");
    }));
  }

  /** Mark squares until the next position is shown. */
  hint(path) {
    for (const [row, column] of path) this.cells[row][column].classList.add("hinted");
  }

  /** Draw an arrow from the move that was played to the better move. `places` are their two squares, or null. */
  arrow(places) {
    this.layers.arrow.replaceChildren();
    if (!places) return;
    const [[y1, x1], [y2, x2]] = places.map(place => place.map(middle));
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (!length) return;
    const turned = `translate(${x1} ${y1}) rotate(${Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI})`;
    this.layers.arrow.append(
      svg("circle", { class: "worse", cx: x1, cy: y1, r: 34 }),
      svg("path", { class: "better", transform: turned, "data-to": key(places[1]), d: `M36 -7H${length - 64}V-20L${length - 38} 0L${length - 64} 20V7H36Z` }));
  }

  /**
   * Show numbers over squares. Each mark is `{place, text, share, value, exact, label}`; `share` is from 0 (worst) to 1 (best).
   * Exact numbers have a frame.
   */
  heat(marks) {
    this.root.classList.toggle("heated", marks.length > 0);
    const top = this.hasLabels ? 22 : 0; // the numbers of the squares stay readable
    this.layers.heat.replaceChildren(...marks.map(({ place: [row, column], text, share, value, exact, label }) =>
      svg("g", { "data-value": value, "data-place": key([row, column]) },
        svg("title", {}, label),
        svg("rect", {
          x: column * CELL + 5, y: row * CELL + 5 + top, width: CELL - 10, height: CELL - 10 - top, rx: 10,
          fill: share > .999 ? "#ffc83d" : "#f7e3a1", "fill-opacity": .16 + .72 * share * share, ...(exact ? { class: "exact", stroke: "#1c1408", "stroke-width": 4 } : {}),
        }),
        svg("text", {
          x: middle(column), y: middle(row) + top / 2, "font-size": TEXT_SIZES[text.length] ?? 27, "font-weight": share > .999 ? 700 : 500,
          "text-anchor": "middle", "dominant-baseline": "central", fill: "#1c1408", stroke: "#fff6df",
          "stroke-width": 5, "stroke-linejoin": "round", "paint-order": "stroke",
        }, text))));
  }
}

/** The owners of a position's pieces, by the key of their places. */
function ownersOf(view) {
  return new Map(view.pieces.map(([row, column, owner]) => [key([row, column]), owner]));
}

/** Whether a colour #rrggbb is dark, which means that its relative luminance is low. */
function isDark(colour) {
  const [red, green, blue] = [1, 3, 5].map(at => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return .2126 * red + .7152 * green + .0722 * blue < .18;
}

/** A map from the keys of places to the places. The map has each place only once. */
const byKey = places => new Map(places.map(place => [key(place), place]));

function ring(name, [row, column], radius) {
  return svg("circle", { class: name, cx: middle(column), cy: middle(row), r: radius });
}
