// The page: it shows the table (the game with its players), and its buttons and keys act on the table.

import { Analysis } from "./analysis.js";
import { get, post } from "./api.js";
import { Board } from "./board.js";
import { defaultSeat, setUpNew, setUpPaste } from "./dialogs.js";
import { Editor } from "./editor.js";
import { byId, html } from "./elements.js";
import { errorCard } from "./errors.js";
import { showLines, showPlayers } from "./panels.js";
import { Runs } from "./runs.js";
import { saveGame, saveGif, savePosition } from "./sharing.js";
import { HUMAN, newSeed, Table } from "./table.js";
import { Refused } from "./waiting.js";

const KEPT = location.protocol === "file:" ? `othello-env ${location.pathname}` : "othello-env"; // files share one storage
const THEME = "othello-env-theme";

let offers;
let table;
let analysis;
let dialogs;
let runs;

let shown = "play"; // the view: play, analyse or runs
const board = new Board(byId("board"), (row, column) => attempt(async () => editor.isOpen ? editor.choose(row, column) : table.choose(row, column)));
const editor = new Editor(board, record => attempt(() => openGame(record)));

/** Show a view. Play and Analyse show the same board: to play without values, or to try moves and see their values. */
function show(name) {
  if (name === shown) return;
  shown = name;
  for (const tab of byId("tabs").children) tab.setAttribute("aria-current", tab.id === `tab-${name}` ? "page" : "false");
  byId("panel-runs").hidden = name !== "runs";
  byId("panel-board").hidden = name === "runs";
  if (name !== "runs") {
    byId("panel-board").dataset.mode = name;
    table.isAnalysis = name === "analyse";
    editor.edit(null);
    table.proceed();
  }
  runs?.show();
  keep();
}

/** The functions that the table calls. */
const page = {
  draw,
  follow: () => analysis.follow(),
  setUp() {
    byId("ready").hidden = true;
    document.querySelector("main").hidden = false;
    document.querySelector("header").inert = false;
    editor.edit(null);
    board.setup(table.game.board);
    analysis.setUp();
  },
  say,
  fail,
  thinks(agent, doing) {
    byId("cancel").classList.toggle("unseen", !agent);
    if (agent) say(`${doing}: ${agent}`);
    else if (/^(waiting|starting|thinking): /.test(byId("note").textContent)) say("");
  },
  hint(path) { board.hint(path); },
  get pace() { return Number(byId("speed").value); },
};

function say(text) {
  byId("failure").replaceChildren();
  byId("note").textContent = byId("note").title = text;
}

/** Show that the server refused a request. If an agent failed, a card offers ways to go on. */
function fail(error, retry) {
  say(error.details.agent ? "" : error.message);
  if (!error.details.agent) return;
  byId("failure").replaceChildren(errorCard(error, {
    retry: () => { say(""); retry(); }, other: () => dialogs.openNew(table.game.recordAt(), table.seats, true),
  }));
  byId("failure").scrollIntoView({ block: "nearest" });
}

/** Do what a person asked for. If the server refuses the request, show the reason. */
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fail(error, () => attempt(action));
  }
}

const titleOf = game => offers.games.find(({ spec }) => spec === game)?.title ?? game;

/** Draw everything that depends on the position. */
function draw() {
  const { game } = table;
  const title = titleOf(game.record.game);
  board.show(game.view, {
    legal: byId("legal").checked, selected: table.selected, squareName: (row, column) => game.squareName(row, column),
  });
  byId("title").textContent = title;
  byId("status").textContent = byId("status").title = table.status;
  document.title = `${title}: ${table.status}`;
  showPlayers(table);
  analysis.drawMoves();
  showLines(table.lines, game.record.moves, index => attempt(() => table.openLine(index)));
  analysis.draw();
  byId("words").hidden = !table.spoken.words.length;
  byId("words").textContent = table.words;
  for (const [id, can] of Object.entries(table.can)) enable(id, can);
  enable("review", (analysis.canReview && (table.isAnalysis || table.isOver)) || null);
  enable("edit", game.record.game.startsWith("othello"));
  byId("review").classList.toggle("main", table.isOver && byId("review").getAttribute("aria-pressed") !== "true");
  byId("play").textContent = table.isPlaying ? "Pause" : "Autoplay";
  keep();
}

