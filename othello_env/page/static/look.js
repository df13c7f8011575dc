// What agents think of positions. They are asked in the background, one after the other, and never twice for the same.

import { think } from "./api.js";

const KEPT = 2000; // answers

export class Looking {
  /** `onChange()` is called whenever something new is known, `onError(text)` when an agent fails. */
  constructor(agents, onChange, onError) {
    this.agents = agents;
    this.onChange = onChange;
    this.onError = onError;
    this.known = new Map();
    this.powers = new Map();
    this.abort = new AbortController();
    this.running = Promise.resolve();
    this.turn = 0;
  }

  /** Ask all agents what they can say about positions. */
  async learn() {
    for (const { spec } of this.agents) {
      if (this.powers.has(spec)) continue;
      try {
        this.powers.set(spec, (await think(spec, "powers", null)).powers);
      } catch {
        this.powers.set(spec, []);
      }
      this.onChange();
    }
  }

  /** The agents that can say something about the positions of a game. */
  lookers(game) {
    return this.agents.filter(({ spec, games }) => games.includes(game) && this.powers.get(spec)?.length);
  }

  /** The agent that finds exact scores, if there is one. */
  get solver() {
    return this.agents.find(({ spec }) => this.powers.get(spec)?.includes("exact_scores"))?.spec;
  }

  key(agent, task, game, ply) {
    return JSON.stringify([agent, task, game.recordAt(ply)]);
  }

  /** What an agent answered at a ply to a task ("value", "actions", "exact"), if it did. */
  at(agent, task, game, ply) {
    return this.known.get(this.key(agent, task, game, ply));
  }

  /** Each player's value at a ply, for the curve; null if it is not known. */
  values(agent, game, ply) {
    const view = game.views[ply];
    if (view.isOver) return view.returns.map(result => result > 0 ? "inf" : result < 0 ? "-inf" : 0);
    return (this.at(agent, "value", game, ply) ?? this.at(agent, "actions", game, ply))?.values ?? null;
  }

  /** Ask about all positions of a game what is not known yet; the position that is shown comes first. */
  async follow(game, agent, solve, exactEmpties) {
    const turn = this.turn += 1;
    this.abort.abort();
    await this.running;
    if (turn !== this.turn) return;
    this.abort = new AbortController();
    this.running = this.askAll(this.wanted(game, agent, solve, exactEmpties), game, turn);
    await this.running;
  }

  /** What to ask about a game: agents, tasks and plies, in order. */
  wanted(game, agent, solve, exactEmpties) {
    const wanted = [];
    const solvable = ply => solve && this.solver && !game.views[ply].isOver &&
      game.views[ply].empties !== null && game.views[ply].empties <= exactEmpties;
    if (solvable(game.cursor)) wanted.push([this.solver, "exact", game.cursor]);
    if (agent && !game.view.isOver) wanted.push([agent, "actions", game.cursor]);
    const plies = [...game.views.keys()].filter(ply => !game.views[ply].isOver);
    if (agent) wanted.push(...plies.map(ply => [agent, "value", ply]));
    wanted.push(...plies.filter(solvable).reverse().map(ply => [this.solver, "exact", ply]));
    return wanted;
  }

  async askAll(wanted, game, turn) {
    const { signal } = this.abort;
    try {
      for (const [spec, task, ply] of wanted) {
        await this.ask(spec, task, game, ply, signal);
        if (turn !== this.turn) return;
      }
    } catch (error) {
      if (!signal.aborted) this.onError(error.message);
    }
  }

  async ask(spec, task, game, ply, signal) {
    const key = this.key(spec, task, game, ply);
    if (this.known.has(key)) return;
    if (task === "value" && this.at(spec, "actions", game, ply)) return;
    const found = await think(spec, task, game.recordAt(ply), signal);
    if (this.known.size >= KEPT) this.known.delete(this.known.keys().next().value);
    this.known.set(key, found);
    this.onChange();
  }
}
