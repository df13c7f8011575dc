// What the page computes without drawing, checked by Node: node --test tests/othello_env/page/pure.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";

const at = name => new URL(`../../../othello_env/page/static/${name}.js`, import.meta.url);
const { common, keepLine, leaving, swapped } = await import(at("lines"));
const { Versions } = await import(at("checkpoints"));
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
  const page = { setUp() {}, draw() {}, follow() {}, say() {}, fail() {}, thinks() {}, hint() {}, chosen() {}, refuse() {}, pace: 0 };
  const table = new Table(page, offers);
  const rest = { seats: [HUMAN, HUMAN], ended: null, base: 0, lines: [] };
  const record = { game: "othello", seed: 0, moves };
  table.resume({ ...rest, game: new Game(record, loaded(record)), playing: false });
  return { table, rest, record };
}

test("a second click on Bring back loses no game, and an error keeps all games", async () => {
  const answers = [];
  globalThis.fetch = () => new Promise(resolve => answers.push(resolve));
  const reply = (status, content) => answers.shift()(new Response(JSON.stringify(content), { status }));
  const { table, rest, record: two } = await tableWith([3, 4, 5], []);
  const one = { game: "othello", seed: 0, moves: [1, 2] };
  const kept = { ...rest, record: one, cursor: 2 };
  table.last = { what: "restart", kept, isBack: false };

  const failing = table.bringBack();
  reply(400, { error: "no" });
  await assert.rejects(failing, /no/);
  assert.equal(table.last.kept, kept);
  assert.equal(table.game.record, two);

  const both = [table.bringBack(), table.bringBack()];
  while (answers.length) reply(200, loaded(one));
  await Promise.all(both);
  assert.equal(table.game.record, one);
  assert.deepEqual(table.last.kept.record, two);
});

test("a hint ends a replay", async () => {
  globalThis.fetch = () => new Promise(() => {});
  const { table } = await tableWith([], [{ spec: "random", games: ["othello"] }]);
  table.playing = true;
  table.hint("random");
  assert.equal(table.playing, false);
});

test("intervals", () => {
  const { eloText, intervalText } = values;
  assert.deepEqual([1228.5, 1227.5, -2.5, -0.2].map(eloText), ["1229", "1228", "−3", "0"]); // as elo_text in Python
  assert.deepEqual([[1, 2], [null, 2.4], [1, null], [null, null], null, [-1, -0.1]].map(ends => intervalText(ends)), ["1 to 2", "at most 2", "at least 1", "–", "–", "−1 to 0"]);
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
  assert.deepEqual(shown.rows.map(({ name, elo, isYours, file }) => [name, elo, isYours, file]), [
    ["top", 950, true, "a.json"], ["mine", 500, true, "a.json"], ["random", 0, false, undefined],
  ]);
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
  assert.deepEqual(summary([judge(1, -4, 4), worse]), { choices: 2, best: .5, loss: 2, exactLoss: 2, blunders: 0 });
  assert.deepEqual(summary([]), { choices: 0, best: null, loss: null, exactLoss: null, blunders: 0 });
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

test("a game that was taken away comes back, and the other one in its place", () => {
  const game = (moves, opened = 0) => ({ record: { moves }, opened, lines: [] });
  assert.equal(leaving(null, "restart", game([])), null); // there was nothing to lose
  const own = leaving(null, "restart", game([1, 2]));
  assert.deepEqual(own, { what: "restart", kept: game([1, 2]), isBack: false });
  assert.equal(leaving(own, "recorded game", game([3, 4, 5], 3)), own); // a recorded game that was only looked at takes no place
  const back = swapped(own, game([4]));
  assert.deepEqual(back, { what: "restart", kept: game([4]), isBack: true });
  assert.deepEqual(swapped(back, game([1, 2])), own);
  assert.equal(swapped(own, game([6, 7], 2)), null);
  const resigned = leaving(own, "resign", game([]));
  assert.deepEqual([resigned.what, resigned.kept], ["resign", game([])]);
  assert.equal(swapped(leaving(null, "resign", game([1])), game([1])), null); // a game that had only been ended is not kept twice
});

test("a file that was left out for a time and comes back with a new version has changed", () => {
  const versions = new Versions();
  const agent = version => ({ spec: "a.npz", version });
  assert.deepEqual(versions.take([agent("1")]), []);
  assert.deepEqual(versions.take([]), []);
  assert.deepEqual(versions.take([agent("2")]), ["a.npz"]);
  assert.deepEqual(versions.take([agent("2")]), []);
});

async function evaluations(agents) {
  const page = /** @type {any} */ (globalThis);
  page.document = { getElementById: () => ({ hidden: true }) };
  const { Evaluations } = await import(at("evaluations"));
  return new Evaluations(agents, () => {}, () => {});
}

test("an agent that could not say what it can do is asked again", async () => {
  const known = await evaluations([{ spec: "a", games: ["othello"] }]);
  globalThis.fetch = async () => new Response("{}", { status: 400 });
  await known.learn();
  assert.deepEqual(known.lookers("othello"), []);
  globalThis.fetch = async () => new Response('{"powers": ["exact_scores"]}');
  await known.learn();
  assert.deepEqual([known.lookers("othello").length, known.lookers("checkers").length], [1, 0]);
});

test("all agents have the result of a finished game", async () => {
  const known = await evaluations([]);
  const end = { values: [10, -10], unit: "discs", exact: true, moves: [] };
  const game = { views: [{}, { isOver: true, end }], recordAt: ply => ({ moves: ply }) };
  assert.equal(known.at("a", game, 1), end);
  assert.equal(known.at("a", game, 0), undefined);
});

test("each curve has its own scale, and the part up to the end is exact if no estimate is in it", async () => {
  const { boundsOfTwo, firstExact } = await import(at("curve"));
  const point = (value, unit, bound, exact = false) => ({ values: [value, -value], unit, bound, exact });
  assert.deepEqual(boundsOfTwo([point(.3, "win minus loss", 1), null]), [-1, 1]);
  assert.deepEqual(boundsOfTwo([point(130, "points of the weights", null), point(400, "discs", 64, true)]), [-200, 200]);
  const mixed = [point(1, "discs", 64, true), point(2, "discs", 64), null, point(4, "discs", 64, true), point(4, "discs", 64, true)];
  assert.equal(firstExact(mixed), 3);
  assert.equal(firstExact(mixed.slice(0, 2)), null);
});
