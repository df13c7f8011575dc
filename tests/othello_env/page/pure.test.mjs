// What the page computes without drawing, checked by Node: node --test tests/othello_env/page/pure.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";

const at = name => new URL(`../../../othello_env/page/static/${name}.js`, import.meta.url);
const { common, keepLine } = await import(at("lines"));
const { shownLadders } = await import(at("ladder"));
const { bestActions, judged, lossText, readingText, squareMarks, summary } = await import(at("reading"));
const values = await import(at("values"));

test("values as text", () => {
  const { valueText } = values;
  const cases = [
    [0.123, "+0.12"], [-0.125, "−0.13"], [0.001, "0"], [-0.001, "0"], [0, "0"], [12, "+12"], [-3, "−3"], [123.4, "+123.4"], ["inf", "win"],
    ["-inf", "loss"],
  ];
  for (const [value, text] of cases) assert.equal(valueText(value), text);
  assert.equal(valueText(-6, "discs", true), "−6");
  assert.equal(valueText(-6, "discs"), "−6.0"); // an estimate, as `analyse` prints it
  assert.deepEqual([valueText(-1, "pieces ahead"), valueText(1, "win minus loss")], ["−1", "+1.00"]);
});

test("a score has one notation", () => {
  assert.deepEqual([.965, .5, 1, 0, .9999].map(share => values.scoreText(share)), [".965", ".500", "1.000", ".000", "1.000"]);
  assert.deepEqual([.625, .375, .575, .425, .5].map(share => values.scoreText(share, 2)), [".63", ".37", ".58", ".42", ".50"]);
});

test("a value is told for the first player, with its unit, and each of three players has one", () => {
  const players = [{ name: "black" }, { name: "white" }];
  const told = (values, unit, exact = false, who = players) => readingText({ values, unit, exact, bound: null, moves: [] }, who);
  assert.equal(told([.25, -.25], "win minus loss"), "black +0.25 win minus loss");
  assert.equal(told(["-inf", "inf"], "win minus loss"), "black loss");
  assert.equal(told([-8, 8], "discs", true), "black −8 discs, exact");
  assert.equal(told([3.25, -3.25], "discs"), "black +3.3 discs");
  const three = [...players, { name: "green" }];
  assert.equal(told([3, 2, 5], "cells", false, three), "black +3, white +2, green +5 cells");
  assert.equal(told(["inf", "-inf", "-inf"], "", true, three), "black win, white loss, green loss, exact");
});

test("a scale is fixed for values from -1 to 1, and fits other values", () => {
  const { greatestOf } = values;
  assert.equal(greatestOf([{ value: 0.01, bound: 1 }, { value: -0.02, bound: 1 }]), 1);
  assert.equal(greatestOf([{ value: 2, bound: 64 }]), 20);
  assert.equal(greatestOf([{ value: 60, bound: 64 }]), 64);
  assert.equal(greatestOf([{ value: 0.5, bound: null }]), 20);
  assert.equal(greatestOf([{ value: -130, bound: null }]), 200);
  assert.equal(greatestOf([]), 1);
});

test("colours and stars follow the numbers that are shown", () => {
  const choices = [1, 2, 3].map(action => ({ action, name: `m${action}`, path: [[0, action]] }));
  const game = { view: { choices, toMove: 0 }, players: [{ name: "black" }, { name: "white" }] };
  const move = (action, value) => ({ action, value, exact: false, share: null, line: [] });
  const found = { moves: [move(1, .0249), move(2, .0151), move(3, -.5)], unit: "win minus loss", exact: false, values: [.0249, -.0249], bound: 1 };
  const marks = squareMarks(game, found, null);
  assert.deepEqual(marks.map(({ text, share }) => [text, share]), [["+0.02", 1], ["+0.02", 1], ["−0.50", 0]]);
  assert.equal(marks[0].value, .0249); // the exact value stays with the mark
  assert.equal(marks[0].label, "m1: +0.02 win minus loss, black");
  assert.deepEqual(bestActions(found), new Set([1, 2]));
  assert.deepEqual(bestActions(undefined), new Set());
  const won = { ...found, moves: [{ ...move(1, "inf"), exact: true }] };
  assert.equal(squareMarks(game, won, null)[0].label, "m1: win, black, exact");
  const shares = { ...found, moves: [{ action: 2, value: null, share: .75, line: [] }, { action: 1, value: null, share: .25, line: [] }] };
  assert.deepEqual(squareMarks(game, shares, null).map(({ text }) => text), ["75%", "25%"]);
  assert.equal(squareMarks(game, shares, null)[0].label, "m2: 75% share, black to move");
});

