// The players, the list of moves, the other lines, the table of the moves' values, and the numbers over the squares.

import { byId, discIcon, html, renewChanged } from "./elements.js";
import { lossText, reviewed } from "./review.js";
import { bestActions, countText, MOMENT, moveRows, number, roundedActions, UNITS, valueText } from "./values.js";

/** Seconds as minutes and seconds: 1:05. */
function clockText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Show the players, their seats and their scores. */
export function showPlayers(table) {
  const { game, seats, names } = table;
  byId("players").replaceChildren(...game.players.map((player, index) => {
    const active = !table.isOver && game.view.toMove === index;
    return html("li", { class: active ? "active" : null, "aria-current": active ? "true" : null },
      discIcon(player),
      html("span", { class: "who" }, player.name, html("span", { class: "seat" }, names?.[index] ?? (table.isHuman(index) ? "you" : seats[index]))),
      html("span", { class: "clock", "data-player": index }),
      html("span", { class: "score", title: `${player.name}'s count` }, String(game.view.scores[index])));
  }));
  showClock(table);
}

/** Show the time that each player has left at the position that is shown. */
export function showClock({ game, clock }) {
  for (const shownClock of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".clock"))) {
    shownClock.textContent = clock.limit ? clockText(clock.left(game.cursor, Number(shownClock.dataset.player))) : "";
  }
}

/** Show the list of moves. `judged(ply)` is the review of the move that led to a ply, or null if it is not known. */
export function showMoves(game, judged, onPly) {
  const list = byId("moves");
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("data-ply") : null;
  /** @type {(selector: string) => HTMLElement | null} */
  const find = selector => list.querySelector(selector);
  const end = () => {
    const current = find("[aria-current]");
    return current ? [current.offsetLeft + current.offsetWidth, current.offsetTop + current.offsetHeight] : [0, 0];
  };
  const [right, bottom] = end();
  renewChanged(list, ...game.views.map((view, ply) => {
    const name = ply === 0 ? "start" : `${ply}. ${view.move}`;
    const button = html("button", { "data-ply": ply, "aria-current": ply === game.cursor ? "step" : null }, name);
    const move = ply ? judged(ply) : null;
    if (move && Number(lossText(move)) > 0) {
      const title = `lost ${move.isExact ? "" : "about "}${lossText(move)} discs; best was ${move.best}`;
      button.append(html("span", { class: move.isBlunder ? "lost blunder" : "lost", title }, `−${lossText(move)}`));
    }
    button.addEventListener("click", () => onPly(ply));
    return html("li", {}, button);
  }));
  if (focused !== null) find(`[data-ply="${focused}"]`)?.focus({ preventScroll: true });
  // The list scrolls to another ply with the game. If a review makes the moves longer, it scrolls as far as the end of the
  // present one was pushed. On a narrow page, the list is one line that scrolls to the side.
  if (list.dataset.cursor !== String(game.cursor)) centreMove();
  else list.scrollBy(end()[0] - right, end()[1] - bottom);
  list.dataset.cursor = String(game.cursor);
}

/** Scroll the list of moves so that the present move is in its middle. */
export function centreMove() {
  const list = byId("moves");
  const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
  if (current) list.scrollTo(current.offsetLeft - list.clientWidth / 2, current.offsetTop - list.clientHeight / 2);
}

/** Show the other lines of the game. Each line is shown from the first move that differs from the line on the board. */
export function showLines(lines, moves, onLine) {
  byId("lines").replaceChildren(...lines.map((line, index) => {
    const leaves = line.moves.findIndex((action, ply) => action !== moves[ply]);
    const from = leaves < 0 ? 0 : leaves;
    const names = line.names.slice(from, from + 5).join(" ");
    const more = line.names.length > from + 5 ? " …" : "";
    const button = html("button", { title: `another line of ${line.names.length} plies` }, `after ${from ? line.names[from - 1] : "the start"}: ${names}${more}`);
    button.addEventListener("click", () => onLine(index));
    return html("li", {}, button);
  }));
  byId("lines").hidden = !lines.length;
}

/**
 * The numbers over the squares: the values of the moves for the player to move. `found` is an answer about the position
 * that is shown. If a piece is selected, only its moves have numbers. Each `share` says how good the move is: from 0 for
 * the worst move to 1 for the best move. It follows the numbers that are shown, so that equal numbers look equal.
 */
export function heatMarks(game, found, selected) {
  if (!found) return [];
  const actions = roundedActions(found);
  const most = 1.5 * Math.max(1, ...Object.values(actions).filter(value => typeof value === "number").map(Math.abs));
  const numbers = Object.values(actions).map(value => number(value, most));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const best = new Map();
  for (const choice of game.view.choices) {
    const value = actions[choice.action];
    if (value === undefined || !choice.path.length) continue;
    if (selected && String(choice.path[0]) !== String(selected)) continue;
    const place = choice.path.at(-1);
    const old = best.get(String(place));
    if (old && old.rank >= number(value, most)) continue;
    const exact = found.actions[choice.action];
    const text = valueText(exact, found.unit, found.kind);
    const share = high > low ? (number(value, most) - low) / (high - low) : 1;
    const label = found.kind === "probabilities" ? `${choice.name}: ${text}` : `${choice.name}: ${text} ${found.unit} for ${game.mover}`;
    best.set(String(place), { place, text, share, value: exact, rank: number(value, most), label });
  }
  return [...best.values()];
}

