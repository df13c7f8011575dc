// What agents think of positions. The page asks them in the background, one after the other, and keeps the answers.

import { think } from "./api.js";
import { offerOf } from "./picker.js";

const KEPT = 4000; // answers

export class Evaluations {
  /** `onChange()` is called after each new answer, and when an agent fails. */
  constructor(agents, onChange) {
    this.agents = agents;
    this.onChange = onChange;
    this.known = new Map();
    /** @type {{game: any, agents: string[]} | null} */
    this.wanted = null;
    /** @type {{agent: string, key: string, abort: AbortController, doing: string} | null} */
    this.running = null;
    this.errors = new Map(); // of the agents that failed since the last call of `follow`
  }

  key(agent, game, ply) {
    const { agents: _names, ...record } = game.recordAt(ply);
    return JSON.stringify([agent, offerOf(this.agents, agent)?.version, record]); // a file may change
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

  /** What is being done for an agent's answer about a ply: "waiting", "starting" or "thinking"; "" if the answer is there. */
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
    this.errors.clear();
    const { running } = this;
    if (!running) this.work();
    else if (!agents.includes(running.agent) || (this.known.has(running.key) && this.next()?.key !== running.key)) running.abort.abort();
  }

  /** The agent and the position to ask about next: the shown position, then those without a value, then all others. */
  next() {
    const { game, agents } = this.wanted;
    const plies = [game.cursor, ...game.views.keys()].filter(ply => !game.views[ply].isOver);
    const open = plies.flatMap(ply => agents.map(agent => ({ agent, ply, key: this.key(agent, game, ply) })))
      .filter(({ agent, key }) => !this.errors.has(agent) && !this.known.get(key)?.isLast);
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
        take(await think(agent, "assess", this.wanted.game.recordAt(ply), running.abort.signal, ({ doing = running.doing, answer }) => {
          running.doing = doing;
          if (answer) take(answer, false);
          this.onChange();
        }), true);
      } catch (error) {
        if (!running.abort.signal.aborted) this.errors.set(agent, error);
      }
      this.running = null;
      this.onChange();
    }
  }
}
