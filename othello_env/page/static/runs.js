// The tab of runs and results. While the browser shows the page, whichever of its tabs is open, the page asks again and
// again what is new in the watched folder.

import { get } from "./api.js";
import { showCheckpoints } from "./checkpoints.js";
import { byId, renew } from "./elements.js";
import { ladderTable, shownLadders } from "./ladder.js";
import { leagueView } from "./league.js";
import { resultsView } from "./results.js";

const POLL_MS = 3000;

export class Runs {
  /**
   * @param {object} actions
   * @param {(agents: any[]) => void} actions.takeAgents called with all agents that the server offers, at first and when the
   *   content of the folder has changed
   * @param {(file: number, number: number) => void} actions.open replays a recorded game
   * @param {(agent: any) => void} actions.play begins a game against a checkpoint
   * @param {(agent: any) => void} actions.look chooses a checkpoint as the evaluator
   * @param {(game: string) => string} actions.titleOf the title of a game
   */
  constructor(actions) {
    this.actions = actions;
    this.asking = false;
    /** @type {any} */
    this.watched = null; // the content of the watched folder, or null if no folder is watched
    this.results = [];
    this.ladders = null;
  }

  /** Load what there is, and begin to ask for news if a folder is watched. */
  async setUp() {
    [this.results, this.ladders, this.watched] = await Promise.all([get("/api/results"), get("/api/ladders"), get("/api/runs")]);
    if (this.watched) {
      this.actions.takeAgents(this.watched.agents);
      setInterval(() => this.poll(), POLL_MS);
    }
    this.show();
  }

  get isVisible() { return !byId("panel-runs").hidden; }

  async poll() {
    if (document.hidden || this.asking) return;
    this.asking = true;
    try {
      const news = await get("/api/runs");
      if (JSON.stringify(news) !== JSON.stringify(this.watched)) this.take(news);
    } finally {
      this.asking = false;
    }
  }

  take(watched) {
    const { rated } = this.watched;
    this.watched = watched;
    this.actions.takeAgents(watched.agents);
    this.showWatched();
    if (JSON.stringify(rated) !== JSON.stringify(watched.rated)) this.showResults(); // otherwise a list of games stays open
  }

  /** Draw everything, unless the view is hidden. */
  show() {
    this.showWatched();
    this.showResults();
  }

  /** The ladders on which agents were rated. */
  get rated() { return shownLadders(this.ladders ?? [], [...this.results.map(each => each.rated), ...(this.watched?.rated ?? [])].filter(Boolean)); }

  /** The names on these ladders. On the same screen, such an agent has no rating on the scale of a league or a tournament. */
  get ranked() { return new Set(this.rated.flatMap(({ rows }) => rows.map(({ name }) => name))); }

  /** Draw the checkpoints, the leagues and the ladder. */
  showWatched() {
    if (!this.isVisible) return;
    const { agents = [], leftOut = [], leagues = [], path = null } = this.watched ?? {};
    showCheckpoints(agents, leftOut, this.actions.titleOf, path, this.actions);
    byId("leagues-none").hidden = leagues.length > 0;
    renew(byId("leagues-list"), ...leagues.map(league => leagueView(league, this.ranked)));
    byId("ladder-none").hidden = this.rated.length > 0;
    byId("ladder-table").replaceChildren(...this.rated.map(ladderTable));
  }

  showResults() {
    if (!this.isVisible) return;
    byId("results-none").hidden = this.results.length > 0;
    const files = this.rated.flatMap(({ rows }) => rows.map(({ file }) => file));
    renew(byId("results-list"), ...this.results.map(each => resultsView(each, this.ranked, !each.rated || files.includes(each.name), this.actions.open)));
  }
}
