// The agent in a file of `othello-env export agent.npz agent.html`, as a program that speaks GTP. Node 20 runs it, so that
// the agent can be rated as the browser plays it:
//
//     othello-env benchmark 'gtp:command="node scripts/measure/browser_agent.mjs agent.html 200",seconds=600'
//
// The last argument is the time for a move in ms, as in the file; 0 looks one ply ahead. It is time of the processor, so that
// other programs on the machine do not weaken the agent; on a busy machine, `seconds` lets an answer come late.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const at = name => new URL(`../../othello_env/page/static/${name}.js`, import.meta.url).href;
const { Rules } = await import(at("rules"));
const { Agent, unpacked } = await import(at("search"));

performance.now = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const [, , file, ms] = process.argv;
const { tables } = JSON.parse(readFileSync(file, "utf8").match(/id="content">(.*?)<\/script>/s)[1]);
const rules = new Rules(tables.size);
const agent = new Agent(rules, tables, await unpacked(tables));
const players = { b: 1, black: 1, w: -1, white: -1 };
let position = rules.start();

function genmove() {
  const [first] = rules.legal(position);
  const best = first === rules.pass || Number(ms) === 0 ? agent.act(position) : agent.deepen(position, Number(ms), true).moves[0].action;
  position = rules.play(position, best);
  return rules.name(best);
}

const commands = {
  name: () => "browser", version: () => "1", protocol_version: () => "2", list_commands: () => Object.keys(commands).join("\n"),
  boardsize: () => "", komi: () => "", quit: () => "",
  clear_board: () => { position = rules.start(); return ""; },
  play: (player, name) => { position = rules.play({ ...position, player: players[player.toLowerCase()] }, rules.action(name.toLowerCase())); return ""; },
  genmove: player => { position.player = players[player.toLowerCase()]; return genmove(); },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...rest] = line.trim().split(/\s+/);
  if (!name) continue;
  process.stdout.write(name in commands ? `= ${commands[name](...rest)}\n\n` : "? unknown command\n\n");
  if (name === "quit") break;
}
