// The board, in the look of the package's own pictures: a wooden frame with coordinates, discs that are shaded.

import { svg } from "./svg.js";

const CELL = 100;
const MARGIN = 55;
const WOOD = { light: "#8a6040", dark: "#3b2414", plain: "#6a452a" };
const LABEL = "#dcc4a1";
const CORNER_LABEL = "#f7ecd9";
const GOLD = "#f2c14e";
const TEXT_SIZES = { 1: 42, 2: 42, 3: 38, 4: 32 }; // by its length
const CROWN = [[-1, .7], [-1.15, -.6], [-.5, .05], [0, -.85], [.5, .05], [1.15, -.6], [1, .7]];

const key = ([row, column]) => `${row},${column}`;
const middle = place => MARGIN + (place + .5) * CELL;

export class Board {
  /** `onSquare(row, column)` is called for a click, Enter or Space on a square. */
  constructor(parent, onSquare) {
    this.parent = parent;
    this.onSquare = onSquare;
    this.focus = [0, 0];
    this.pieces = new Map();
  }

  /** Draw the squares of another game. */
  setup(board) {
    const rows = board.cells.length;
    const columns = board.cells[0].length;
    Object.assign(this, { rows, columns, players: board.players, pieces: new Map(), names: new Map() });
    this.focus = [Math.min(this.focus[0], rows - 1), Math.min(this.focus[1], columns - 1)];
    const width = columns * CELL + 2 * MARGIN;
    const height = rows * CELL + 2 * MARGIN;
    this.layers = Object.fromEntries(
      ["piece", "over", "heat"].map(name => [name, svg("g", { class: name === "piece" ? "pieces" : name })]));
    this.squares = this.grid(board);
    this.root = svg("svg", { viewBox: `0 0 ${width} ${height}`, "font-family": "Aileron, Helvetica, Arial, sans-serif" },
      svg("defs", {}, ...board.players.map(shade)),
      ...frame(width, height, columns, rows),
      ...felt(board, rows, columns),
      ...labels(board),
      this.layers.piece, this.layers.over, this.squares, this.layers.heat);
    this.parent.replaceChildren(this.root);
  }

  grid(board) {
    const group = svg("g", { role: "grid", "aria-label": "Board", "aria-rowcount": this.rows, "aria-colcount": this.columns });
    this.cells = board.cells.map((cells, row) => {
      const line = svg("g", { role: "row" });
      const made = cells.map((_, column) => {
        const square = svg("rect", {
          class: "square", role: "gridcell", tabindex: -1, x: MARGIN + column * CELL + 2, y: MARGIN + row * CELL + 2,
          width: CELL - 4, height: CELL - 4, "data-place": key([row, column]),
        });
        square.addEventListener("click", () => { this.moveFocus(row, column, false); this.onSquare(row, column); });
        return square;
      });
      line.append(...made);
      group.append(line);
      return made;
    });
    group.addEventListener("keydown", event => this.keydown(event));
    return group;
  }

