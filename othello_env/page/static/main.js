// The page: it shows the table (the game with its players), and its buttons and keys act on the table.

import { Analysis } from "./analysis.js";
import { get, post } from "./api.js";
import { Board } from "./board.js";
import { Versions } from "./checkpoints.js";
import { defaultSeat, setUpNew, setUpPaste } from "./dialogs.js";
import { Editor } from "./editor.js";
import { byId, html } from "./elements.js";
import { errorCard } from "./errors.js";
import { showLines, showPlayers } from "./panels.js";
import { Runs } from "./runs.js";
import { copied, saveGame, saveGif, savePosition } from "./sharing.js";
import { HUMAN, newSeed, Table } from "./table.js";
import { Tabs } from "./tabs.js";
import { Refused } from "./waiting.js";

const KEPT = location.protocol === "file:" ? `othello-env ${location.pathname}` : "othello-env"; // files share one storage
const THEME = "othello-env-theme";

let offers;
let table;
let analysis;
let dialogs;
let runs;
const versions = new Versions();

const tabs = new Tabs(byId("tabs"), showTab);
const board = new Board(byId("board"), (row, column) => attempt(async () => editor.isOpen ? editor.choose(row, column) : table.choose(row, column)));
const editor = new Editor(board, record => attempt(() => openGame("board", record)));

/** Play and Analyse show the same board: to play without values, or to try moves and see their values. */
function showTab(name) {
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
    byId("tabs").inert = false;
    editor.edit(null);
    board.setup(table.game.board);
    analysis.setUp();
  },
  say,
  fail,
  thinks(agent, doing) {
    byId("cancel").classList.toggle("unseen", !agent);
    if (agent) say(`${doing}: ${agent}`);
    else if (/^(thinking|loading|waiting): /.test(byId("note").dataset.text ?? "")) say("");
  },
  hint(path) { board.mark(path, "hinted"); },
  chosen(path) { board.mark(path, "chosen"); },
  refuse(row, column) { board.refuse(row, column); },
  get pace() { return Number(byId("speed").value); },
};

function say(text) {
  byId("failure").replaceChildren();
  byId("note").dataset.text = text;
  byId("note").textContent = byId("note").title = sentence(text);
}

/** A text with a capital letter at its beginning. If it begins with a spec, a path or a square, it is not changed. */
const sentence = text => text.replace(/^[a-z]+(?=[ :,]? |$)/, word => word[0].toUpperCase() + word.slice(1));

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
  board.show(game.view, game.before, {
    legal: byId("legal").checked, selected: table.selected, squareName: (row, column) => game.squareName(row, column),
  });
  byId("title").textContent = title;
  byId("status").textContent = byId("status").title = sentence(table.status);
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
  byId("play").textContent = table.isPlaying ? "Pause" : "Play";
  byId("play").setAttribute("aria-label", byId("play").textContent);
  const { last } = table;
  enable("recover", last !== null);
  byId("recover").textContent = last ? `${last.isBack ? "Redo" : "Undo"} ${last.what}` : "";
  keep();
}

/** Show a button only while it can be used. Those below the board are dimmed instead, and hidden if `can` is null. */
function enable(id, can) {
  const button = byId(id);
  if (!can && button === document.activeElement) board.takeFocus();
  button.disabled = !can;
  button.hidden = can === null || (!can && !button.closest(".transport"));
}

/** Copy a text. If the browser does not allow this, show the text. */
async function copy(text, what) {
  say(await copied(text) ? `${what} is copied` : text);
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
  redo: () => table.redo(),
  hint: () => table.hint(analysis.spec("a")),
  restart: () => table.restart(),
  resign: () => table.resign(),
  rematch: () => table.rematch(),
  recover: () => table.bringBack(),
  review: () => { tabs.show("analyse"); analysis.toggleReview(); },
  edit: () => { tabs.show("analyse"); editor.edit(table.game); say("click a square to put a disc, to turn it, and to take it away"); },
  "edit-cancel": () => { editor.edit(null); say(""); draw(); },
  keys: () => byId("keys-dialog").showModal(),
  cancel: () => table.cancel(),
  flip,
  copy: async () => copy(await table.transcript(), "the game"),
  ...Object.fromEntries(["png", "svg"].map(format => [format, async () => say(`saved as ${await savePosition(table.game, board.root, format)}`)])),
  gif: async () => say(`saved as ${await saveGif(table.game, board.isFlipped, analysis.shownValues)}`),
  html: async () => say(`saved as ${await saveGame(table, titleOf(table.game.record.game), analysis.answers)}`),
};
const KEYS = {
  n: "new", o: "paste", u: "undo", r: "redo", h: "hint", p: "play", l: "legal", f: "flip",
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

/**
 * After a choice in a list, give the focus to the board, so that its keys work at once. A person who changes the choice by
 * keys stays in the list; Enter and Escape go to the board.
 */
function giveFocusBack(select) {
  let byKey = false;
  select.addEventListener("pointerdown", () => { byKey = false; });
  select.addEventListener("keydown", event => {
    byKey = !["Enter", "Escape"].includes(event.key);
    if (!byKey && tabs.shown !== "runs") board.takeFocus();
  });
  select.addEventListener("change", () => { if (!byKey && tabs.shown !== "runs") board.takeFocus(); });
}

/** Make the buttons and keys act on the table. The table must have a game. */
function setUpControls() {
  for (const id of ["new", "paste"]) byId(id).disabled = false;
  setUpMenu();
  nameKeys();
  for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", () => attempt(action));
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || tabs.shown === "runs") return;
    if (/** @type {Element} */ (event.target).closest("input[type=number], select, textarea")) return;
    if (SCROLLING.includes(event.key) && /** @type {Element} */ (event.target).closest('[role="region"][tabindex]')) return;
    const button = byId(KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key]);
    if (!button) return;
    button.click(); // does nothing while the button is disabled
    event.preventDefault();
  });
  for (const select of document.querySelectorAll("#panel-board select, nav select")) giveFocusBack(/** @type {HTMLElement} */ (select));
  byId("legal").addEventListener("change", draw);
  byId("speed").addEventListener("change", keep);
}

