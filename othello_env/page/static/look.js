// What agents think of positions. The page asks them in the background, one after the other, and keeps the answers.

import { think } from "./api.js";
import { isDiscs } from "./values.js";

const KEPT = 4000; // answers

/** The end of a game as a point of a curve: the margin, if the curve is in discs, and otherwise who has won. */
function endOf({ returns, margins }, { unit, bound }) {
  if (isDiscs(unit)) return { values: margins, unit: "discs, exact", bound };
  return { values: returns.map(result => result > 0 ? "inf" : result < 0 ? "-inf" : 0), unit, bound };
}

/** The points of a curve. If only some of them are in discs, those become a sure win, a draw or a sure loss. */
export function inOneUnit(points) {
  const other = points.find(point => point && !isDiscs(point.unit));
  if (!other) return points;
  return points.map(point => point && isDiscs(point.unit)
    ? { ...point, bound: other.bound, values: point.values.map(value => value > 0 ? "inf" : value < 0 ? "-inf" : value) } : point);
}

/** What the whole curve shows, whichever of its points are known: its unit, or both of its units in discs. */
export function unitOf(points) {
  const units = [...new Set(points.filter(point => point !== null).map(({ unit }) => unit))];
  const expected = units.find(unit => unit === "expected discs");
  return units.find(unit => !isDiscs(unit)) ?? (expected && units.length > 1 ? "discs, expected or exact" : units[0] ?? "");
}

export class Looking {
  /** `onChange()` is called after each new answer, and `onError(agent, text)` when an agent fails. */
  constructor(agents, onChange, onError) {
    this.agents = agents;
    this.onChange = onChange;
    this.onError = onError;
    this.known = new Map();
    this.powers = new Map();
    this.abort = new AbortController();
    this.running = Promise.resolve();
    this.learning = Promise.resolve();
    this.turn = 0;
    /** @type {string | null} */
    this.reviewed = null; // the key of the review that is being made
    this.reviewAbort = new AbortController();
  }

  /** Ask the agents that were not asked yet which optional methods they have. */
  learn() {
    this.learning = this.learning.then(() => this.learnAll([...this.agents]));
    return this.learning;
  }

  async learnAll(agents) {
    for (const { spec } of agents) {
      if (this.powers.has(spec)) continue;
      try {
        this.powers.set(spec, (await think(spec, "powers", null)).powers);
      } catch {
        continue; // the agent is asked again when the agents have changed
      }
      this.onChange();
    }
  }

  /** Forget the answers of an agent whose file has changed. This includes answers for other numbers in its spec. */
  forget(spec) {
    const begin = JSON.stringify([spec]).slice(0, -2);
    for (const key of [...this.known.keys()]) if (key.startsWith(begin)) this.known.delete(key);
  }

  /** The agents that can say something about the positions of a game. */
  lookers(game) {
    return this.agents.filter(({ spec, games }) => games.includes(game) && this.powers.get(spec)?.length);
  }

  /** The agent that finds exact scores in a game, if there is one. */
  solver(game) {
    return this.lookers(game).find(({ spec }) => this.powers.get(spec)?.includes("exact_scores"))?.spec;
  }

  key(agent, task, game, ply, more = {}) {
    return JSON.stringify([agent, task, game.recordAt(ply), more]);
  }

  /** An agent's answer to a task ("value", "actions" or "exact") at a ply; undefined if there is none yet. */
  at(agent, task, game, ply) {
    return this.known.get(this.key(agent, task, game, ply));
  }

  /** An agent's review of a game after the plies of its opening; undefined if there is none yet. */
  reviewOf(agent, game, opening) {
    return this.known.get(this.key(agent, "review", game, game.views.length - 1, { opening }));
  }

  /** The values that the curve of an agent shows at each ply; null where they are not known. */
  points(agent, game) {
    const points = game.views.map((_, ply) => {
      const found = this.at(agent, "value", game, ply) ?? this.at(agent, "actions", game, ply);
      return found?.values ? found : null;
    });
    const known = points.findLast(point => point !== null);
    const end = game.views.at(-1);
    if (known && end.isOver) points[points.length - 1] = endOf(end, known);
    return inOneUnit(points);
  }

  /**
   * Ask agents about all positions of a game, first about the position that is shown. A question is not asked again if
   * its answer is known. In `wishes`, `agents` are the agents whose values are shown. `solve` says whether to solve
   * positions with at most `exactEmpties` empty squares. `reviewer` is the agent that reviews the game
   * after the `opening`'s plies, or null.
   */
  async follow(game, wishes) {
    if (!wishes.reviewer) this.stopReview();
    const turn = this.turn += 1;
    this.abort.abort();
    await this.running;
    if (turn !== this.turn) return;
    this.abort = new AbortController();
    this.running = this.askAll(this.wanted(game, wishes), game, wishes.opening, turn);
    await this.running;
  }

  /** What to ask about a game: a list of [agent, task, ply], in the order in which to ask. */
  wanted(game, { agents, solve, reviewer, exactEmpties }) {
    const plies = [...game.views.keys()].filter(ply => !game.views[ply].isOver);
    const solver = this.solver(game.record.game);
    const solvable = ply => solve && solver && !game.views[ply].isOver &&
      game.views[ply].empties !== null && game.views[ply].empties <= exactEmpties;
    const here = game.view.isOver ? [] : agents.map(agent => [agent, "actions", game.cursor]);
    if (solvable(game.cursor)) here.splice(1, 0, [solver, "exact", game.cursor]);
    return [
      ...here,
      ...(reviewer && game.views.length > 1 ? [[reviewer, "review", game.views.length - 1]] : []),
      ...agents.flatMap(agent => plies.map(ply => [agent, "value", ply])),
      ...plies.filter(solvable).reverse().map(ply => [solver, "exact", ply]),
    ];
  }

  async askAll(wanted, game, opening, turn) {
    const { signal } = this.abort;
    const failed = new Set();
    for (const [spec, task, ply] of wanted) {
      if (failed.has(spec)) continue;
      if (task === "review") {
        this.review(spec, game, opening); // not awaited, because steps through the game do not stop the review
        continue;
      }
      try {
        await this.ask(spec, task, game, ply, signal);
      } catch (error) {
        if (signal.aborted) return;
        failed.add(spec);
        this.onError(spec, error.message);
      }
      if (turn !== this.turn) return;
    }
  }

  /** Ask for the review of a game after its opening. If the review of another game is being made, it is stopped. */
  async review(spec, game, opening) {
    const ply = game.views.length - 1;
    const key = this.key(spec, "review", game, ply, { opening });
    if (this.known.has(key) || this.reviewed === key) return;
    this.stopReview();
    this.reviewed = key;
    const { signal } = this.reviewAbort;
    try {
      await this.ask(spec, "review", game, ply, signal, { opening });
    } catch (error) {
      if (!signal.aborted) this.onError(spec, error.message);
    } finally {
      if (this.reviewed === key) this.reviewed = null;
    }
  }

  stopReview() {
    this.reviewAbort.abort();
    this.reviewAbort = new AbortController();
    this.reviewed = null;
  }

  async ask(spec, task, game, ply, signal, more = {}) {
    const key = this.key(spec, task, game, ply, more);
    if (this.known.has(key)) return;
    if (task === "value" && this.at(spec, "actions", game, ply)) return;
    const found = await think(spec, task, game.recordAt(ply), signal, more);
    if (this.known.size >= KEPT) this.known.delete(this.known.keys().next().value);
    this.known.set(key, found);
    this.onChange();
  }
}
