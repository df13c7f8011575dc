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
    /** @type {{game: any, agents: string[]} | null} */
    this.wanted = null;
    /** @type {{agent: string, key: string, abort: AbortController, doing: string} | null} */
    this.running = null;
    this.failed = new Set();
    this.learning = Promise.resolve();
  }

  /** Ask the agents that were not asked yet which optional methods they have, first the agent `first`. */
  learn(first = "") {
    this.learning = this.learning.then(() => this.learnAll(this.agents.toSorted((one, other) => Number(other.spec === first) - Number(one.spec === first))));
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
    return game.views[ply].end ?? this.known.get(this.key(agent, game, ply))?.found;
  }

  /** Whether an agent's answer about a ply is there and is no less deep one. */
  isLast(agent, game, ply) { return Boolean(this.known.get(this.key(agent, game, ply))?.isLast); }

  /** What is being done for an agent's answer about a ply: "loading", "thinking" or "waiting"; "" if the answer is there. */
  doing(agent, game, ply) {
    const key = this.key(agent, game, ply);
    if (game.views[ply].isOver || this.isLast(agent, game, ply) || !this.wanted?.agents.includes(agent)) return "";
    return this.running?.key === key ? this.running.doing : "waiting";
  }

  /**
   * Ask agents about all positions of a game, first about the one that is shown. The agent that is asked now finishes its
   * answer, and then the newest position is next; if less deep values are there already, the deep search stops at once.
   */
  follow(game, agents) {
    this.wanted = { game, agents };
    this.failed.clear();
    const { running } = this;
    if (!running) this.work();
    else if (!agents.includes(running.agent) || (this.known.has(running.key) && this.next()?.key !== running.key)) running.abort.abort();
  }

  /** The agent and the position to ask about next: the shown position, then those without a value, then all others. */
  next() {
    const { game, agents } = this.wanted;
    const plies = [game.cursor, ...game.views.keys()].filter(ply => !game.views[ply].isOver);
    const open = plies.flatMap(ply => agents.map(agent => ({ agent, ply, key: this.key(agent, game, ply) })))
      .filter(({ agent, key }) => !this.failed.has(agent) && !this.known.get(key)?.isLast);
    return open.find(({ ply }) => ply === game.cursor) ?? open.find(({ key }) => !this.known.has(key)) ?? open[0];
  }

  async work() {
    for (let next = this.next(); next; next = this.next()) {
      const { agent, ply, key } = next;
      const running = this.running = { agent, key, abort: new AbortController(), doing: "waiting" };
      const take = (found, isLast) => {
        if (this.known.size >= KEPT) this.known.delete(this.known.keys().next().value);
        this.known.set(key, { found, isLast });
      };
      try {
        take(await think(agent, "assess", this.wanted.game.recordAt(ply), running.abort.signal, ({ doing, answer }) => {
          if (running.doing === doing && this.known.get(key)?.found.depth === answer?.depth) return;
          running.doing = doing;
          if (answer) take(answer, false);
          this.onChange();
        }), true);
      } catch (error) {
        if (!running.abort.signal.aborted) {
          this.failed.add(agent);
          this.onError(agent, error);
        }
      }
      this.running = null;
      this.onChange();
    }
  }
}
