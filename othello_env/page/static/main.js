// The page: who plays whom, what happens next, and what the buttons and keys do.

import { get, Refused, send, think } from "./api.js";
import { Board } from "./board.js";
import { defaultSeat, newSeed, PLAYERS, setUpNew, setUpPaste, setUpResults, TITLES } from "./dialogs.js";
import { Game } from "./game.js";
import { Looking } from "./look.js";
import { clockText, heatMarks, showCurve, showMoves, showPlayers, worthText } from "./panels.js";
import { html } from "./svg.js";

const KEPT = "othello-env";
const PASS_MS = 900;
const ANSWER_MS = 350;
const HINTERS = ["engine", "alphabeta:depth=6", "maxn:depth=2", "tribolo"];
const byId = id => document.getElementById(id);

let offers;
let looking;
let game;
let openDialog;
let openPaste;
const table = { seats: [], clock: 0, used: [], ended: null, playing: false, selected: null, base: 0 };
let thinking = new AbortController();
let turn = 0;
let busy = false;

const board = new Board(byId("board"), choose);
const isHuman = player => table.seats[player] === "human";
const anyHuman = () => table.seats.includes("human");
const isOver = () => game.view.isOver || (table.ended !== null && game.atEnd);

function say(text) { byId("note").textContent = text; }

function keep() {
  const { seats, clock, used, ended, base } = table;
  const choices = Object.fromEntries(["look", "speed"].map(id => [id, byId(id).value]));
  const checks = Object.fromEntries(["legal", "exact"].map(id => [id, byId(id).checked]));
  sessionStorage.setItem(KEPT, JSON.stringify({ record: game.record, cursor: game.cursor, seats, clock, used, ended, base, choices, checks }));
}

/** Draw everything that hangs on the position, and go on. */
function refresh() {
  const exact = exactAt();
  board.show(game.view, game.before, {
    legal: byId("legal").checked, selected: table.selected, squareName: (row, column) => game.squareName(row, column),
  });
  byId("status").textContent = table.ended !== null && game.atEnd ? table.ended : game.view.status;
  document.title = `${TITLES[game.record.game]}: ${byId("status").textContent}`;
  byId("title").textContent = TITLES[game.record.game];
  showPlayers(game, table.seats, table.clock, table.used);
  showMoves(game, exact, goTo);
  showLook();
  for (const [id, enabled] of Object.entries({
    first: game.cursor > 0, back: game.cursor > 0, forward: !game.atEnd, last: !game.atEnd, restart: game.views.length > 1 || table.ended !== null,
    undo: anyHuman() && game.humanPly(-1, isHuman) !== null, redo: anyHuman() && game.humanPly(1, isHuman) !== null,
    hint: !isOver() && !game.view.mustPass && (isHuman(game.view.toMove) || !(table.playing || anyHuman())), resign: anyHuman() && !isOver(),
    play: !(isOver() && game.atEnd) && !(game.atEnd && isHuman(game.view.toMove)),
  })) byId(id).disabled = !enabled;
  byId("play").textContent = table.playing ? "Pause" : "Play";
  byId("play").setAttribute("aria-label", byId("play").textContent);
  keep();
}

function exactAt() {
  if (!byId("exact").checked || !looking.solver) return null;
  return ply => looking.at(looking.solver, "exact", game, ply);
}

function showLook() {
  const agent = byId("look").value;
  const exact = exactAt()?.(game.cursor);
  const found = exact ?? (agent ? looking.at(agent, "actions", game, game.cursor) : undefined);
  board.heat(isOver() ? [] : heatMarks(game, found));
  if (found) {
    const who = exact ? "Exact scores in discs" : `${agent}: ${found.kind === "values" ? found.unit : "probabilities"}`;
    const worth = worthText(game, found);
    byId("looked").textContent = `${who}${worth}`;
  } else if (!byId("looked").dataset.error) {
    byId("looked").textContent = agent && !isOver() ? "…" : "";
  }
  showCurve(game, agent ? game.views.map((_, ply) => looking.values(agent, game, ply)) : null, goTo);
}

function follow() {
  delete byId("looked").dataset.error;
  looking.follow(game, byId("look").value, byId("exact").checked, offers.exactEmpties);
}

function stopThinking() {
  thinking.abort();
  thinking = new AbortController();
  byId("cancel").hidden = true;
  turn += 1;
}

