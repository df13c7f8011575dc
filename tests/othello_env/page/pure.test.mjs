// What the page computes without drawing, checked by Node: node --test tests/othello_env/page/pure.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";

const at = name => new URL(`../../../othello_env/page/static/${name}.js`, import.meta.url);
const { common, keepLine, Past } = await import(at("lines"));
const { valueAt } = await import(at("plot"));
const { Versions } = await import(at("checkpoints"));
const { ladderRows, shownLadders } = await import(at("ladder"));
const { exactly, lossText, reviewed } = await import(at("review"));
const values = await import(at("values"));

test("values as text", () => {
  const { valueText } = values;
  const cases = [
    [0.123, "+0.12"], [-0.125, "−0.13"], [0.001, "0"], [-0.001, "0"], [0, "0"], [12, "+12"], [-3, "−3"], [123.4, "+123.4"], ["inf", "win"],
    ["-inf", "loss"],
  ];
  for (const [value, text] of cases) assert.equal(valueText(value), text);
  assert.equal(valueText(0.256, "value", "probabilities"), "26%");
  assert.equal(valueText(-6, "discs, exact"), "−6");
  assert.deepEqual([valueText(-1, "pieces ahead"), valueText(1, "win minus loss")], ["−1", "+1.00"]);
  assert.equal(valueText(-6, "expected discs"), "−6.0"); // as `analyse` prints it
});

test("a score has one notation", () => {
  assert.deepEqual([.965, .5, 1, 0, .9999].map(share => values.scoreText(share)), [".965", ".500", "1.000", ".000", "1.000"]);
  assert.equal(values.scoreText(.625, 2), ".63");
});

test("a value is told for the player to move, at the end for the winner, and with its unit", async () => {
  const { pointText } = await import(at("panels"));
  const players = [{ name: "black" }, { name: "white" }];
  const told = (values, unit, more) => pointText({ values, unit }, { toMove: 1, isOver: false, ...more }, players);
  assert.equal(told([.25, -.25], "mean of result and margin"), "−0.25 mean of result and margin for white");
  assert.equal(told(["inf", "-inf"], "win minus loss"), "loss for white");
  assert.equal(told([-8, 8], "discs, exact", { isOver: true, returns: [-1, 1] }), "+8 discs, exact for white");
  assert.equal(told([8, -8], "discs, exact", { isOver: true, returns: [1, -1] }), "+8 discs, exact for black");
  const three = [...players, { name: "green" }];
  assert.equal(pointText({ values: [3, 2, 5], unit: "cells" }, { toMove: 0 }, three), "black +3, white +2, green +5 cells");
  assert.equal(pointText({ values: ["inf", "-inf", "-inf"], unit: "cells" }, { isOver: true }, three), "black win, white loss, green loss");
});

test("the bar has the number of the player to move, and at the end who won", async () => {
  const { barText, toldFor } = await import(at("panels"));
  const players = [{ name: "black" }, { name: "white" }];
  const told = (view, values) => [barText({ values, unit: "expected discs" }, view, players), toldFor(view)];
  assert.deepEqual(told({ toMove: 1, isOver: false }, [3, -3]), ["−3.0", 1]);
  assert.deepEqual(told({ toMove: 0, isOver: false }, [3, -3]), ["+3.0", 0]);
  assert.deepEqual(told({ toMove: 0, isOver: true, returns: [-1, 1] }, [-3, 3]), ["white won", 1]);
  assert.deepEqual(told({ toMove: 1, isOver: true, returns: [0, 0] }, [0, 0]), ["draw", 0]);
});