/** The menu closes after a click on one of its buttons, a click elsewhere, and Escape. */
function setUpMenu() {
  const menu = byId("menu");
  const summary = menu.querySelector("summary");
  document.addEventListener("click", event => {
    const target = /** @type {Element} */ (event.target);
    if (!menu.contains(target) || (target.closest("button") && menu.contains(target))) menu.removeAttribute("open");
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
  const choices = { ...analysis.choices(), speed: byId("speed").value, legal: byId("legal").checked, flipped: board.isFlipped, tab: tabs.shown };
  sessionStorage.setItem(KEPT, JSON.stringify({ ...table.keep(), last: table.last, choices }));
}

/** Continue the game that this tab had. Return false if there is no such game, or if the server cannot read it. */
async function restore() {
  try {
    const { choices, last, ...kept } = JSON.parse(sessionStorage.getItem(KEPT));
    byId("speed").value = choices.speed;
    byId("legal").checked = choices.legal;
    board.isFlipped = choices.flipped;
    byId("flip").setAttribute("aria-pressed", String(board.isFlipped));
    analysis.restore(choices);
    table.last = last;
    await table.restore(kept);
    tabs.show(choices.tab);
    return true;
  } catch {
    return false;
  }
}

/** The game that the address names, as that of `serve --game`; it is removed from the address. */
function gameOfAddress() {
  const named = new URLSearchParams(location.hash.slice(1)).get("game");
  if (named) history.replaceState(null, "", location.pathname);
  return offers.games.find(({ spec }) => spec === named)?.spec;
}

/** Begin the game of a record, and play it. */
async function begin(what, record, seats) {
  await table.begin(what, record, seats);
  tabs.show("play");
}

/** Put a game on the table, and analyse it. From now on, the arrow keys step through the game. */
async function openGame(what, record, more = {}) {
  await table.begin(what, record, null, { base: 0, ...more });
  tabs.show("analyse");
  board.takeFocus(false);
}

const emptyRecord = game => ({ game, seed: newSeed(), position: null, moves: [] });

/**
 * Make use of the agents that the server offers now. The list of agents is changed in place, because other parts of the
 * page hold this list.
 */
function takeAgents(agents) {
  const specs = list => String(list.map(({ spec }) => spec));
  const changed = versions.take(agents);
  const isSame = !changed.length && specs(agents) === specs(offers.agents);
  offers.agents.splice(0, offers.agents.length, ...agents);
  if (!isSame) analysis.agentsChanged(changed);
}

/** What a person can do on the board from the tab of runs. */
const fromRuns = {
  takeAgents,
  titleOf,
  open: (file, number) => attempt(async () => {
    const { record, opening, words } = await post("recorded", { file, number });
    const spoken = { moves: record.moves, words: words ?? [] };
    await openGame("recorded game", record, { base: opening, opened: record.moves.length, cursor: 0, spoken });
  }),
  play: ({ spec, games: [game] }) => attempt(() =>
    begin("new game", emptyRecord(game), offers.games.find(each => each.spec === game).players.map((_, index) => index ? spec : HUMAN))),
  look: ({ spec, games }) => attempt(async () => {
    if (!games.includes(table.game.record.game)) await openGame("new game", emptyRecord(games[0]));
    tabs.show("analyse");
    analysis.look(spec);
  }),
};

async function main() {
  setUpTheme();
  offers = await get("/api/offers");
  versions.take(offers.agents);
  table = new Table(page, offers.agents);
  analysis = new Analysis(offers, table, board, keep);
  dialogs = {
    openNew: setUpNew(offers, (record, seats) => begin("new game", record, seats), say),
    openPaste: setUpPaste(offers.games, record => openGame("paste", record)),
  };
  const named = gameOfAddress();
  if (!named && await restore()) {
    // The tab has the game again that it had.
  } else if (offers.game) {
    await openGame("file", offers.game.record, { cursor: 0 });
  } else {
    const first = named ?? offers.games[0].spec;
    await table.begin("new game", emptyRecord(first), [HUMAN, defaultSeat(first, offers.agents)]);
  }
  setUpControls();
  runs = new Runs(fromRuns);
  await Promise.all([ // both at once, so that the board has an analysis even if the runs cannot be shown
    analysis.evaluations.learn(analysis.first).then(() => { if (offers.game && analysis.canReview && analysis.first) analysis.toggleReview(); else analysis.follow(); }),
    attempt(() => runs.setUp()),
  ]);
}

main().catch(error => {
  byId("ready").hidden = false;
  byId("ready").textContent = `The page does not work: ${error.message}`;
  throw error;
});
