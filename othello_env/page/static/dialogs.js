// The dialogs for a new game and for a pasted game.

import { post } from "./api.js";
import { button, byId, html } from "./elements.js";
import { choose, offerOf, settingsFor, strengthOf } from "./picker.js";
import { newSeed } from "./table.js";
import { Refused } from "./waiting.js";

const OPENINGS = {
  start: "the start", "balanced-v0": "balanced: one of 500 even positions", "balanced-6x6-v0": "balanced: one of 250 positions that are draws",
  "random:4": "4 random plies", "random:10": "10 random plies", "random:20": "20 random plies",
};
const SHOWN = "shown";

for (const close of document.querySelectorAll("[data-close]")) {
  close.addEventListener("click", () => close.closest("dialog").close());
}

function gameOptions(select, games) {
  select.replaceChildren(...games.map(({ spec, title }) => html("option", { value: spec }, title)));
}

const playing = (agents, game) => agents.filter(agent => agent.games.includes(game));

/** A list of "you" and the agents that play a game, and inputs for the numbers in the chosen agent's spec. */
function seatChoice(player, index, agents, game, chosen) {
  const able = playing(agents, game);
  const select = html("select", { name: `seat-${index}` }, html("option", { value: "human" }, "you"),
    ...able.map(agent => html("option", { value: agent.spec }, `${agent.spec}${strengthOf(agent, game)}`)));
  if (chosen === "human") select.value = chosen;
  else choose(select, chosen);
  return html("div", {}, html("label", {}, `${player[0].toUpperCase()}${player.slice(1)} `, select), settingsFor(select, able));
}

/** Offer the openings of a game. If the board has a position of the same game, this position is offered, too. */
function fillOpenings(select, game, shown, openings) {
  const chosen = select.value;
  const balanced = { "balanced-v0": "othello", "balanced-6x6-v0": "othello:size=6" };
  const fits = opening => opening in balanced ? game === balanced[opening] : game !== "othello:size=4" || !["random:10", "random:20"].includes(opening);
  const names = Object.entries(OPENINGS).filter(([opening]) => fits(opening) && openings.includes(opening));
  if (game === shown.game) names.push([SHOWN, "the position on the board"]);
  select.replaceChildren(...names.map(([value, name]) => html("option", { value }, name)));
  select.value = names.some(([opening]) => opening === chosen) ? chosen : "start";
}

/**
 * Set up the dialog for a new game, and return a function that opens it; with `isContinued`, the dialog proposes to go on
 * from the position on the board. The dialog calls
 * `begin(record, seats)`, or `fail(reason)` if the server answers with an error.
 */
export function setUpNew({ games, agents, ratings, openings = Object.keys(OPENINGS) }, begin, fail) {
  const dialog = byId("new-dialog");
  const game = byId("game");
  gameOptions(game, games);
  const chosenGame = () => games.find(({ spec }) => spec === game.value);
  const seats = () => [.../** @type {NodeListOf<HTMLSelectElement>} */ (byId("seats").querySelectorAll("select[name^=seat]"))]
    .map(select => select.value);
  const able = spec => spec === "human" || (spec && offerOf(playing(agents, game.value), spec));
  const fill = chosen => {
    byId("seats").replaceChildren(...chosenGame().players.map((player, index) =>
      seatChoice(player, index, agents, game.value, able(chosen[index]) ? chosen[index] : defaultSeat(game.value, agents))));
    byId("ratings").textContent = game.value in ratings ? `The ratings are ${ratings[game.value]}.` : "";
    byId("ratings").hidden = !(game.value in ratings);
  };
  let shown;
  game.addEventListener("change", () => { fill(seats()); fillOpenings(byId("opening"), game.value, shown, openings); });
  byId("new-form").addEventListener("submit", async () => {
    const record = { game: game.value, seed: newSeed(), position: null, moves: [] };
    const opening = byId("opening").value;
    try {
      // The seed of a game with a random start makes its start, unless the record has a position.
      const seed = chosenGame().isRandom && !shown.position ? shown.seed : record.seed;
      const opened = opening === SHOWN ? { ...shown, seed, agents: [] } : (await post("open", { record, opening })).record;
      await begin(opened, seats());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fail(error.message);
    }
  });
  return (record, chosen, isContinued = false) => {
    shown = record;
    game.value = record.game;
    fill(chosen);
    fillOpenings(byId("opening"), game.value, shown, openings);
    if (isContinued) byId("opening").value = SHOWN;
    else if (byId("opening").value === SHOWN) byId("opening").value = "start";
    dialog.showModal();
  };
}

/** The spec of the opponent that is chosen at first. */
export function defaultSeat(game, agents) {
  const able = playing(agents, game);
  const wanted = able.find(({ given }) => given) ?? able.find(({ spec }) => spec === "alphabeta:depth=2") ??
    able.find(({ spec }) => spec === "tribolo") ?? able[0];
  return wanted?.spec ?? "human";
}

const base64 = file => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(String(reader.result).split(",")[1] ?? ""));
  reader.addEventListener("error", () => reject(new Refused(`${file.name} cannot be read`)));
  reader.readAsDataURL(file);
});

/**
 * Set up the dialog that opens a game from a text or a file, and return a function that opens it. A file can also be
 * dropped on the page. The dialog calls `begin(record)`.
 */
export function setUpPaste(games, begin) {
  const dialog = byId("paste-dialog");
  const game = byId("paste-game");
  gameOptions(game, games);
  let shown; // the record on the board, whose seed gives the start of a game with a random start
  const attempt = async action => {
    byId("paste-error").textContent = "";
    try {
      await action();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      byId("paste-error").textContent = error.message;
    }
  };
  const use = async record => { await begin(record); dialog.close(); };
  const empty = () => ({ game: game.value, seed: shown.seed, position: null, moves: [] });
  byId("paste-form").addEventListener("submit", event => {
    event.preventDefault();
    attempt(async () => use((await post("read", { record: empty(), text: byId("text").value })).record));
  });
  const read = file => attempt(async () => {
    const { games, left } = await post("file", { record: empty(), name: file.name, data: await base64(file) });
    if (games.length === 1) { await use(games[0].record); return; }
    byId("games").replaceChildren(...games.map(({ title, record }) => html("li", {}, button(title, () => attempt(() => use(record)), { type: "button" }))), ...(left ? [html("li", { class: "faint" }, `${left.toLocaleString("en")} more games are not listed`)] : []));
  });
  byId("file").addEventListener("change", event => { const [file] = /** @type {HTMLInputElement} */ (event.target).files; if (file) read(file); });
  document.addEventListener("dragover", event => event.preventDefault());
  document.addEventListener("drop", event => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (!file) return;
    if (!dialog.hasAttribute("open")) byId("paste").click();
    read(file);
  });
  return current => {
    shown = current;
    game.value = current.game;
    byId("paste-error").textContent = "";
    byId("file").value = "";
    byId("games").replaceChildren();
    dialog.showModal();
  };
}