/** Show a button only while it can be used. Those below the board are dimmed instead, and hidden if `can` is null. */
function enable(id, can) {
  const button = byId(id);
  if (!can && button === document.activeElement) board.takeFocus();
  button.disabled = !can;
  button.hidden = can === null || (!can && !button.closest(".transport"));
}

/** Copy the moves. If the browser does not allow this, show them. */
async function copy() {
  const text = await table.transcript();
  say(await navigator.clipboard.writeText(text).then(() => "the game is copied", () => text));
}

const ACTIONS = {
  new: () => dialogs.openNew(table.game.recordAt(), table.seats),
  paste: () => dialogs.openPaste(table.game.record),
  first: () => table.goTo(0),
  back: () => table.goTo(table.game.cursor - 1),
  forward: () => table.forward(),
  last: () => table.goTo(table.game.views.length - 1),
  play: () => table.togglePlay(),
  undo: () => table.undo(),
  hint: () => table.hint(analysis.spec("a")),
  resign: () => table.resign(),
  rematch: () => table.rematch(),
  recover: () => table.bringBack(),
  ...Object.fromEntries(["play", "analyse", "runs"].map(name => [`tab-${name}`, () => show(name)])),
  review: () => { show("analyse"); analysis.toggleReview(); },
  edit: () => { show("analyse"); editor.edit(table.game); say("click a square to put a disc, to turn it, and to take it away"); },
  "edit-cancel": () => { editor.edit(null); say(""); draw(); },
  keys: () => byId("keys-dialog").showModal(),
  cancel: () => table.cancel(),
  flip,
  copy,
  ...Object.fromEntries(["png", "svg"].map(format => [format, async () => say(`saved as ${await savePosition(table.game, board.root, format)}`)])),
  gif: async () => say(`saved as ${await saveGif(table.game, board.isFlipped, analysis.shownValues)}`),
  html: async () => say(`saved as ${await saveGame(table, titleOf(table.game.record.game), analysis.answers)}`),
};
const KEYS = {
  n: "new", o: "paste", u: "undo", h: "hint", p: "play", l: "legal", f: "flip",
  ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", "?": "keys",
};

const SCROLLING = ["ArrowLeft", "ArrowRight", "Home", "End"]; // in a table that is wider than its place, these keys scroll

/** Turn the board by half a turn. */
function flip() {
  board.flip(!board.isFlipped);
  byId("flip").setAttribute("aria-pressed", String(board.isFlipped));
  keep();
}

/** Give each control a title with its key. */
function nameKeys() {
  const names = { ArrowLeft: "←", ArrowRight: "→" };
  for (const [key, id] of Object.entries(KEYS)) {
    const control = /** @type {HTMLElement} */ (byId(id).closest("label")) ?? byId(id);
    byId("keys-list").append(html("dt", {}, names[key] ?? key), html("dd", {}, control.getAttribute("aria-label") ?? control.textContent.trim()));
    control.title = `${control.title && `${control.title}; `}key: ${names[key] ?? key}`;
  }
}

/** Make the buttons and keys act on the table. The table must have a game. */
function setUpControls() {
  setUpMenu();
  nameKeys();
  for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", () => attempt(action));
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || shown === "runs") return;
    if (/** @type {Element} */ (event.target).closest("input[type=number], select, textarea")) return;
    if (SCROLLING.includes(event.key) && /** @type {Element} */ (event.target).closest('[role="region"][tabindex]')) return;
    const button = byId(KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key]);
    if (!button) return;
    button.click(); // does nothing while the button is disabled
    event.preventDefault();
  });
  // After a choice in a list by the mouse, the board has the focus, so that its keys work at once.
  document.addEventListener("change", ({ target }) => {
    if (/** @type {Element} */ (target).matches("nav select:not(:focus-visible), #panel-board select:not(:focus-visible)") && shown !== "runs") board.takeFocus();
  });
  byId("legal").addEventListener("change", draw);
  byId("speed").addEventListener("change", keep);
}