const LINE = "expected line";

/**
 * The columns for what agents say about a move besides its value. `name` is the head of the column. `of(row)` returns
 * what each agent says about the row's move, and `text` turns this into a text. It also gets the view of the position.
 */
const MORE = [
  { name: "depth", of: row => row.facts.map(({ depth }) => depth), text: depth => String(depth) },
  { name: "nodes", of: row => row.facts.map(({ nodes }) => nodes), text: nodes => countText(nodes) },
  { name: "visits", of: row => row.visits, text: visits => countText(visits) },
  { name: LINE, of: row => row.facts.map(({ line, depth }) => line && { line, depth }), text: ({ line, depth }, view) => lineText(line, depth, view) },
];

const MEANINGS = {
  depth: "how many plies the search looked ahead", nodes: "how many positions the search for this move visited",
  visits: "how often the tree search tried this move", [LINE]: "the moves that the agent expects, this move first; … if it knows only the first of them",
  "exact discs": UNITS["discs, exact"], share: "the probability of the move, or its share of the visits",
};

/** What the head of a column means. Null if the head needs no explanation. */
const meaningOf = head => UNITS[head.slice(3)] ?? Object.entries(MEANINGS).find(([name]) => head.includes(name))?.[1] ?? null;

/** A column of `MORE` with what agent A, agent B or both say. Null if neither agent says anything for this column. */
function moreColumn({ name, of, text }, rows, hasB, view) {
  const slots = [0, 1].filter(slot => rows.some(row => of(row)[slot] !== undefined));
  if (!slots.length) return null;
  const isLine = name === LINE;
  const told = (row, slot) => of(row)[slot] === undefined ? "–" : text(of(row)[slot], view);
  const parts = row => isLine ? slots.map(slot => html("div", { class: hasB ? `${"ab"[slot]}-colour` : null }, told(row, slot)))
    : [slots.map(slot => told(row, slot)).join(" / ")];
  return {
    head: hasB ? `${name} ${slots.map(slot => "AB"[slot]).join(" / ")}` : name,
    cell: row => html("td", { class: isLine ? "line" : null, "data-more": name }, ...parts(row)),
  };
}

/** The heading of an agent's column. */
const headOf = (slot, found) => found ? `${slot}: ${found.kind === "probabilities" ? "share" : found.unit}` : slot;

/**
 * Show a table of the moves with their values by the agents and their exact scores. `onHover(path)` is called with the
 * path of the move under the pointer, and with [] when the pointer leaves the move.
 */
export function showTable(game, found, onHover) {
  const { a, b, exact } = found;
  const rows = game.view.isOver || game.view.mustPass ? [] : moveRows(game.view.choices, found);
  const columns = MORE.map(column => moreColumn(column, rows, Boolean(b), game.view)).filter(column => column !== null);
  const best = { a: bestActions(a), b: bestActions(b), exact: bestActions(exact) };
  const told = (answer, value) => value === undefined ? "" : valueText(value, answer.unit, answer.kind);
  const cell = (slot, row, answer, value) => html("td", {
    class: best[slot].has(row.action) ? "best" : null, "data-slot": slot, "data-value": value,
  }, told(answer, value));
  const head = ["move", headOf("A", a), ...(b ? [headOf("B", b)] : []), ...(exact ? ["exact discs"] : []), ...columns.map(column => column.head)];
  const body = rows.map(row => {
    const line = html("tr", { "data-action": row.action }, html("th", { scope: "row" }, row.name), cell("a", row, a, row.a),
      ...(b ? [cell("b", row, b, row.b)] : []), ...(exact ? [cell("exact", row, exact, row.exact)] : []),
      ...columns.map(column => column.cell(row)));
    line.addEventListener("pointerenter", () => onHover(row.path));
    line.addEventListener("pointerleave", () => onHover([]));
    return line;
  });
  const top = byId("table").scrollTop;
  byId("table").replaceChildren(html("table", {},
    html("thead", {}, html("tr", {}, ...head.map(text => html("th", { scope: "col", class: text.startsWith(LINE) ? "line" : /^[AB]: /.test(text) ? "value" : null, title: meaningOf(text) }, text)))), html("tbody", {}, ...body)));
  byId("table").scrollTop = top;
  const name = action => game.view.choices.find(choice => choice.action === action)?.name;
  const differ = a && b && rows.length && ![...best.a].some(action => best.b.has(action));
  byId("differ").textContent = differ ? `A and B disagree: A prefers ${[...best.a].map(name).join(", ")}, B ${[...best.b].map(name).join(", ")}.` : "";
}

/**
 * Show the review of a game: a summary for each side, and the blunders. `onBlunder(ply)` is called for a click on a blunder.
 * @param {any} review the server's review; undefined while it is being made
 */
