// The analysis of a game. One agent, the evaluator, gives all numbers: those of the squares, the bar, the curve and the table.
// In a comparison, a second agent has a column and a curve beside it.

import { Course, showBar } from "./curve.js";
import { byId, html } from "./elements.js";
import { errorCard } from "./errors.js";
import { Evaluations } from "./evaluations.js";
import { centreMove, showMoves, showReview, showTable } from "./panels.js";
import { choose, offerOf, settingsFor, strengthOf } from "./picker.js";
import { bestActions, judged, lossText, moveLabel, readingText, squareMarks } from "./reading.js";

const SLOTS = ["a", "b"];
const COLOURS = { a: "var(--accent)", b: "var(--second)" };
// In games without a reviewer, the evaluator is at first the first of these that can be used.
const FIRST = ["alphabeta:depth=4", "maxn:depth=2"];

export class Analysis {
  /** `table` has the game, `board` shows the numbers, and `keep()` stores what the person chose. */
  constructor({ agents, reviewer, blunder }, table, board, keep) {
    this.agents = agents;
    this.engine = reviewer; // the spec of the agent that reviews games
    this.blunder = blunder; // a move that loses at least this number of discs is a blunder
    this.table = table;
    this.board = board;
    this.keep = keep;
    this.isReviewing = false;
    this.evaluations = new Evaluations(agents, () => this.drawAll());
    this.course = new Course(byId("curve"), ply => table.goTo(ply));
    this.wanted = {}; // for each slot ("a" or "b"): the spec that a person chose; in games without this agent, it waits
    this.folds = {};
    this.read = { a: "", b: "" }; // what was told last
    for (const slot of SLOTS) {
      const select = this.select(slot);
      this.folds[slot] = settingsFor(select, agents, () => this.chose(slot), ["epsilon"]); // an evaluator makes no random moves
      byId(`set-${slot}`).replaceWith(this.folds[slot]);
      select.addEventListener("change", () => this.chose(slot));
    }
    new ResizeObserver(centreMove).observe(byId("moves"));
    byId("numbers").addEventListener("change", () => { this.keep(); this.draw(); });
  }

  select(slot) { return byId(slot === "a" ? "look" : "look-b"); }
  spec(slot) { return this.select(slot).value; }
  get specs() { return SLOTS.map(slot => this.spec(slot)).filter(Boolean); }
  get isComparison() { return Boolean(this.spec("b")); }

  /** A person chose an agent, or changed the numbers in its spec, in slot "a" or "b". */
  chose(slot) {
    this.wanted[slot] = this.spec(slot);
    this.changed();
  }

  changed() {
    this.keep();
    this.drawAll();
    this.follow();
  }

  /** What the agent in a slot says of a ply. Undefined if there is no answer yet. */
  at(slot, ply = this.table.game.cursor) {
    return this.spec(slot) ? this.evaluations.at(this.spec(slot), this.table.game, ply) : undefined;
  }

  /** Whether the values are on the screen. */
  get isShown() { return byId("panel-board").dataset.mode === "analyse"; }

  /** The agent that reviews this game unless another evaluator gives discs; null if games of this kind have no review. */
  get reviewer() {
    return this.table.game.views[0].empties !== null && offerOf(this.agents, this.engine) ? this.engine : null;
  }

  /** What the move at a ply lost. Null without a review, if it is not known, or for a move of the opening. */
  judged(ply) {
    return this.isShown && this.isReviewing && ply > this.table.base ? judged(this.at("a", ply - 1), this.table.game.views, ply, this.blunder) : null;
  }

  /** Take note that the list of agents, or the file of one of them, has changed. */
  agentsChanged() {
    this.fill();
    this.changed();
  }

  /** Choose an agent as the evaluator. */
  look(spec) {
    choose(this.select("a"), spec);
    this.folds.a.fill();
    this.chose("a");
  }

  follow() {
    const hadErrors = this.evaluations.errors.size > 0;
    this.evaluations.follow(this.table.game, this.isShown ? this.specs : []);
    if (hadErrors) this.draw();
  }

  /** Show new answers of agents. */
  drawAll() {
    this.drawMoves();
    this.draw();
  }

  /** Prepare the analysis for another game. */
  setUp() {
    this.isReviewing = false;
    this.read = { a: "", b: "" };
    byId("bar").replaceChildren();
    this.fill();
  }

  /** Whether an agent has one of the optional methods. */
  has(spec, power) { return offerOf(this.agents, spec)?.powers.includes(power) ?? false; }

  /** List the agents that can say something about this game. An agent that a person chose is chosen wherever it is listed. */
  fill() {
    const { game } = this.table;
    const lookers = this.agents.filter(({ games, powers }) => games.includes(game.record.game) && powers.length);
    const specs = lookers.map(({ spec }) => spec);
    if (this.reviewer && !specs.includes(this.reviewer)) specs.unshift(this.reviewer);
    const isSolved = spec => game.views[0].empties !== null && this.has(spec, "exact_scores");
    for (const slot of SLOTS) {
      const select = this.select(slot);
      const before = select.value;
      select.replaceChildren(html("option", { value: "" }, slot === "a" ? "no analysis" : "nobody"),
        ...specs.map(spec => html("option", { value: spec }, spec + strengthOf(offerOf(this.agents, spec), game.record.game, isSolved(spec) ? "exact end" : ""))));
      const chosen = this.wanted[slot];
      if (chosen && [chosen, offerOf(this.agents, chosen)?.spec].some(spec => specs.includes(spec))) choose(select, chosen);
      else if (slot === "a" && chosen !== "") select.value = lookers.find(({ given }) => given)?.spec ?? this.reviewer ?? FIRST.find(spec => specs.includes(spec)) ?? specs.at(-1) ?? "";
      if (select.value !== before) this.folds[slot].fill(); // otherwise what a person types into the fields stays
    }
  }