test("ticks are round numbers that cover the range", () => {
  assert.deepEqual(values.ticks(0, 434), [0, 200, 400, 600]);
  assert.deepEqual(values.ticks(0, 7.5), [0, 2, 4, 6, 8]);
  assert.deepEqual(values.ticks(-0.3, 0.3), [-0.4, -0.2, 0, 0.2, 0.4]);
  for (const [low, high] of [[0, 1e-9], [3, 1e7], [-5, 0.1]]) {
    const found = values.ticks(low, high);
    assert.ok(found[0] <= low && found.at(-1) >= high && found.length >= 2 && found.length <= 9, `${found}`);
  }
  assert.deepEqual(values.ticks(5, 5), [5]);
});

const loaded = record => ({
  board: { players: [{ name: "black" }, { name: "white" }] },
  views: [null, ...record.moves].map(() => ({ toMove: 0, choices: [] })),
});

// A table with a game of two persons that has these moves.
async function tableWith(moves, offers) {
  globalThis.document = { getElementById: () => ({ hidden: true }) };
  const { HUMAN, Table } = await import(at("table"));
  const { Game } = await import(at("game"));
  const page = { setUp() {}, draw() {}, follow() {}, say() {}, fail() {}, thinks() {}, hint() {}, pace: 0 };
  const table = new Table(page, offers);
  const rest = { seats: [HUMAN, HUMAN], ended: null, base: 0, lines: [] };
  const record = { game: "othello", seed: 0, moves };
  table.resume({ ...rest, game: new Game(record, loaded(record)), playing: false });
  return { table, rest, record };
}

test("a second click on Previous game changes nothing, and an error keeps both games", async () => {
  const answers = [];
  globalThis.fetch = () => new Promise(resolve => answers.push(resolve));
  const reply = (status, content) => answers.shift()(new Response(JSON.stringify(content), { status }));
  const { table, rest, record: two } = await tableWith([3, 4, 5], []);
  const one = { game: "othello", seed: 0, moves: [1, 2] };
  const kept = { ...rest, record: one, cursor: 2 };
  table.previous = kept;

  const failing = table.bringBack();
  reply(400, { error: "no" });
  await assert.rejects(failing, /no/);
  assert.equal(table.previous, kept);
  assert.equal(table.game.record, two);

  const both = [table.bringBack(), table.bringBack()];
  while (answers.length) reply(200, loaded(one));
  await Promise.all(both);
  assert.equal(table.game.record, one);
  assert.deepEqual(table.previous.record, two);
});

test("an agent has one rating on a ladder, and ladders without rated agents are not shown", () => {
  const rungs = [{ name: "top", elo: 900, interval: [1, 2] }, { name: "random", elo: 0, interval: [0, 0] }];
  const ladders = [{ name: "ladder-v0", rungs }, { name: "ladder-6x6-v0", rungs }];
  const mine = { name: "mine", file: "a.json", elo: 500, interval: [400, null], ladder: "ladder-6x6-v0" };
  assert.deepEqual(shownLadders(ladders, []), []);
  const [shown, ...more] = shownLadders(ladders, [
    { ...mine, file: "b.json", elo: 480, interval: [100, 900] }, { ...mine, interval: [400, 600] }, { ...mine, file: "c.json" }, { ...mine, name: "top", elo: 950 },
  ]);
  assert.deepEqual([shown.name, more], ["ladder-6x6-v0", []]);
  assert.deepEqual(shown.rows.map(({ name, elo, file }) => [name, elo, file]), [["top", 950, "a.json"], ["mine", 500, "a.json"], ["random", 0, undefined]]);
});

const choice = (action, name) => ({ action, name, path: [[0, action]] });

