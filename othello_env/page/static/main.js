// The page: it shows the table, and its buttons and keys act on it.

import { get, isOffline, Refused, send } from "./api.js";
import { Board } from "./board.js";
import { defaultSeat, newSeed, PLAYERS, setUpNew, setUpPaste, setUpResults, TITLES } from "./dialogs.js";
import { Looking } from "./look.js";
import { heatMarks, showClock, showCurve, showMoves, showPlayers, worthText } from "./panels.js";
import { html } from "./elements.js";
import { HUMAN, Table } from "./table.js";

const KEPT = "othello-env";
const TICK_MS = 250;
const byId = id => document.getElementById(id);

let offers;
let table;
let looking;
let dialogs;

const board = new Board(byId("board"), (row, column) => attempt(() => table.choose(row, column)));

/** What the table calls. */
const page = {
  draw,
  follow,
  setUp() {
    byId("ready").hidden = true;
    document.querySelector("main").hidden = false;
    board.setup(table.game.board);
    byId("exact").parentElement.hidden = table.game.views[0].empties === null;
    fillLookers();
  },
  say,
  thinks(agent) {
    byId("cancel").classList.toggle("unseen", !agent);
    if (agent) say(thinking(agent));
    else if (byId("note").dataset.text?.startsWith(thinking(""))) say("");
  },
  hint(path) { board.mark(path, "hinted"); },
  chosen(path) { board.mark(path, "chosen"); },
  refuse(row, column) { board.refuse(row, column); },
  get pace() { return Number(byId("speed").value); },
};

const thinking = agent => `thinking: ${agent}`;

function say(text) {
  byId("note").dataset.text = text;
  byId("note").textContent = byId("note").title = sentence(text);
}

/** A text with a capital at its beginning, unless a spec, a path or a square is there. */
const sentence = text => text.replace(/^[a-z]+(?=[ :]? |$)/, word => word[0].toUpperCase() + word.slice(1));

/** Do what a person asked for; if the server refuses it, show why. */
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message);
  }
}

/** Draw everything that depends on the position. */
function draw() {
  const { game } = table;
  const title = TITLES[game.record.game];
  board.show(game.view, game.before, {
    legal: byId("legal").checked, selected: table.selected, squareName: (row, column) => game.squareName(row, column),
  });
  byId("title").textContent = title;
  byId("status").textContent = sentence(table.status);
  document.title = `${title}: ${table.status}`;
  showPlayers(table);
  showMoves(game, exactAt(), ply => table.goTo(ply));
  showLook();
  for (const [id, enabled] of Object.entries(table.can)) byId(id).disabled = !enabled;
  byId("play").textContent = table.isPlaying ? "Pause" : "Play";
  byId("play").setAttribute("aria-label", byId("play").textContent);
  keep();
}

/** A function that gives the exact scores at a ply, where they are known; null if they are not wanted. */
function exactAt() {
  if (!byId("exact").checked || !looking.solver) return null;
  return ply => looking.at(looking.solver, "exact", table.game, ply);
}

/** Show what the chosen agent thinks: numbers over the squares, the value, the curve. */
function showLook() {
  const { game } = table;
  const agent = byId("look").value;
  const exact = exactAt()?.(game.cursor);
  const found = exact ?? (agent ? looking.at(agent, "actions", game, game.cursor) : undefined);
  const looked = byId("looked");
  board.heat(table.isOver ? [] : heatMarks(game, found, table.selected));
  if (found) {
    looked.textContent = [exact ? "Exact scores in discs" : "Value", worthText(game, found)].filter(Boolean).join(": ");
  } else if (!looked.dataset.error) {
    looked.textContent = agent && !table.isOver ? "…" : "";
  }
  looked.title = looked.textContent;
  showCurve(game, agent ? game.views.map((_, ply) => looking.values(agent, game, ply)) : null, ply => table.goTo(ply));
}

function follow() {
  delete byId("looked").dataset.error;
  looking.follow(table.game, byId("look").value, byId("exact").checked, offers.exactEmpties);
}

/** Show what agents answered since. */
function learned() {
  fillLookers();
  if (exactAt()) showMoves(table.game, exactAt(), ply => table.goTo(ply));
  showLook();
}