/** The menu closes after a click on one of its buttons, a click elsewhere, and Escape. */
function setUpMenu() {
  const menu = byId("menu");
  const summary = menu.querySelector("summary");
  document.addEventListener("click", event => {
    const target = /** @type {Element} */ (event.target);
    if (!menu.contains(target) || target.closest("button")) menu.removeAttribute("open");
  });
  menu.addEventListener("keydown", event => {
    if (event.key !== "Escape") return;
    menu.removeAttribute("open");
    summary.focus();
  });
}

/** Set the colours to light, dark, or the setting of the system. The choice is kept for all tabs. */
function setUpTheme() {
  const show = () => { document.documentElement.dataset.theme = byId("theme").value; };
  byId("theme").value = localStorage.getItem(THEME) ?? "";
  show();
  byId("theme").addEventListener("change", () => { localStorage.setItem(THEME, byId("theme").value); show(); });
}

/** Store the game and the person's choices, so that `restore` finds them if this tab is loaded again. */
function keep() {
  if (!table?.game) return;
  const choices = { ...analysis.choices(), speed: byId("speed").value, legal: byId("legal").checked, flipped: board.isFlipped, shown };
  sessionStorage.setItem(KEPT, JSON.stringify({ ...table.keep(), previous: table.previous, choices }));
}

/** Continue the game that this tab had. Return false if there is no such game, or if the server cannot read it. */
async function restore() {
  try {
    const { choices, previous, ...kept } = JSON.parse(sessionStorage.getItem(KEPT));
    byId("speed").value = choices.speed;
    byId("legal").checked = choices.legal;
    board.isFlipped = choices.flipped;
    byId("flip").setAttribute("aria-pressed", String(board.isFlipped));
    analysis.restore(choices);
    table.previous = previous;
    await table.restore(kept);
    show(choices.shown);
    return true;
  } catch {
    return false;
  }
}

/** Begin the game of a record, and play it. */
async function begin(record, seats) {
  await table.begin(record, seats);
  show("play");
  board.takeFocus(false);
}

/** Put a game on the table, and analyse it. From now on, the arrow keys step through the game. */
async function openGame(record, more = {}) {
  await table.begin(record, null, { base: 0, ...more });
  show("analyse");
  board.takeFocus(false);
}

const emptyRecord = game => ({ game, seed: newSeed(), position: null, moves: [] });

/**
 * Make use of the agents that the server offers now. The list of agents is changed in place, because other parts of the
 * page hold this list.
 */
function takeAgents(agents) {
  const isSame = JSON.stringify(agents) === JSON.stringify(offers.agents);
  offers.agents.splice(0, offers.agents.length, ...agents);
  if (!isSame) analysis.agentsChanged();
}

/** What a person can do on the board from the tab of runs. */
const fromRuns = {
  takeAgents,
  titleOf,
  open: (file, number) => attempt(async () => {
    const { record, opening, words } = await post("recorded", { file, number });
    const spoken = { moves: record.moves, words: words ?? [] };
    await openGame(record, { base: opening, cursor: 0, spoken });
  }),
  play: ({ spec, games: [game] }) => attempt(() =>
    begin(emptyRecord(game), offers.games.find(each => each.spec === game).players.map((_, index) => index ? spec : HUMAN))),
  look: ({ spec, games }) => attempt(async () => {
    if (!games.includes(table.game.record.game)) await openGame(emptyRecord(games[0]));
    show("analyse");
    analysis.look(spec);
  }),
};

async function main() {
  setUpTheme();
  offers = await get("/api/offers");
  table = new Table(page, offers.agents);
  analysis = new Analysis(offers, table, board, keep);
  dialogs = {
    openNew: setUpNew(offers, begin, say),
    openPaste: setUpPaste(offers.games, openGame),
  };
  const isRestored = await restore();
  if (!isRestored && offers.game) await openGame(offers.game.record, { cursor: 0 });
  else if (!isRestored) await table.begin(emptyRecord(offers.first), [HUMAN, defaultSeat(offers.first, offers.agents)]);
  setUpControls();
  if (offers.game && analysis.canReview) analysis.toggleReview();
  runs = new Runs(fromRuns);
  await attempt(() => runs.setUp());
}

main().catch(error => {
  byId("ready").hidden = false;
  byId("ready").textContent = `The page does not work: ${error.message}`;
  throw error;
});