function wait(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

/** Do what comes next by itself: a pass, an agent's move, a step of what is played through. */
async function proceed() {
  stopThinking();
  refresh();
  follow();
  const mine = turn;
  const { signal } = thinking;
  try {
    await act(signal);
  } catch (error) {
    if (mine !== turn || signal.aborted) return;
    byId("cancel").hidden = true;
    table.playing = false;
    refresh();
    if (!(error instanceof Refused)) throw error;
    say(error.message);
  }
}

async function act(signal) {
  if (game.view.isOver) { table.playing = false; refresh(); return; }
  if (!game.atEnd) {
    if (!table.playing) return;
    await wait(Number(byId("speed").value), signal);
    game.cursor += 1;
    say(`${game.before.choices.find(c => c.action === game.record.moves[game.cursor - 1])?.name ?? ""}`);
    proceed();
    return;
  }
  if (table.ended !== null) return;
  const { view, mover } = game;
  if (!anyHuman() && !table.playing) return;
  if (view.mustPass) {
    say(`${mover} has no move and passes`);
    await wait(anyHuman() ? PASS_MS : Number(byId("speed").value), signal);
    await play(view.choices[0].action, signal);
    return;
  }
  if (isHuman(view.toMove)) { table.playing = false; refresh(); return; }
  await answer(view, mover, signal);
}

async function answer(view, mover, signal) {
  const agent = table.seats[view.toMove];
  const shown = setTimeout(() => { byId("cancel").hidden = false; say(`${agent} is thinking …`); }, 400);
  const more = table.clock ? { secondsLeft: Math.max(.05, table.clock - table.used[view.toMove]) } : {};
  try {
    const pace = wait(anyHuman() ? ANSWER_MS : Number(byId("speed").value), signal);
    const [{ action, name }] = await Promise.all([think(agent, "move", game.recordAt(), signal, more), pace]);
    say(`${mover} plays ${name}`);
    await play(action, signal);
  } finally {
    clearTimeout(shown);
    if (!signal.aborted) byId("cancel").hidden = true;
  }
}

async function play(action, signal) {
  const next = await game.played(action);
  if (signal?.aborted) return;
  game = next;
  table.ended = null;
  table.selected = null;
  proceed();
}

/** A square was chosen by click or key. */
async function choose(row, column) {
  if (busy) return;
  const { view } = game;
  if (isOver()) { say("the game is over"); return; }
  if (!isHuman(view.toMove)) { say(`it is ${game.mover}'s turn`); return; }
  if (view.mustPass) return;
  const here = place => place[0] === row && place[1] === column;
  const { selected } = table;
  const from = view.choices.filter(choice => choice.path.length === 2 && here(choice.path[0]));
  const found = view.choices.find(choice => choice.path.length === 1 ? here(choice.path[0])
    : choice.path.length === 2 && here(choice.path[1]) && selected && String(choice.path[0]) === String(selected));
  if (found) {
    await playChosen(found);
  } else if (from.length) {
    table.selected = selected && here(selected) ? null : [row, column];
    refresh();
  } else {
    board.refuse(row, column);
    say(`${game.squareName(row, column)} is not legal for ${game.mover}`);
  }
}

async function playChosen(choice) {
  busy = true;
  const { mover } = game;
  try {
    const path = choice.path.at(-1);
    await play(choice.action);
    say(`${mover} plays ${choice.name}`);
    // In a chain the same piece goes on.
    const on = game.view.choices;
    if (game.record.game === "checkers" && on.length && game.atEnd && game.mover === mover && isHuman(game.view.toMove)) {
      table.selected = path;
      refresh();
    }
  } finally {
    busy = false;
  }
}

function goTo(ply) {
  game.cursor = ply;
  table.playing = false;
  table.selected = null;
  say("");
  proceed();
}

async function begin(record, seats, clock) {
  stopThinking();
  busy = true;  // the old board takes no more clicks
  let next;
  try {
    next = await Game.of(record);
  } finally {
    busy = false;
  }
  Object.assign(table, { seats, clock, used: seats.map(() => 0), ended: null, selected: null, base: record.moves.length, playing: !seats.includes("human") });
  setGame(next);
}

function setGame(next) {
  game = next;
  board.setup(game.board);
  byId("exact").disabled = game.views[0].empties === null;
  fillLookers();
  say("");
  proceed();
}

function fillLookers() {
  const select = byId("look");
  const chosen = select.dataset.wanted ?? select.value;
  const lookers = looking.lookers(game.record.game);
  if (String([...select.options].slice(1).map(option => option.value)) === String(lookers.map(({ spec }) => spec))) return;
  select.replaceChildren(html("option", { value: "" }, "off"), ...lookers.map(({ spec }) => html("option", { value: spec }, spec)));
  if (lookers.some(({ spec }) => spec === chosen)) {
    select.value = chosen;
    delete select.dataset.wanted;
  }
}

async function hint() {
  const able = offers.agents.filter(agent => agent.games.includes(game.record.game)).map(({ spec }) => spec);
  const agent = HINTERS.find(spec => able.includes(spec)) ?? able.at(-1);
  if (!agent) { say("no agent here gives hints"); return; }
  stopThinking();
  const { signal } = thinking;
  byId("cancel").hidden = false;
  say(`${agent} is thinking …`);
  try {
    const { action, name } = await think(agent, "move", game.recordAt(), signal);
    board.hint(game.view.choices.find(choice => choice.action === action)?.path ?? []);
    say(`${agent} would play ${name}`);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof Refused)) throw error;
    say(error.message);
  } finally {
    if (!signal.aborted) byId("cancel").hidden = true;
  }
}