test("at the end, the empty squares explain an exact score", async () => {
  const { emptiesText } = await import(at("panels"));
  const end = { isOver: true, empties: 25, margins: [64, -64], scores: [39, 0] };
  assert.equal(emptiesText(end), "In exact scores, the winner also gets the 25 empty squares: +64");
  assert.equal(emptiesText({ ...end, empties: 1, margins: [-10, 10], scores: [27, 36] }), "In exact scores, the winner also gets the empty square: +10");
  assert.equal(emptiesText({ ...end, isOver: false }), "");
  assert.equal(emptiesText({ ...end, empties: 4, margins: [0, 0], scores: [30, 30] }), "");
  assert.equal(emptiesText({ ...end, empties: 0, margins: [2, -2], scores: [33, 31] }), "");
  assert.equal(emptiesText({ ...end, empties: null, margins: [5, -5], scores: [5, 2] }), ""); // checkers
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

test("colours and stars follow the numbers that are shown", async () => {
  const { heatMarks } = await import(at("panels"));
  const choices = [1, 2, 3].map(action => ({ action, name: `m${action}`, path: [[0, action]] }));
  const game = { view: { choices, toMove: 0 }, mover: "black" };
  const found = { actions: { 1: .0249, 2: .0151, 3: -.5 }, unit: "win minus loss", kind: "values" };
  const marks = heatMarks(game, found, null);
  assert.deepEqual(marks.map(({ text, share }) => [text, share]), [["+0.02", 1], ["+0.02", 1], ["−0.50", 0]]);
  assert.equal(marks[0].value, .0249); // the exact value stays with the mark
  assert.equal(marks[0].label, "m1: +0.02 win minus loss for black");
  assert.deepEqual(values.bestActions(found), new Set([1, 2]));
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
  const { Clock } = await import(at("clock"));
  const page = { setUp() {}, draw() {}, follow() {}, say() {}, thinks() {}, hint() {}, chosen() {}, refuse() {}, pace: 0 };
  const table = new Table(page, offers);
  const rest = { seats: [HUMAN, HUMAN], names: null, ended: null, base: 0, lines: [] };
  const record = { game: "othello", seed: 0, moves };
  table.resume({ ...rest, game: new Game(record, loaded(record)), clock: Clock.from(0, 2, 3), playing: false });
  return { table, rest, record };
}

test("a second click on Bring back loses no game, and an error keeps all games", async () => {
  const answers = [];
  globalThis.fetch = () => new Promise(resolve => answers.push(resolve));
  const reply = (status, content) => answers.shift()(new Response(JSON.stringify(content), { status }));
  const { table, rest, record: two } = await tableWith([3, 4, 5], []);
  const one = { game: "othello", seed: 0, moves: [1, 2] };
  const kept = { ...rest, record: one, cursor: 2, limit: 0, used: [0, 0, 0] };
  table.past = new Past([{ what: "restart", kept, isBack: false }]);

  const failing = table.bringBack();
  reply(400, { error: "no" });
  await assert.rejects(failing, /no/);
  assert.equal(table.past.last.kept, kept);
  assert.equal(table.game.record, two);

  const both = [table.bringBack(), table.bringBack()];
  while (answers.length) reply(200, loaded(one));
  await Promise.all(both);
  assert.equal(table.game.record, one);
  assert.deepEqual(table.past.games.map(each => each.kept.record), [two]);
});

test("a hint ends a replay", async () => {
  globalThis.fetch = () => new Promise(() => {});
  const { table } = await tableWith([], [{ spec: "random", games: ["othello"] }]);
  table.playing = true;
  table.hint();
  assert.equal(table.playing, false);
});

const choice = (action, name) => ({ action, name, path: [[0, action]] });
const answer = (actions, more = {}) => ({ actions, unit: "discs, exact", bound: 64, kind: "values", ...more });

test("the table puts the exact score first, then A", () => {
  const choices = [choice(1, "a"), choice(2, "b"), choice(3, "c"), { action: 64, name: "pass", path: [] }];
  const a = answer({ 1: 0.1, 2: 0.3, 3: 0.2 }, { visits: { 1: 5 } });
  const names = found => values.moveRows(choices, found).map(({ name }) => name);
  assert.deepEqual(names({ a }), ["b", "c", "a"]);
  assert.deepEqual(names({ a, exact: answer({ 1: 4, 2: -2, 3: 4 }) }), ["c", "a", "b"]);
  assert.deepEqual(values.moveRows(choices, { a })[2].visits, [5, undefined]);
  assert.deepEqual(values.bestActions(answer({ 1: 2, 2: "inf", 3: "inf" })), new Set([2, 3]));
  assert.deepEqual(values.bestActions(undefined), new Set());
});

const view = (toMove, choices, action = null, more = {}) => ({ toMove, choices, action, mustPass: false, ...more });

test("short numbers and intervals", () => {
  assert.deepEqual([0.25, 1500, 15000, 2e6, -200].map(values.shortText), ["0.25", "1,500", "15K", "2M", "−200"]);
  const { eloText, intervalText } = values;
  assert.deepEqual([1228.5, 1227.5, -2.5, -0.2].map(eloText), ["1229", "1228", "−3", "0"]); // as elo_text in Python
  assert.deepEqual([[1, 2], [null, 2.4], [1, null], [null, null], null, [-1, -0.1]].map(intervalText), ["1 to 2", "at most 2", "at least 1", "–", "–", "−1 to 0"]);
});

test("rated agents stand on the ladder once", () => {
  const rungs = [{ name: "top", elo: 900, interval: [1, 2] }, { name: "random", elo: 0, interval: [0, 0] }];
  const mine = { name: "mine", file: "a.json", elo: 500, interval: [400, null] };
  const rows = ladderRows(rungs, [mine, { ...mine }, { ...mine, file: "b.json" }]);
  assert.deepEqual(rows.map(({ name, isYours }) => [name, isYours]), [["top", false], ["mine", true], ["mine", true], ["random", false]]);
});

test("the first ladder and every ladder with rated agents are shown", () => {
  const ladders = [{ name: "ladder-v0", size: 8, rungs: [] }, { name: "ladder-6x6-v0", size: 6, rungs: [] }];
  const mine = { name: "mine", file: "a.json", elo: 500, interval: [400, 600], ladder: "ladder-6x6-v0" };
  assert.deepEqual(shownLadders(ladders, []), [{ ladder: ladders[0], rated: [] }]);
  assert.deepEqual(shownLadders(ladders, [mine]), [{ ladder: ladders[0], rated: [] }, { ladder: ladders[1], rated: [mine] }]);
});

test("a move's loss by exact scores, and whether it was a blunder", () => {
  const before = view(0, [choice(1, "a"), choice(2, "b")]);
  const after = action => view(1, [], action);
  const judge = (played, actions) => exactly(before, after(played), actions && answer(actions), 1, 6);
  assert.deepEqual(judge(1, { 1: 4, 2: 4 }), { ply: 1, player: 0, name: "a", loss: 0, best: "a", isExact: true, isBlunder: false });
  assert.deepEqual([judge(2, { 1: 8, 2: 4 }).loss, judge(2, { 1: 8, 2: 4 }).best, judge(2, { 1: 8, 2: 4 }).isBlunder], [4, "a", false]);
  assert.equal(judge(2, { 1: 10, 2: 4 }).isBlunder, true);
  assert.equal(judge(1, undefined), null);
  assert.equal(exactly(view(0, [choice(1, "a")]), after(1), answer({ 1: 4 }), 1, 6), null);
  assert.equal(lossText({ loss: 6, isExact: true }), "6");
  assert.equal(lossText({ loss: 6.34, isExact: false }), "6.3");
});

test("a move's loss by the server's review", () => {
  const views = [view(0, []), view(1, []), view(0, [])];
  const move = { ply: 1, move: "f5", best: "d3", loss: 6.5, exact: false, choices: 4 };
  const review = { moves: [move, { ...move, ply: 2, choices: 1 }] };
  assert.deepEqual(reviewed(review, views, 1, 6), { ply: 1, player: 0, name: "f5", loss: 6.5, best: "d3", isExact: false, isBlunder: true });
  assert.equal(reviewed(review, views, 1, 7).isBlunder, false);
  assert.equal(reviewed(review, views, 2, 6), null);
  assert.equal(reviewed(review, views, 3, 6), null); // a ply after the review
  const later = { moves: [{ ...move, ply: 2, move: "d6" }] };
  assert.equal(reviewed(later, views, 1, 6), null); // a ply of the opening
  assert.equal(reviewed(later, views, 2, 6).name, "d6");
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
  const game = (...moves) => ({ record: { moves }, opened: 0, lines: [] });
  const past = new Past();
  past.push("restart", game());
  assert.equal(past.last, null); // there was nothing to lose
  past.push("restart", game(1, 2));
  past.push("paste", game(3));
  assert.deepEqual(past.swap(game(4)), game(3));
  assert.deepEqual([past.last.what, past.last.isBack, past.last.kept], ["paste", true, game(4)]);
  assert.deepEqual(past.swap(game(3)), game(4));
  assert.equal(past.last.isBack, false);
  past.push("resign", game());
  assert.deepEqual(past.swap(game()), game());
  assert.equal(past.last.what, "paste"); // a game that had only been ended is not kept twice
});

test("a recorded game that was only looked at takes no place", () => {
  const past = new Past();
  const own = { record: { moves: [1, 2] }, opened: 0, lines: [] };
  const recorded = moves => ({ record: { moves }, opened: moves.length, lines: [] });
  past.push("recorded game", own);
  past.push("recorded game", recorded([3, 4, 5]));
  assert.deepEqual(past.swap(recorded([6, 7])), own);
  assert.equal(past.last, null);
});

test("between two points of a line, a value is interpolated", () => {
  assert.equal(valueAt([[0, 0], [10, 1]], 2.5), 0.25);
  assert.equal(valueAt([[0, 0], [10, 1]], 11), null);
});

test("a file that was left out for a time and comes back with a new version has changed", () => {
  const versions = new Versions();
  const agent = version => ({ spec: "a.npz", version });
  assert.deepEqual(versions.take([agent("1")]), []);
  assert.deepEqual(versions.take([]), []);
  assert.deepEqual(versions.take([agent("2")]), ["a.npz"]);
  assert.deepEqual(versions.take([agent("2")]), []);
});

test("an agent that could not say what it can do is asked again", async () => {
  const page = /** @type {any} */ (globalThis);
  page.document = { getElementById: () => ({ hidden: true }) };
  const { Looking } = await import(at("look"));
  const looking = new Looking([{ spec: "a", games: ["othello"] }], () => {}, () => {});
  page.fetch = async () => new Response("{}", { status: 400 });
  await looking.learn();
  assert.deepEqual([looking.lookers("othello"), looking.solver("othello")], [[], undefined]);
  page.fetch = async () => new Response('{"powers": ["exact_scores"]}');
  await looking.learn();
  assert.deepEqual([looking.lookers("othello").length, looking.solver("othello")], [1, "a"]);
});

test("exact scores come from an agent that plays the game", async () => {
  const page = /** @type {any} */ (globalThis);
  page.document = { getElementById: () => ({ hidden: true }) };
  page.fetch = async () => new Response('{"powers": ["exact_scores"]}');
  const { Looking } = await import(at("look"));
  const offers = [{ spec: "perfect", games: ["othello:size=6"] }, { spec: "engine", games: ["othello", "othello:size=6"] }];
  const looking = new Looking(offers, () => {}, () => {});
  await looking.learn();
  assert.deepEqual(["othello", "othello:size=6", "checkers"].map(game => looking.solver(game)), ["engine", "perfect", undefined]);
});

test("each curve has its own scale, and a curve has one unit", async () => {
  const { boundsOfTwo } = await import(at("curve"));
  const { inOneUnit } = await import(at("look"));
  const point = (value, unit, bound) => ({ values: [value, -value], unit, bound });
  assert.deepEqual(boundsOfTwo([point(.3, "win minus loss", 1), null]), [-1, 1]);
  assert.deepEqual(boundsOfTwo([point(130, "points of the weights", null)]), [-200, 200]);
  const mixed = [point(30, "points of the weights", null), point(-4, "discs, exact", 64), point(0, "discs, exact", 64), null];
  assert.deepEqual(inOneUnit(mixed).map(each => each && [each.values, each.bound]), [[[30, -30], null], [["-inf", "inf"], null], [[0, -0], null], null]);
  const discs = [point(1.5, "expected discs", 64), point(4, "discs, exact", 64)];
  assert.equal(inOneUnit(discs), discs);
});

test("a curve is named for all its points", async () => {
  const { unitOf } = await import(at("look"));
  const named = (...units) => unitOf([null, ...units.map(unit => ({ unit }))]);
  assert.equal(named(), "");
  assert.equal(named("win minus loss"), "win minus loss");
  assert.equal(named("discs, exact", "points of the weights"), "points of the weights"); // exact discs are drawn as a win or a loss
  assert.equal(named("expected discs"), "expected discs");
  assert.equal(named("discs, exact", "expected discs"), "discs, expected or exact");
  assert.equal(named("expected discs", "discs, exact"), "discs, expected or exact");
  assert.equal(named("discs, by perfect play", "discs, exact"), "discs, by perfect play"); // the last is the end of the game
});

test("an expected line that is shorter than the search has an ellipsis", async () => {
  const { answerText } = await import(at("panels"));
  const told = (line, depth, empties) => answerText({ view: { empties, choices: [] }, players: [] }, { values: null, actions: {}, kind: "values", unit: "", depth, nodes: null, line });
  assert.equal(told(["f5", "d6"], 4, 60), "depth 4; line f5 d6 …");
  assert.equal(told(["f5", "d6"], 2, 60), "depth 2; line f5 d6");
  assert.equal(told(["f5", "d6"], 12, 2), "depth 12; line f5 d6"); // to the end of the game
  assert.equal(told(["f5", "d6"], null, null), "line f5 d6");
});

test("a finished game ends a curve by its margin, or by who has won", async () => {
  globalThis.document = { getElementById: () => ({ hidden: true }) };
  const { Looking } = await import(at("look"));
  const looking = new Looking([], () => {}, () => {});
  const game = { views: [{}, { isOver: true, returns: [1, -1], margins: [10, -10] }], recordAt: ply => ply };
  for (const [unit, values] of [["expected discs", [10, -10]], ["win minus loss", ["inf", "-inf"]]]) {
    looking.known.set(looking.key("a", "value", game, 0), { values: [.5, -.5], unit, bound: 64 });
    assert.deepEqual(looking.points("a", game).map(point => point.values), [[.5, -.5], values]);
  }
});
