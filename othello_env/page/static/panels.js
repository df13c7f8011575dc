// What is beside the board: players, moves, the curve.

import { courseChart, number, valueText } from "./charts.js";
import { discIcon, html } from "./elements.js";

const byId = id => document.getElementById(id);

/** Seconds as minutes and seconds: 1:05. */
function clockText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Show the players, their seats and their scores. */
export function showPlayers(table) {
  const { game, seats } = table;
  byId("players").replaceChildren(...game.players.map((player, index) => {
    const active = !table.isOver && game.view.toMove === index;
    return html("li", { class: active ? "active" : null, "aria-current": active ? "true" : null },
      discIcon(player),
      html("span", { class: "who" }, player.name, html("span", { class: "seat" }, table.isHuman(index) ? "you" : seats[index])),
      html("span", { class: "clock", "data-player": index }),
      html("span", { class: "score", "aria-label": `${game.view.scores[index]} for ${player.name}` }, String(game.view.scores[index])));
  }));
  showClock(table);
}

/** Show the time that each player had left at the position that is shown. */
export function showClock({ game, clock }) {
  for (const shown of document.querySelectorAll(".clock")) {
    shown.textContent = clock.limit ? clockText(clock.left(game.cursor, Number(shown.dataset.player))) : "";
  }
}

/** Show the list of moves; `exact(ply)` gives the exact scores at a ply, if they are known. */
export function showMoves(game, exact, onPly) {
  const list = byId("moves");
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.ply : null;
  const scrolled = list.scrollTop;
  list.replaceChildren(...game.views.map((view, ply) => {
    const button = html("button", { "data-ply": ply, "aria-current": ply === game.cursor ? "step" : null },
      ply === 0 ? "start" : `${ply}. ${view.move}`);
    const loss = ply ? game.loss(ply, exact) : null;
    if (loss) button.append(html("span", { class: "lost", title: `${loss} discs worse than the best move` }, `−${loss}`));
    button.addEventListener("click", () => onPly(ply));
    return html("li", {}, button);
  }));
  if (focused !== null) list.querySelector(`[data-ply="${focused}"]`)?.focus({ preventScroll: true });
  // The list follows the game; as long as the game stays at its ply, so does the list.
  const current = list.querySelector("[aria-current]");
  const moved = list.dataset.cursor !== String(game.cursor);
  list.scrollTop = current && moved ? current.offsetTop - list.clientHeight / 2 : scrolled;
  list.dataset.cursor = game.cursor;
}

/**
 * The numbers over the squares. `found` is what an agent answered about the position that is shown. If a piece is
 * selected, only its moves have numbers.
 */
export function heatMarks(game, found, selected) {
  if (!found) return [];
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
    if (old && number(old.value, most) >= number(value, most)) continue;
    const text = valueText(value, found.unit, found.kind);
    const share = high > low ? (number(value, most) - low) / (high - low) : 1;
    best.set(String(place), { place, text, share, value, label: `${choice.name}: ${text} ${found.unit}` });
  }
  return [...best.values()];
}

/** What a position is worth: to the first of two players, or to each of three. */
export function worthText(game, { values, unit }) {
  if (!values) return "";
  const text = index => valueText(values[index], unit, "values");
  if (game.players.length === 2) return `${text(0)} for ${game.players[0].name}`;
  return game.players.map((player, index) => `${player.name} ${text(index)}`).join(", ");
}

/** Show the course of the game by the players' values at each ply; nothing if `values` is null. */
export function showCurve(game, values, onPly) {
  byId("curve").replaceChildren(...(values ? [courseChart(values, game.cursor, game.players, onPly)] : []));
}