function resign() {
  const person = isHuman(game.view.toMove) ? game.view.toMove : table.seats.indexOf("human");
  game.record = game.recordAt();
  game.views = game.views.slice(0, game.cursor + 1);
  end(`${game.players[person].name} resigns`);
}

function end(text) {
  table.ended = `game over: ${text}`;
  table.playing = false;
  proceed();
}

function tick(seconds) {
  if (!game || !table.clock || isOver() || !game.atEnd || game.view.mustPass) return;
  if (!anyHuman() && !table.playing) return;
  const player = game.view.toMove;
  table.used[player] += seconds;
  const left = table.clock - table.used[player];
  const shown = document.querySelector(`.clock[data-player="${player}"]`);
  if (shown) shown.textContent = clockText(left);
  if (left <= 0) end(`${game.players[player].name} ran out of time`);
}

async function save(format) {
  const name = `${game.record.game.split(":")[0]}.${format}`;
  const blob = await (await send("replay", { record: game.record, format })).blob();
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  say(`saved as ${name}`);
}

async function copy() {
  const moves = game.views.slice(1).map(view => view.move).filter(move => move !== "pass");
  try {
    await navigator.clipboard.writeText(moves.join(" "));
    say("the transcript is copied");
  } catch {
    say(moves.join(" "));
  }
}

const ACTIONS = {
  new: () => openDialog(game.record.game, table.seats),
  paste: () => openPaste(game.record.game),
  first: () => goTo(0),
  back: () => goTo(Math.max(0, game.cursor - 1)),
  forward: () => goTo(Math.min(game.views.length - 1, game.cursor + 1)),
  last: () => goTo(game.views.length - 1),
  play: () => { table.playing = !table.playing; proceed(); },
  undo: () => goTo(game.humanPly(-1, isHuman)),
  redo: () => goTo(game.humanPly(1, isHuman)),
  hint,
  restart: () => begin(game.recordAt(table.base), table.seats, table.clock),
  resign,
  cancel: () => { stopThinking(); table.playing = false; refresh(); say("cancelled"); },
  copy,
  gif: () => save("gif"),
  html: () => save("html"),
};

const KEYS = { n: "new", u: "undo", r: "redo", h: "hint", p: "play", ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };

function setUpControls() {
  for (const [id, action] of Object.entries(ACTIONS)) {
    byId(id).addEventListener("click", async () => {
      try {
        await action();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        say(error.message);
      }
    });
  }
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input[type=number], select, textarea")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "l") byId("legal").click();
    else if (key in KEYS) {
      if (!byId(KEYS[key]).disabled) byId(KEYS[key]).click();
      event.preventDefault();
    }
  });
  byId("legal").addEventListener("change", refresh);
  byId("speed").addEventListener("change", keep);
  for (const id of ["look", "exact"]) byId(id).addEventListener("change", () => { refresh(); follow(); });
  let before = performance.now();
  setInterval(() => {
    const now = performance.now();
    tick((now - before) / 1000);
    before = now;
  }, 250);
}

/** The game that this tab had, if there is one that the server still understands. */
async function restore() {
  try {
    const { record, cursor, choices, checks, ...rest } = JSON.parse(sessionStorage.getItem(KEPT));
    const known = new Set(["human", ...offers.agents.map(({ spec }) => spec)]);
    const kept = await Game.of(record, cursor);
    Object.assign(table, rest, { seats: rest.seats.map(seat => known.has(seat) ? seat : "human"), playing: false, selected: null });
    byId("speed").value = choices.speed;
    byId("look").dataset.wanted = choices.look;
    for (const [id, checked] of Object.entries(checks)) byId(id).checked = checked;
    setGame(kept);
    return true;
  } catch {
    return false;
  }
}

async function main() {
  offers = await get("/api/offers");
  looking = new Looking(offers.agents, () => { fillLookers(); if (exactAt()) showMoves(game, exactAt(), goTo); showLook(); }, text => {
    byId("looked").dataset.error = "yes";
    byId("looked").textContent = text;
  });
  openDialog = setUpNew(offers, begin, say);
  openPaste = setUpPaste(offers.games, () => game.record.seed, async record => {
    const next = await Game.of(record);
    stopThinking();
    Object.assign(table, { seats: PLAYERS[record.game].map(() => "human"), clock: 0, used: PLAYERS[record.game].map(() => 0), ended: null, selected: null, base: 0, playing: false });
    setGame(next);
  });
  setUpControls();
  if (!await restore()) {
    const [first] = offers.games;
    await begin({ game: first, seed: newSeed(), position: null, moves: [] }, ["human", defaultSeat(first, offers.agents)], 0);
  }
  await setUpResults();
  await looking.learn();
  follow();
}

main();
