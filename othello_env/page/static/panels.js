// The players, the list of moves, the other lines, the table of the moves' values, and the review.

import { button, byId, discIcon, headCell, html, renewChanged, tableOf } from "./elements.js";
import { bestActions, lossText, moveLabel, moveNumber, moveText, moveUnit, sideOf, summary } from "./reading.js";
import { HUMAN } from "./table.js";

/** Show the players, their seats and their scores. */
export function showPlayers(table) {
  const { game, seats } = table;
  byId("players").replaceChildren(...game.players.map((player, index) => {
    const active = !table.isOver && game.view.toMove === index;
    const seat = table.names[index] || (seats.filter(each => each === HUMAN).length === 1 ? "you" : "");
    return html("li", { class: active ? "active" : null, "aria-current": active ? "true" : null },
      discIcon(player),
      html("span", { class: "who" }, player.name, html("span", { class: "seat", title: seat }, seat)),
      html("span", { class: "score", title: `${player.name}'s count` }, String(game.view.scores[index])));
  }));
}

/** Show the list of moves. `judged(ply)` is the review of the move that led to a ply, or null if it is not known. */
export function showMoves(game, judged, onPly) {
  const list = byId("moves");
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("data-ply") : null;
  // If a person has scrolled the list since, it stays where it is until another ply is shown.
  const isLeft = list.dataset.shown !== `${game.cursor} ${list.scrollLeft} ${list.scrollTop}` && list.dataset.shown?.startsWith(`${game.cursor} `);
  renewChanged(list, ...game.views.map((view, ply) => {
    const made = button(moveLabel(game.views, ply), () => onPly(ply), { "data-ply": ply, "aria-current": ply === game.cursor ? "step" : null });
    const move = ply ? judged(ply) : null;
    if (move && Number(lossText(move)) > 0) {
      const title = `lost ${move.isExact ? "" : "about "}${lossText(move)} discs; best was ${move.best.name}`;
      made.append(html("span", { class: move.isBlunder ? "lost blunder" : "lost", title }, ` loses ${lossText(move)}`));
    }
    return html("li", {}, made);
  }));
  if (focused !== null) /** @type {HTMLElement | null} */ (list.querySelector(`[data-ply="${focused}"]`))?.focus({ preventScroll: true });
  if (!isLeft) centreMove();
}

/** Scroll the list of moves so that the present move is in its middle. */
export function centreMove() {
  const list = byId("moves");
  const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
  if (!current) return;
  list.scrollTo(current.offsetLeft - list.clientWidth / 2, current.offsetTop - list.clientHeight / 2);
  list.dataset.shown = `${current.dataset.ply} ${list.scrollLeft} ${list.scrollTop}`;
}

/** Show the other lines of the game. Each line is shown from the first move that differs from the line on the board. */
export function showLines(lines, moves, onLine) {
  byId("lines").replaceChildren(...lines.map((line, index) => {
    const leaves = line.moves.findIndex((action, ply) => action !== moves[ply]);
    const from = leaves < 0 ? 0 : leaves;
    const names = line.names.slice(from, from + 5).join(" ");
    const more = line.names.length > from + 5 ? " …" : "";
    const text = `after ${from ? line.names[from - 1] : "the start"}: ${names}${more}`;
    return html("li", {}, button(text, () => onLine(index), { title: `another line of ${line.names.length} plies` }));
  }));
  byId("lines").hidden = !lines.length;
}

/** The moves of an expected line, each a button. */
const lineOf = (line, onLine) => line.flatMap(([, name], at) =>
  [button(name, () => onLine(line.slice(0, at + 1).map(([action]) => action)), { title: "show this position" }), " "]);

/**
 * Show a table of the moves with their values by the evaluator, in a comparison also by the other agent. `onHover(path)` is
 * called with the path of the move under the pointer, and with [] when the pointer leaves the move. `onLine(actions)` is called
 * for a click on a move of an expected line, with the actions up to this move.
 * @param {{a: import("./reading.js").Reading | undefined, b: import("./reading.js").Reading | undefined}} found
 */
