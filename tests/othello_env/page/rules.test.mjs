// The rules and the search in JavaScript against what Python wrote: node rules.test.mjs FILE. See test_standalone.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const at = name => new URL(`../../../othello_env/page/static/${name}.js`, import.meta.url);
const { Rules } = await import(at("rules"));
const { Agent, unpacked } = await import(at("search"));
const { tables, games, known, solved } = JSON.parse(readFileSync(process.argv[2], "utf8"));

for (const { size, moves, views } of games) {
  const rules = new Rules(size);
  let position = rules.start();
  assert.deepEqual(rules.view(position), views[0]);
  moves.forEach((action, ply) => {
    position = rules.play(position, action);
    assert.deepEqual(rules.view(position), views[ply + 1]);
    assert.equal(rules.action(rules.name(action)), action);
  });
}

const rules = new Rules(tables.size);
const agent = new Agent(rules, tables, await unpacked(tables));
const after = moves => moves.reduce((position, action) => rules.play(position, action), rules.start());
for (const { moves, action, found } of known) {
  const position = after(moves);
  assert.equal(agent.act(position), action);
  const told = agent.onePly(position);
  const values = Object.fromEntries(told.moves.map(move => [move.action, move.value]));
  assert.deepEqual(Object.keys(values), found.moves.map(move => String(move.action)).sort((a, b) => Number(a) - Number(b)));
  for (const move of found.moves) assert.ok(Math.abs(values[move.action] - move.value) < 1e-5, `${move.action}`);
  assert.ok(Math.abs(told.values[0] - found.values[0]) < 1e-5);
  assert.deepEqual([told.unit, told.exact, told.bound], [found.unit, found.exact, found.bound]);
}
for (const { moves, values } of solved) {
  const position = after(moves);
  const told = agent.deepen(position, 1e6);
  assert.ok(told.exact);
  assert.deepEqual(Object.fromEntries(told.moves.map(move => [move.action, move.value])), values);
  assert.equal(values[agent.deepen(position, 1e6, true).moves[0].action], told.values[0]);
}