  draw() {
    const { game, selected } = this.table;
    const found = { a: this.at("a"), b: this.at("b") };
    showBar(byId("bar"), found.a, game.players, Boolean(this.spec("a")) && !this.evaluations.errors.has(this.spec("a")));
    this.board.heat(this.isShown && byId("numbers").checked && !game.view.isOver ? squareMarks(game, found.a, selected) : []);
    const next = game.atEnd ? null : this.judged(game.cursor + 1);
    this.board.arrow(next && Number(lossText(next)) > 0 ? [game.views[game.cursor + 1].last[0], next.best.path.at(-1)] : null);
    this.board.point([]); // the table is drawn again, so no row is under the pointer
    showTable(game, found, this.isComparison, path => this.board.point(path), actions => this.table.openMoves(actions));
    for (const slot of SLOTS) {
      const spec = this.spec(slot);
      const error = this.evaluations.errors.get(spec);
      const named = this.isComparison ? `${slot.toUpperCase()}: ` : "";
      // The last value stays, dimmed, until the next one is there. An evaluator that searches deeper goes on with "thinking".
      if (!spec || error) this.read[slot] = "";
      else if (found[slot]) this.read[slot] = named + this.told(found[slot]);
      const doing = spec && !error ? this.evaluations.doing(spec, game, game.cursor) : "";
      byId(`reading-${slot}`).replaceChildren(html("span", { class: found[slot] ? null : "old" }, this.read[slot]),
        ...(doing ? [html("span", { class: "doing" }, ` ${doing} …`)] : []));
      byId(`error-${slot}`).replaceChildren(...(error && spec ? [errorCard(error, {
        retry: () => this.changed(), other: () => this.select(slot).focus(),
      })] : []));
    }
    byId("comparison").hidden = !this.isComparison;
    this.drawCurve();
    this.drawReview();
  }

  /** An answer as a text: the value of the position, the best moves, and how far the search went. */
  told(found) {
    const { game } = this.table;
    const best = [...bestActions(found)].map(action => game.view.choices.find(choice => choice.action === action)?.name).filter(Boolean);
    const search = found.depth && !found.exact ? [`depth ${found.depth}, ${(found.nodes ?? 0).toLocaleString("en")} nodes`] : [];
    return [readingText(found, game.players), ...(best.length ? [`best ${best.join(", ")}`] : []), ...search].join("; ");
  }

  /** What the evaluator says of each position, if its values are on the squares; otherwise empty. */
  get shownValues() {
    const { views } = this.table.game;
    return this.isShown && byId("numbers").checked ? views.map((view, ply) => view.isOver ? null : this.at("a", ply)) : [];
  }

  /** For each agent that is chosen: its spec, and what it has said of each position. */
  get answers() {
    return this.specs.map(spec => ({ spec, found: this.table.game.views.map((view, ply) => view.isOver ? null : this.evaluations.at(spec, this.table.game, ply) ?? null) }));
  }

  drawCurve() {
    const { game } = this.table;
    const { players, views, cursor } = game;
    const series = SLOTS.filter(slot => this.spec(slot)).map(slot => ({
      slot, name: this.spec(slot), colour: COLOURS[slot], points: views.map((_, ply) => this.at(slot, ply) ?? null),
    }));
    const blunders = [...views.keys()].filter(ply => ply && this.judged(ply)?.isBlunder);
    const texts = ply => {
      const where = ply ? `After ${moveLabel(views, ply)}` : "At the start";
      const told = series.filter(({ points }) => points[ply]).map(({ slot, points }) => (this.isComparison ? `${slot.toUpperCase()}: ` : "") + readingText(points[ply], players));
      return series.length ? `${where}: ${told.join("; ") || "…"}` : "";
    };
    this.course.show(series, { cursor, players, blunders, texts });
  }

  drawMoves() {
    showMoves(this.table.game, ply => this.judged(ply), ply => this.table.goTo(ply));
  }

  /** Review the game after its opening by the evaluator if it is an engine, otherwise by the reviewer; or stop reviewing. */
  toggleReview() {
    this.isReviewing = !this.isReviewing;
    const told = this.table.game.views.findLastIndex(view => !view.isOver);
    const isEngine = this.has(this.spec("a"), "analyse") && (this.at("a", told)?.unit ?? "discs") === "discs";
    if (this.isReviewing && !isEngine) this.look(this.reviewer);
    else this.changed();
    if (this.isReviewing) byId("review-state").scrollIntoView({ block: "center" }); // on a narrow page it is below
  }

  get canReview() { return this.reviewer !== null && this.table.game.views.length - 1 > this.table.base; }

  drawReview() {
    const { game, base } = this.table;
    byId("review").setAttribute("aria-pressed", String(this.isReviewing));
    byId("review-panel").hidden = !this.isReviewing;
    if (!this.isReviewing) return;
    const moves = [...game.views.keys()].slice(base + 1).filter(ply => game.views[ply - 1].choices.length > 1);
    const done = moves.filter(ply => this.evaluations.isLast(this.spec("a"), game, ply - 1)).length;
    showReview(game, moves.length, done, moves.map(ply => this.judged(ply)).filter(move => move !== null), { reviewer: this.spec("a"), opening: base, blunder: this.blunder },
      ply => {
        this.table.goTo(ply - 1);
        byId("board").scrollIntoView({ block: "nearest" });
      });
  }

  /** What the person chose. `restore` uses it when this tab is loaded again. */
  choices() {
    return { ...this.wanted, numbers: byId("numbers").checked };
  }

  restore({ a, b, numbers }) {
    this.wanted = { a, b };
    byId("numbers").checked = numbers;
  }
}