test("a move's loss, and whether it was a blunder", () => {
  const views = played => [{ toMove: 1, choices: [choice(1, "a"), choice(2, "b")] }, { action: played, move: played === 1 ? "a" : "b" }];
  const found = (best, other, { exact = [1, 2], ...more } = {}) => ({ // white is to move, so the least value is the best
    unit: "discs", exact: true, values: [best, -best], bound: 64,
    moves: [[1, best], [2, other]].map(([action, value]) => ({ action, value, exact: exact.includes(action), share: null, line: [] })), ...more,
  });
  const judge = (played, ...values) => judged(found(...values), views(played), 1, 6);
  assert.deepEqual(judge(1, -4, 4), { ply: 1, player: 1, name: "a", loss: 0, best: choice(1, "a"), isExact: true, isBlunder: false });
  const worse = judge(2, -4, 0);
  assert.deepEqual([worse.loss, worse.best.name, worse.isBlunder], [4, "a", false]);
  assert.equal(judge(2, -4, 2).isBlunder, true);
  assert.equal(judge(2, -64, 2, { exact: [1] }).isExact, false); // what was played is only an estimate
  assert.equal(judge(2, -4, 2, { unit: "win minus loss" }), null);
  assert.equal(judged(undefined, views(1), 1, 6), null);
  assert.equal(judged(found(4, 2), [{ toMove: 0, choices: [choice(1, "a")] }, { action: 1 }], 1, 6), null);
  assert.equal(lossText({ loss: 6, isExact: true }), "6");
  assert.equal(lossText({ loss: 6.34, isExact: false }), "6.3");
  assert.deepEqual(summary([judge(1, -4, 4), worse]), { choices: 2, best: .5, loss: 2, blunders: 0 });
  assert.deepEqual(summary([]), { choices: 0, best: null, loss: null, blunders: 0 });
});

test("lines are kept once, and none that another one contains", () => {
  const line = (...moves) => ({ moves, names: moves.map(String) });
  assert.equal(common([1, 2, 3], [1, 2, 4]), 2);
  const one = keepLine([], line(1, 2, 3), line(1, 2, 4));
  assert.deepEqual(one, [line(1, 2, 3)]);
  assert.deepEqual(keepLine(one, line(1, 2), line(1, 2, 5)), one); // 1, 2 is the beginning of what is shown
  assert.deepEqual(keepLine(one, line(1, 2, 4), line(1, 2, 3)), [line(1, 2, 4)]); // the kept line is shown again
  assert.equal(keepLine(Array.from({ length: 20 }, (_, i) => line(9, i)), line(1, 2), line(3)).length, 12);
});

test("all agents have the result of a finished game, and what was said of another version of a file is forgotten", async () => {
  globalThis.document = { getElementById: () => ({ hidden: true }) };
  const { Evaluations } = await import(at("evaluations"));
  const agents = [{ spec: "a", version: "1" }];
  const known = new Evaluations(agents, () => {});
  const end = { values: [10, -10], unit: "discs", exact: true, moves: [] };
  const game = { views: [{}, { isOver: true, end }], recordAt: ply => ({ moves: ply }) };
  assert.equal(known.at("a", game, 1), end);
  assert.equal(known.at("a", game, 0), undefined);
  known.known.set(known.key("a", game, 0), { found: end, isLast: true });
  assert.equal(known.at("a", game, 0), end);
  agents[0] = { spec: "a", version: "2" };
  assert.equal(known.at("a", game, 0), undefined);
});

test("the lines of an answer are read as they come, and asked for again if the last one is missing", async () => {
  globalThis.document = { getElementById: () => ({ hidden: true }) };
  const { think } = await import(at("api"));
  const bodies = [['{"doing":"star', 'ting"}\n'], ['{"doing":"thinking"}\n{"ans', 'wer":{"action":1},"isLast":true}\n'], ['{"error":"no","agent":"a"}\n']];
  globalThis.fetch = async path => new Response(path === "/api/think" ? ReadableStream.from(bodies.shift()).pipeThrough(new TextEncoderStream()) : "{}");
  const news = [];
  assert.deepEqual(await think("a", "move", {}, undefined, each => news.push(each.doing)), { action: 1 });
  assert.deepEqual(news, ["starting", "thinking"]);
  await assert.rejects(think("a", "move", {}), /no/);
});

test("each curve has its own scale", async () => {
  const { boundsOfTwo } = await import(at("curve"));
  const point = (value, unit, bound, exact = false) => ({ values: [value, -value], unit, bound, exact });
  assert.deepEqual(boundsOfTwo([point(.3, "win minus loss", 1), null]), [-1, 1]);
  assert.deepEqual(boundsOfTwo([point(130, "points of the weights", null), point(400, "discs", 64, true)]), [-200, 200]);
});
