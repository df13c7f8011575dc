// What agents think of positions. The page asks them in the background, one after the other, and keeps the answers.

import { think } from "./api.js";

const KEPT = 4000; // answers

export class Evaluations {
  /** `onChange()` is called after each new answer, and `onError(agent, error)` when an agent fails. */
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

  key(agent, game, ply) {
    const { agents: _names, ...record } = game.recordAt(ply);
    return JSON.stringify([agent, record]);
  }

  /**
   * What an agent says of the position at a ply. At the end of a game, it is the result. Undefined if it is not known yet.
   * @returns {import("./reading.js").Reading | undefined}
   */
  at(agent, game, ply) {
    return game.views[ply].end ?? this.known.get(this.key(agent, game, ply));
  }

  /** Ask agents about all positions of a game, first about the position that is shown. Known answers are not asked again. */
  async follow(game, agents) {
    const turn = this.turn += 1;
    this.abort.abort();
    await this.running;
    if (turn !== this.turn) return;
    this.abort = new AbortController();
    const plies = [game.cursor, ...game.views.keys()].filter(ply => !game.views[ply].isOver);
    const wanted = [...agents.map(agent => [agent, game.cursor]), ...agents.flatMap(agent => plies.map(ply => [agent, ply]))];
    this.running = this.askAll(wanted.filter(([, ply]) => !game.views[ply].isOver), game, turn);
    await this.running;
  }

  async askAll(wanted, game, turn) {
    const { signal } = this.abort;
    const failed = new Set();
    for (const [agent, ply] of wanted) {
      const key = this.key(agent, game, ply);
      if (failed.has(agent) || this.known.has(key)) continue;
      try {
        const found = await think(agent, "assess", game.recordAt(ply), signal);
        if (this.known.size >= KEPT) this.known.delete(this.known.keys().next().value);
        this.known.set(key, found);
        this.onChange();
      } catch (error) {
        if (signal.aborted) return;
        failed.add(agent);
        this.onError(agent, error);
      }
      if (turn !== this.turn) return;
    }
  }
}
