// A tournament's records: each agent's score against each other agent, and the games, which can be replayed.

import { button, headCell, html, tableOf, wide } from "./elements.js";
import { scoreText } from "./values.js";

const MOST_LISTED = 60;

/** The crosstable of a file of records. A click on a score lists its games. There are no ratings if an agent is rated `elsewhere`. `open(file, number)` replays a game. */
export function crosstable({ recorded, players, canReplay, standings, games }, elsewhere, open) {
  const order = [...standings.keys()].sort((a, b) => standings[b].score - standings[a].score);
  const list = html("div", { class: "games" });
  const rated = standings.some(({ rating }) => rating) && !standings.some(({ agent }) => elsewhere.has(agent));
  const show = (a, b) => {
    list.replaceChildren(gamesOf({ recorded, players, canReplay, standings, games }, a, b, open));
    list.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement | null} */ (list.querySelector("h4"))?.focus({ preventScroll: true });
  };
  const head = ["place", "agent", ...order.map((_, place) => String(place + 1)), "games", "score", ...(rated ? ["Elo", "95% interval"] : [])];
  const rows = order.map((a, place) => {
    const { agent, games: played, score, rating, against } = standings[a];
    return html("tr", {}, html("td", {}, String(place + 1)), html("th", { scope: "row" }, agent),
      ...order.map(b => html("td", {}, against[b] ? scoreButton(standings[a], standings[b], against[b], () => show(a, b)) : "–")),
      html("td", {}, String(played)), html("td", {}, scoreText(score)),
      ...(rated ? [html("td", {}, rating?.text ?? "–"), html("td", {}, rating?.range ?? "–")] : []));
  });
  return html("div", {}, wide("Crosstable", tableOf(head.map(text => headCell(text)), rows, { class: "cross" })),
    html("p", { class: "faint" }, "Each score is the score of the agent in the row. Click a score to see its games."
      + (rated ? " Elo is of these games alone: a scale of its own, not that of a ladder." : "")), list);
}

function scoreButton(one, other, { score, interval: [low, high], games }, onClick) {
  const title = `${one.agent} against ${other.agent}: ${scoreText(score)} in ${games} games (95%: ${scoreText(low)} to ${scoreText(high)})`;
  const made = button(scoreText(score), onClick, { class: "score", title, "aria-label": title });
  made.style.background = `color-mix(in srgb, var(--accent) ${Math.round(45 * score)}%, transparent)`;
  return made;
}

/** The list of the games between two agents. Each game is a button that replays it. */
function gamesOf({ recorded, players, canReplay, standings, games }, a, b, open) {
  const met = [...games.entries()].filter(([, { seats }]) => seats.includes(a) && seats.includes(b));
  const items = met.slice(0, MOST_LISTED).map(([number, { seats, scores, opening, fault }]) => {
    const sides = seats.map((agent, player) => `${players[player]} ${standings[agent].agent}`).join(" – ");
    const text = `${sides}: ${scores.join(" – ")}${fault === null ? "" : `, forfeited by ${players[fault]}`}`;
    return html("li", {}, button(text, () => open(recorded, number), { title: `opening ${opening}`, disabled: canReplay ? null : "" }));
  });
  const more = met.length > MOST_LISTED ? `, the first ${MOST_LISTED} of ${met.length}` : "";
  return html("section", {}, html("h4", { tabindex: -1 }, `${standings[a].agent} and ${standings[b].agent}${more}`), html("ol", {}, ...items));
}