/** List the agents that can say something about this game, and keep the chosen one. */
function fillLookers() {
  const select = byId("look");
  const chosen = select.dataset.wanted ?? select.value;
  const lookers = looking.lookers(table.game.record.game).map(({ spec }) => spec);
  if (String([...select.options].slice(1).map(option => option.value)) === String(lookers)) return;
  select.replaceChildren(html("option", { value: "" }, "off"), ...lookers.map(spec => html("option", { value: spec }, spec)));
  if (lookers.includes(chosen)) {
    select.value = chosen;
    delete select.dataset.wanted;
  }
}

/** Save the game as a file. */
async function save(format) {
  const { record } = table.game;
  const name = `${record.game.split(":")[0]}.${format}`;
  const blob = await (await send("replay", { record, format })).blob();
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  say(`saved as ${name}`);
}

/** Copy the game as text, or show the text if the browser does not allow that. */
async function copy() {
  const text = await table.transcript();
  try {
    await navigator.clipboard.writeText(text);
    say("the game is copied as text");
  } catch {
    say(text);
  }
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
  hint: () => table.hint(),
  restart: () => table.restart(),
  resign: () => table.resign(),
  cancel: () => table.cancel(),
  copy,
  gif: () => save("gif"),
  html: () => save("html"),
};
const KEYS = {
  n: "new", u: "undo", r: "redo", h: "hint", p: "play", l: "legal",
  ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last",
};

/** Show each control's key when the mouse rests on it. */
function nameKeys() {
  const names = { ArrowLeft: "←", ArrowRight: "→" };
  for (const [key, id] of Object.entries(KEYS)) (byId(id).closest("label") ?? byId(id)).title = `key: ${names[key] ?? key}`;
}

/** Let buttons and keys act on the table; it has a game by now. */
function setUpControls() {
  for (const id of ["new", "paste"]) byId(id).disabled = false;
  nameKeys();
  for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", () => attempt(action));
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input[type=number], select, textarea")) return;
    const button = byId(KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key]);
    if (!button) return;
    button.click(); // does nothing while the button is disabled
    event.preventDefault();
  });
  byId("legal").addEventListener("change", draw);
  byId("speed").addEventListener("change", keep);
  for (const id of ["look", "exact"]) byId(id).addEventListener("change", () => { draw(); follow(); });
  let before = performance.now();
  setInterval(() => {
    const now = performance.now();
    if (!isOffline()) table.tick((now - before) / 1000);
    before = now;
    showClock(table);
  }, TICK_MS);
}

/** Keep the game and the choices, in case this tab is loaded again. */
function keep() {
  const choices = Object.fromEntries(["look", "speed"].map(id => [id, byId(id).value]));
  if (byId("look").dataset.wanted) choices.look = byId("look").dataset.wanted;
  const checks = Object.fromEntries(["legal", "exact"].map(id => [id, byId(id).checked]));
  sessionStorage.setItem(KEPT, JSON.stringify({ ...table.keep(), choices, checks }));
}

/** Go on with the game that this tab had; false if there is none that the server understands. */
async function restore() {
  try {
    const { choices, checks, ...kept } = JSON.parse(sessionStorage.getItem(KEPT));
    byId("speed").value = choices.speed;
    byId("look").dataset.wanted = choices.look;
    for (const [id, checked] of Object.entries(checks)) byId(id).checked = checked;
    await table.restore(kept);
    return true;
  } catch {
    return false;
  }
}

async function main() {
  offers = await get("/api/offers");
  table = new Table(page, offers.agents);
  looking = new Looking(offers.agents, learned, text => {
    byId("looked").dataset.error = "yes";
    byId("looked").textContent = text;
  });
  dialogs = {
    openNew: setUpNew(offers, (record, seats, limit) => table.begin(record, seats, limit), say),
    openPaste: setUpPaste(offers.games, record => table.begin(record, PLAYERS[record.game].map(() => HUMAN), 0, 0)),
  };
  if (!await restore()) {
    const [first] = offers.games;
    await table.begin({ game: first, seed: newSeed(), position: null, moves: [] }, [HUMAN, defaultSeat(first, offers.agents)]);
  }
  setUpControls();
  await setUpResults();
  await looking.learn();
  follow();
}

main().catch(error => {
  byId("ready").textContent = `The page does not work: ${error.message}`;
  throw error;
});