export function showTable(game, found, isComparison, onHover, onLine) {
  const slots = isComparison ? ["a", "b"] : ["a"];
  const choices = new Map(game.view.choices.filter(({ path }) => path.length).map(choice => [choice.action, choice]));
  const ordered = [...(found.a ?? found.b)?.moves ?? []].map(({ action }) => action).filter(action => choices.has(action));
  const actions = [...new Set([...ordered, ...choices.keys()])];
  const known = Object.fromEntries(slots.map(slot => [slot, new Map((found[slot]?.moves ?? []).map(move => [move.action, move]))]));
  const best = Object.fromEntries(slots.map(slot => [slot, bestActions(found[slot])]));
  const hasLines = !isComparison && found.a?.moves.some(({ line }) => line.length);
  const cell = (slot, action) => {
    const move = known[slot].get(action);
    return html("td", { class: best[slot].has(action) ? "best" : null, "data-slot": slot, "data-value": move && (move.value ?? move.share) },
      ...(move ? [html("span", { class: move.exact ? "exact" : null }, moveText(found[slot], move))] : []));
  };
  const rows = actions.map(action => {
    const { name, path } = choices.get(action);
    const row = html("tr", { "data-action": action }, html("th", { scope: "row" }, name), ...slots.map(slot => cell(slot, action)),
      ...(hasLines ? [html("td", { class: "line" }, ...lineOf(known.a.get(action)?.line ?? [], onLine))] : []));
    row.addEventListener("pointerenter", () => onHover(path));
    row.addEventListener("pointerleave", () => onHover([]));
    return row;
  });
  const head = slots.map(slot => {
    const text = found[slot] ? `${moveUnit(found[slot])}, ${sideOf(found[slot], game)}` : "value";
    return headCell((isComparison ? `${slot.toUpperCase()}: ` : "") + text, { class: `${slot}-colour` });
  });
  const region = byId("table");
  const top = region.scrollTop;
  region.hidden = !rows.length || game.view.isOver;
  const lineHead = headCell("expected line", { class: "line", title: "the moves that the agent expects, this move first" });
  region.replaceChildren(tableOf([headCell("move"), ...head, ...(hasLines ? [lineHead] : [])], rows));
  region.scrollTop = top;
}

/**
 * Show the review of a game: a summary for each side, and the blunders. `onBlunder(ply)` is called for a click on a blunder.
 * @param {number} total the number of moves to review
 * @param {number} done the number of moves whose review is final
 * @param {import("./reading.js").Judged[]} moves those whose loss is known, if only by a less deep search
 */
export function showReview(game, total, done, moves, { reviewer, opening, blunder }, onBlunder) {
  const exact = moves.filter(({ isExact }) => isExact).length;
  byId("review-state").textContent = done < total ? `${reviewer} reviews the game: ${done} of ${total} moves …`
    : `Losses in discs. ${exact} of ${total} are exact${exact < total ? "; the others are estimates" : ""}. A blunder loses at least ${blunder}.${opening ? ` The ${opening} plies of the opening do not count.` : ""}`;
  const number = value => value === null ? "–" : value.toFixed(2);
  /** @type {[string, string, (side: any) => string][]} */
  const columns = [
    ["choices", "moves when there was more than one legal move", side => String(side.choices)],
    ["best", "the share of the choices that lost nothing", side => side.best === null ? "–" : `${Math.round(100 * side.best)}%`],
    ["mean loss", "the discs that a choice lost, on average", side => number(side.loss)],
    ["blunders", `choices that lost at least ${blunder} discs`, side => String(side.blunders)],
  ];
  const sides = game.players.map((_, player) => summary(moves.filter(move => move.player === player)));
  byId("review-sides").replaceChildren(
    html("thead", {}, html("tr", {}, html("td", {}), ...columns.map(([name, title]) => headCell(name, { title })))),
    html("tbody", {}, ...sides.map((side, player) => html("tr", {}, html("th", { scope: "row" }, game.players[player].name), ...columns.map(([, , text]) => html("td", {}, text(side)))))));
  const focused = document.activeElement?.closest("#blunders button")?.getAttribute("data-ply");
  renewChanged(byId("blunders"), ...moves.filter(({ isBlunder }) => isBlunder).map(move => {
    const text = `${moveNumber(game.views, move.ply)}. ${game.players[move.player].name} ${move.name} lost ${move.isExact ? "" : "about "}${lossText(move)} discs; best ${move.best.name}`;
    return html("li", {}, button(text, () => onBlunder(move.ply), { "data-ply": move.ply }));
  }));
  if (focused) /** @type {HTMLElement | null} */ (byId("blunders").querySelector(`[data-ply="${focused}"]`))?.focus();
}
