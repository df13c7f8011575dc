// The players, the list of moves, the other lines, the table of the moves' values, and the numbers over the squares.

import { byId, discIcon, html } from "./elements.js";
import { lossText, moveNumbers } from "./review.js";
import { bestActions, countText, moveRows, number, shown, valueText } from "./values.js";

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
  const scrolled = list.scrollTop;
  const numbers = moveNumbers(game.views);
  list.replaceChildren(...game.views.map((view, ply) => {
    const name = ply === 0 ? "start" : numbers[ply] === null ? view.move : `${numbers[ply]}. ${view.move}`;
    const button = html("button", { "data-ply": ply, "aria-current": ply === game.cursor ? "step" : null }, name);
    const move = ply ? judged(ply) : null;
    if (move && Number(lossText(move.loss, move.unit)) > 0) {
      const title = `lost ${lossText(move.loss, move.unit)} (${move.unit}); best was ${move.best}`;
      button.append(html("span", { class: move.isBlunder ? "lost blunder" : "lost", title }, `−${lossText(move.loss, move.unit)}`));
    }
    button.addEventListener("click", () => onPly(ply));
    return html("li", {}, button);
  }));
  /** @type {(selector: string) => HTMLElement | null} */
  const find = selector => list.querySelector(selector);
  if (focused !== null) find(`[data-ply="${focused}"]`)?.focus({ preventScroll: true });
  // When the game goes to another ply, the list scrolls to this ply. Otherwise it does not scroll.
  const current = find("[aria-current]");
  const moved = list.dataset.cursor !== String(game.cursor);
  list.scrollTop = current && moved ? current.offsetTop - list.clientHeight / 2 : scrolled;
  list.dataset.cursor = String(game.cursor);
}

/** Show the other lines of the game. Each is shown from the move at which it leaves the line on the board. */
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
 * The numbers over the squares. `found` is an answer about the position that is shown. If a piece is selected, only its
 * moves have numbers. For two players, the values are for the first player. The shares, from 0 for the worst move to 1
 * for the best move, are for the player to move.
 */
export function heatMarks(game, found, selected) {
  if (!found) return [];
  const { toMove } = game.view;
  const values = Object.values(found.actions).filter(value => typeof value === "number");
  const most = 1.5 * Math.max(1, ...values.map(Math.abs));
  const numbers = Object.values(found.actions).map(value => number(value, most));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const best = new Map();
  for (const choice of game.view.choices) {
    const value = found.actions[choice.action];
    if (value === undefined || !choice.path.length) continue;
    if (selected && String(choice.path[0]) !== String(selected)) continue;
    const place = choice.path.at(-1);
    const old = best.get(String(place));
    if (old && old.rank >= number(value, most)) continue;
    const told = found.kind === "probabilities" ? value : shown(value, toMove, game.players.length);
    const text = valueText(told, found.unit, found.kind);
    const share = high > low ? (number(value, most) - low) / (high - low) : 1;
    best.set(String(place), { place, text, share, value: told, rank: number(value, most), label: `${choice.name}: ${text} ${found.unit}` });
  }
  return [...best.values()];
}

/** The heading of an agent's column. */
const headOf = (slot, found) => found ? `${slot} ${found.kind === "probabilities" ? "share" : found.unit === "discs" ? "discs" : "value"}` : slot;

/**
 * Show a table of the moves with their values by the agents and their exact scores. `onHover(path)` is called with the
 * path of the move under the pointer, and with [] when the pointer leaves the move.
 */
export function showTable(game, found, onHover) {
  const { a, b, exact } = found;
  const rows = game.view.isOver || game.view.mustPass ? [] : moveRows(game.view.choices, found);
  const visits = rows.some(row => row.visitsA !== undefined || row.visitsB !== undefined);
  const best = { a: bestActions(a), b: bestActions(b), exact: bestActions(exact) };
  const told = (answer, value) => value === undefined ? ""
    : valueText(answer.kind === "probabilities" ? value : shown(value, game.view.toMove, game.players.length), answer.unit, answer.kind);
  const cell = (slot, row, answer, value) => html("td", {
    class: best[slot].has(row.action) ? "best" : null, "data-slot": slot, "data-value": value,
  }, told(answer, value));
  const head = ["move", headOf("A", a), ...(b ? [headOf("B", b)] : []), ...(exact ? ["exact discs"] : []), ...(visits ? ["visits"] : [])];
  const body = rows.map(row => {
    const line = html("tr", { "data-action": row.action }, html("th", { scope: "row" }, row.name), cell("a", row, a, row.a),
      ...(b ? [cell("b", row, b, row.b)] : []), ...(exact ? [cell("exact", row, exact, row.exact)] : []),
      ...(visits ? [html("td", {}, [row.visitsA, row.visitsB].filter(count => count !== undefined).map(countText).join(" / "))] : []));
    line.addEventListener("pointerenter", () => onHover(row.path));
    line.addEventListener("pointerleave", () => onHover([]));
    return line;
  });
  const top = byId("table").scrollTop;
  byId("table").replaceChildren(html("table", {},
    html("thead", {}, html("tr", {}, ...head.map(text => html("th", { scope: "col" }, text)))), html("tbody", {}, ...body)));
  byId("table").scrollTop = top;
  const name = action => game.view.choices.find(choice => choice.action === action)?.name;
  const differ = a && b && rows.length && ![...best.a].some(action => best.b.has(action));
  byId("differ").textContent = differ ? `A and B disagree: A prefers ${[...best.a].map(name).join(", ")}, B ${[...best.b].map(name).join(", ")}.` : "";
}

/** An agent's answer about the whole position, as a text. */
export function answerText(game, found) {
  const two = game.players.length === 2;
  const parts = [];
  if (found.values) {
    const discs = found.unit === "discs" ? " discs" : "";
    const text = index => `${valueText(found.values[index], found.unit)}${discs}`;
    const values = two ? `${text(0)} for ${game.players[0].name}` : game.players.map((player, index) => `${player.name} ${text(index)}`).join(", ");
    parts.push(`position ${values}${found.source ? ` (by ${found.source})` : ""}`);
  }
  const best = [...bestActions(found)].map(action => game.view.choices.find(choice => choice.action === action)?.name).filter(Boolean);
  if (best.length) parts.push(`best ${best.slice(0, 3).join(", ")}`);
  if (found.depth !== null) parts.push(`depth ${found.depth}`);
  if (found.nodes !== null) parts.push(`${countText(found.nodes)} nodes`);
  if (found.line.length > 1) parts.push(`line ${found.line.join(" ")}`);
  return parts.join(", ");
}
