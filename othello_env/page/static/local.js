// What a file without a server has in place of api.js: the rules, an agent with its weights, or a game with its values.

import { Rules } from "./rules.js";
import { Refused } from "./waiting.js";

/**
 * The content of the file: an agent's `tables`, or a `game` that was analysed; see othello_env/page/standalone.py.
 * @type {any}
 */
const FILE = JSON.parse(document.getElementById("content").textContent);
const ONE_PLY = "one ply";
const SEARCH = "search";
const rules = FILE.tables || FILE.game.record.game.startsWith("othello") ? new Rules(FILE.size) : null;

const offer = (spec, label) => ({ spec, label, given: false, games: [FILE.spec], powers: ["analyse"], version: "", elo: {}, head: spec, fixed: [], settings: [] });
const agents = FILE.tables ? [offer(SEARCH, FILE.name), offer(ONE_PLY, FILE.name)] : FILE.game.answers.map(({ spec }) => offer(spec, ""));

/** The answers to GET requests. */
export async function get(path) {
  if (path !== "/api/offers") return path === "/api/runs" ? null : [];
  return {
    games: [{ spec: FILE.spec, title: FILE.title, players: FILE.board.players.map(({ name }) => name), isRandom: FILE.board.isRandom }],
    first: FILE.spec, agents, reviewer: agents[0]?.spec ?? "", blunder: 6, ratings: {}, openings: ["start"], game: FILE.game,
  };
}

/** The answers to messages. */
export async function post(name, message, signal) {
  signal?.throwIfAborted();
  switch (name) {
    case "game": return { board: message.from ? null : FILE.board, from: message.from ?? 0, views: views(message.record).slice(message.from ?? 0) };
    case "open": return { record: message.record };
    case "read": return { record: { ...message.record, moves: read(message.text) } };
    case "write": return { text: views(message.record).slice(1).filter(({ move }) => move !== "pass").map(({ move }) => move).join(" ") };
    default: throw new Refused("this file has no server for that");
  }
}

export const send = post;

const starts = (line, part) => part.length <= line.length && part.every((action, at) => action === line[at]);

function positions({ position, moves }) {
  const all = [position ? rules.read(position) : rules.start()];
  for (const action of moves) {
    if (!rules.legal(all.at(-1)).includes(action)) throw new Refused(`ply ${all.length}: ${rules.name(action)} is not legal`);
    all.push(rules.play(all.at(-1), action));
  }
  return all;
}

function views(record) {
  if (FILE.game && starts(FILE.game.record.moves, record.moves)) return FILE.game.views.slice(0, record.moves.length + 1);
  if (!rules) throw new Refused("this file has only its own game");
  return positions(record).map(position => rules.view(position));
}

/** The actions of a transcript; passes may be left out. */
function read(text) {
  const moves = [];
  let position = rules.start();
  for (const name of text.toLowerCase().match(/[a-h][1-8]|pass/g) ?? []) {
    if (name !== "pass" && rules.legal(position)[0] === rules.pass) { moves.push(rules.pass); position = rules.play(position, rules.pass); }
    if (!rules.legal(position).includes(rules.action(name))) throw new Refused(`ply ${moves.length + 1}: ${name} is not legal`);
    moves.push(rules.action(name));
    position = rules.play(position, moves.at(-1));
  }
  if (!moves.length) throw new Refused("paste a transcript");
  return moves;
}

/** @type {Worker | null} */
let worker = null;
let asked = 0;

function thread() {
  if (worker) return worker;
  const source = document.getElementById("worker").textContent;
  worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  worker.postMessage({ tables: FILE.tables });
  return worker;
}

/** An agent's answer to a task. `onNews` is called with the answers of less deep searches. */
export async function think(agent, task, record, signal, onNews = _news => {}) {
  signal?.throwIfAborted();
  if (!FILE.tables) {
    const { found } = FILE.game.answers.find(({ spec }) => spec === agent);
    return (starts(FILE.game.record.moves, record.moves) && found[record.moves.length]) || { values: null, moves: [], unit: "", exact: false, bound: null };
  }
  const id = asked += 1;
  const position = positions(record).at(-1);
  onNews({ doing: "thinking" });
  return new Promise((resolve, reject) => {
    const take = ({ data }) => {
      if (data.id !== id) return;
      if (!data.isLast) { onNews(data); return; }
      thread().removeEventListener("message", take);
      resolve(data.answer);
    };
    thread().addEventListener("message", take);
    signal?.addEventListener("abort", () => { thread().removeEventListener("message", take); reject(signal.reason); }, { once: true });
    thread().postMessage({ id, task, isDeep: agent === SEARCH, position });
  });
}