  keydown(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const [row, column] = this.focus;
    if (event.key in steps) {
      const [down, right] = steps[event.key];
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
    if (take) this.cells[row][column].focus();
  }

  /** Show a position; `before` is the one that the last move was played in, for what it turned over. */
  show(view, before, { legal, selected, squareName }) {
    const owners = new Map((before?.pieces ?? []).map(([row, column, owner]) => [key([row, column]), owner]));
    const seen = new Map();
    const flipped = [];
    for (const [row, column, owner, king] of view.pieces) {
      const place = key([row, column]);
      const look = `${owner}${king ? "k" : ""}`;
      const old = this.pieces.get(place);
      if (owners.has(place) && owners.get(place) !== owner) flipped.push([row, column]);
      if (old?.look === look) {
        old.element.classList.remove("placed", "flipped");
        seen.set(place, old);
      } else {
        seen.set(place, { look, element: this.piece(row, column, owner, king, old ? "flipped" : "placed") });
      }
    }
    this.pieces = seen;
    this.layers.piece.replaceChildren(...[...seen.values()].map(each => each.element));
    const looks = new Map(view.pieces.map(([row, column, owner]) => [key([row, column]), owner]));
    const mover = this.players[view.toMove];
    const choices = view.choices.filter(({ path }) => path.length && (!selected || key(path[0]) === key(selected)));
    const targets = new Map(choices.map(({ path }) => [key(path.at(-1)), path.at(-1)]));
    const movable = new Map(view.choices.filter(({ path }) => path.length > 1).map(({ path }) => [key(path[0]), path[0]]));
    this.layers.over.replaceChildren(
      ...flipped.map(([row, column]) => svg("circle", { class: "flip-ring", cx: middle(column), cy: middle(row), r: 41 })),
      ...(legal ? [...targets.values()] : []).map(([row, column]) =>
        svg("circle", { class: "legal", cx: middle(column), cy: middle(row), r: 12, fill: mover.fill, "fill-opacity": .55 })),
      ...(legal && !selected ? [...movable.values()] : []).map(([row, column]) =>
        svg("circle", { class: "movable", cx: middle(column), cy: middle(row), r: 43 })),
      ...view.last.map(place => svg("circle", {
        class: "last", cx: middle(place[1]), cy: middle(place[0]), r: 8.5,
        fill: this.players[looks.get(key(place)) ?? view.toMove].mark,
      })));
    this.name(view, looks, targets, movable, legal, selected, squareName);
  }

  piece(row, column, owner, king, change) {
    const [x, y] = [middle(column), middle(row)];
    const crown = CROWN.map(([dx, dy]) => `${x + 19 * dx},${y + 19 * dy}`).join(" ");
    return svg("g", { class: `piece ${change}`, "data-owner": owner },
      svg("circle", { cx: x + 2, cy: y + 4.5, r: 41, fill: "#0b2a19", "fill-opacity": .38 }),
      svg("circle", { cx: x, cy: y, r: 40, fill: `url(#shade-${owner})` }),
      ...(king ? [svg("polygon", { points: crown, fill: GOLD })] : []));
  }

  /** What a screen reader says of each square. */
  name(view, looks, targets, movable, legal, selected, squareName) {
    const kings = new Set(view.pieces.filter(piece => piece[3]).map(key));
    const last = new Set(view.last.map(key));
    this.cells.forEach((cells, row) => cells.forEach((square, column) => {
      const place = key([row, column]);
      const owner = looks.get(place);
      const words = [squareName(row, column), owner === undefined ? "empty" : this.players[owner].name];
      if (kings.has(place)) words.push("king");
      if (last.has(place)) words.push("last move");
      if (legal && movable.has(place)) words.push("can move");
      if (legal && targets.has(place)) words.push("legal");
      square.setAttribute("aria-label", words.join(", "));
      square.setAttribute("tabindex", row === this.focus[0] && column === this.focus[1] ? 0 : -1);
      square.classList.toggle("selected", selected !== null && key(selected) === place);
      square.classList.remove("hinted", "chosen", "wrong");
    }));
  }

  /** Mark squares as `hinted` or `chosen`, until a position is shown. */
  mark(path, how) {
    for (const [row, column] of path) this.cells[row][column].classList.add(how);
  }

  /** Show that a square could not be played. */
  refuse(row, column) {
    const square = this.cells[row][column];
    square.classList.remove("wrong");
    void square.getBoundingClientRect();
    square.classList.add("wrong");
  }

  /** Numbers over squares: `{place, text, share, value}`, share from 0 (worst) to 1 (best). */
  heat(marks) {
    this.root.classList.toggle("heated", marks.length > 0);
    this.layers.heat.replaceChildren(...marks.map(({ place: [row, column], text, share, value, label }) =>
      svg("g", { "data-value": value, "data-place": key([row, column]) },
        svg("title", {}, label),
        svg("rect", {
          x: MARGIN + column * CELL + 5, y: MARGIN + row * CELL + 5, width: CELL - 10, height: CELL - 10, rx: 10,
          fill: share > .999 ? "#ffc83d" : "#f7e3a1", "fill-opacity": .16 + .72 * share * share,
        }),
        svg("text", {
          x: middle(column), y: middle(row), "font-size": TEXT_SIZES[text.length] ?? 27, "font-weight": share > .999 ? 700 : 500,
          "text-anchor": "middle", "dominant-baseline": "central", fill: "#1c1408", stroke: "#fff6df",
          "stroke-width": 5, "stroke-linejoin": "round", "paint-order": "stroke",
        }, text))));
  }
}

function shade(player, index) {
  return svg("radialGradient", { id: `shade-${index}`, cx: .36, cy: .32, r: .7 },
    svg("stop", { offset: 0, "stop-color": player.light }), svg("stop", { offset: 1, "stop-color": player.fill }));
}

function frame(width, height, columns, rows) {
  return [
    svg("rect", { width, height, rx: 14, fill: WOOD.light }),
    svg("rect", { x: 4, y: 4, width: width - 4, height: height - 4, rx: 12, fill: WOOD.dark }),
    svg("rect", { x: 4, y: 4, width: width - 8, height: height - 8, rx: 11, fill: WOOD.plain }),
    svg("rect", { x: MARGIN - 5, y: MARGIN - 5, width: columns * CELL + 10, height: rows * CELL + 10, fill: WOOD.dark }),
  ];
}

function felt(board, rows, columns) {
  const made = [];
  board.cells.forEach((cells, row) => cells.forEach((cell, column) => {
    const [x, y] = [MARGIN + column * CELL, MARGIN + row * CELL];
    made.push(svg("rect", { x, y, width: CELL, height: CELL, fill: cell.fill }));
    if (cell.label) {
      made.push(svg("text", { x: x + 6, y: y + 14, "font-size": 18, fill: CORNER_LABEL, "dominant-baseline": "central" }, cell.label));
    }
  }));
  for (let row = 1; row < rows; row++) {
    made.push(svg("rect", { x: MARGIN, y: MARGIN + row * CELL - 1, width: columns * CELL, height: 2.5, fill: board.grid }));
  }
  for (let column = 1; column < columns; column++) {
    made.push(svg("rect", { x: MARGIN + column * CELL - 1, y: MARGIN, width: 2.5, height: rows * CELL, fill: board.grid }));
  }
  for (const [row, column] of board.dots) {
    made.push(svg("circle", { cx: MARGIN + column * CELL, cy: MARGIN + row * CELL, r: 7, fill: board.grid }));
  }
  return made;
}

function labels(board) {
  const text = (x, y, label) => svg("text", {
    x, y, "font-size": 27, fill: LABEL, "text-anchor": "middle", "dominant-baseline": "central", "aria-hidden": "true",
  }, label);
  return [
    ...board.columnLabels.map((label, column) => text(middle(column), .46 * MARGIN, label)),
    ...board.rowLabels.map((label, row) => text(.46 * MARGIN, middle(row), label)),
  ];
}