export function showReview(game, review, { reviewer, opening, blunder, error }, onBlunder) {
  const played = review ? review.moves.filter(({ move }) => move !== "pass") : [];
  const exact = played.filter(move => move.exact).length;
  byId("review-state").textContent = error ?? (review
    ? `Losses are in discs. ${exact} of ${played.length} are exact${exact < played.length ? `; the others are estimates by ${reviewer}` : ""}. A blunder loses at least ${blunder} discs.${opening ? ` The ${opening} plies of the opening do not count.` : ""}`
    : `${reviewer} reviews the game. This takes some seconds …`);
  const number = (value, digits) => value === null ? "–" : value.toFixed(digits);
  /** @type {[string, string, (side: any) => string][]} */
  const columns = [
    ["choices", "moves when there was more than one legal move", side => String(side.moves)],
    ["best", "the share of the choices that lost nothing", side => side.best_move_rate === null ? "–" : `${Math.round(100 * side.best_move_rate)}%`],
    ["mean loss", "the discs that a choice lost, on average", side => number(side.mean_loss, 2)],
    ["exact part", "the mean loss of the choices whose loss is exact", side => number(side.exact_mean_loss, 2)],
    ["blunders", `choices that lost at least ${blunder} discs`, side => String(side.blunders.length)],
  ];
  byId("review-sides").replaceChildren(...(review ? [
    html("thead", {}, html("tr", {}, html("td", {}), ...columns.map(([name, title]) => html("th", { scope: "col", title }, name)))),
    html("tbody", {}, ...review.sides.map((side, player) => html("tr", {},
      html("th", { scope: "row" }, game.players[player].name), ...columns.map(([, , text]) => html("td", {}, text(side)))))),
  ] : []));
  const focused = document.activeElement?.closest("#blunders button")?.getAttribute("data-ply");
  const plies = review ? review.sides.flatMap(side => side.blunders.map(({ ply }) => ply)).sort((one, other) => one - other) : [];
  renewChanged(byId("blunders"), ...plies.map(ply => {
    const move = reviewed(review, game.views, ply, blunder);
    const button = html("button", { "data-ply": ply }, `${ply}. ${game.players[move.player].name} ${move.name} lost ${move.isExact ? "" : "about "}${lossText(move)} discs; best ${move.best}`);
    button.addEventListener("click", () => onBlunder(ply));
    return html("li", {}, button);
  }));
  if (focused) /** @type {HTMLElement | null} */ (byId("blunders").querySelector(`[data-ply="${focused}"]`))?.focus();
}

/** The player that a value is told for: the player to move, or the winner of a finished game. */
export const toldFor = view => view.isOver ? Math.max(0, view.returns.findIndex(result => result > 0)) : view.toMove;

/** The text in the evaluation bar: the number of `pointText`, or who has won. */
export function barText(point, view, players) {
  if (!view.isOver) return pointText(point, view, players).split(" ")[0];
  return view.returns.some(result => result > 0) ? `${players[toldFor(view)].name} won` : "draw";
}

/** The value of a position as a text with its unit, for the player of `toldFor`, or for each of more than two players. */
export function pointText({ values, unit }, view, players) {
  if (players.length > 2) {
    const told = players.map(({ name }, index) => `${name} ${valueText(values[index], unit)}`).join(", ");
    return view.isOver ? told : `${told} ${unit}`;
  }
  const player = toldFor(view);
  const named = typeof values[player] === "number" ? ` ${unit}` : "";
  return `${valueText(values[player], unit)}${named} for ${players[player].name}`;
}

/** At the end of a game whose exact score differs from the count of the discs: why it does. Otherwise an empty text. */
export function emptiesText({ isOver, empties, margins, scores }) {
  const [margin, counted] = [Math.max(...margins), Math.max(...scores) - Math.min(...scores)];
  if (!isOver || !empties || margin === counted) return "";
  return `In exact scores, the winner also gets the ${empties === 1 ? "empty square" : `${empties} empty squares`}: +${margin}`;
}

/** The moves that an agent expects. A search may know only the first of them; then "…" stands for the others. */
const lineText = (line, depth, { empties }) => line.join(" ") + (line.length < Math.min(depth ?? 0, empties ?? Infinity) ? " …" : "");

/** An agent's answer about the position that is shown, as a text. */
export function answerText(game, found) {
  const parts = [];
  if (found.values) parts.push(pointText(found, game.view, game.players) + (game.players.length > 2 ? MOMENT : ""));
  const best = [...bestActions(found)].map(action => game.view.choices.find(choice => choice.action === action)?.name).filter(Boolean);
  if (best.length) parts.push(`best ${best.join(", ")}`);
  if (found.depth !== null) parts.push(`depth ${found.depth}`);
  if (found.nodes !== null) parts.push(`${countText(found.nodes)} nodes`);
  if (found.line.length > 1) parts.push(`line ${lineText(found.line, found.depth, game.view)}`);
  return parts.join("; ") || "no value of this position";
}
