// The analysis of a game. One agent, the evaluator, gives all numbers: those of the squares, the bar, the curve and the table.
// In a comparison, a second agent has a column and a curve beside it.

import { Course, showBar } from "./curve.js";
import { byId, html } from "./elements.js";
import { errorCard } from "./errors.js";
import { Evaluations } from "./evaluations.js";
import { centreMove, showMoves, showReview, showTable } from "./panels.js";
import { choose, offerOf, settingsFor, strengthOf } from "./picker.js";
import { bestActions, judged, lossText, moveLabel, readingText, squareMarks } from "./reading.js";
import { countText } from "./values.js";

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
    this.errors = {};
    this.evaluations = new Evaluations(agents, () => this.learned(), (agent, error) => {
      this.errors[agent] = error;
      this.draw();
    });
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
    this.drawMoves();
    this.draw();
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

  /** Take note that the agents have changed. `changed` are the specs of agents whose files have changed. */
  agentsChanged(changed) {
    for (const spec of changed) this.evaluations.forget(spec);
    this.evaluations.learn(this.first);
    this.fill();
    if (this.specs.some(spec => changed.includes(offerOf(this.agents, spec)?.spec))) this.changed();
  }

  /** Choose an agent as the evaluator, as soon as it has said what it can do. */
  look(spec) {
    if ([...this.select("a").options].some(option => option.value === spec)) {
      this.select("a").value = spec;
      this.folds.a.fill();
    }
    this.chose("a");
    this.wanted.a = spec;
    this.keep();
  }

  /** The agent that is most likely the evaluator. */
  get first() {
    return (this.agents.find(({ given }) => given) ?? offerOf(this.agents, this.wanted.a || this.engine))?.spec;
  }

  follow() {
    if (Object.keys(this.errors).length) {
      this.errors = {};
      this.draw();
    }
    this.evaluations.follow(this.table.game, this.isShown ? this.specs : []);
  }

  /** Show new answers of agents. */
  learned() {
    this.fill();
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

  /** List the agents that can say something about this game. An agent that a person chose is chosen wherever it is listed. */
  fill() {
    const lookers = this.evaluations.lookers(this.table.game.record.game);
    const specs = lookers.map(({ spec }) => spec);
    const isExact = spec => this.evaluations.powers.get(offerOf(this.agents, spec)?.spec)?.includes("exact_scores");
    if (this.reviewer && isExact(this.reviewer) && !specs.includes(this.reviewer)) specs.unshift(this.reviewer);
    for (const slot of SLOTS) {
      const select = this.select(slot);
      const options = [...select.options].filter(option => option.value && option.dataset.own === undefined).map(option => option.value);
      if (String(options) === String(specs)) continue;
      const chosen = this.wanted[slot];
      const before = select.value;
      select.replaceChildren(html("option", { value: "" }, slot === "a" ? "no analysis" : "nobody"),
        ...specs.map(spec => html("option", { value: spec }, spec + strengthOf(offerOf(this.agents, spec), this.table.game.record.game, isExact(spec) && this.table.game.views[0].empties !== null ? "exact end" : ""))));
      const offer = chosen && offerOf(this.agents, chosen);
      if (offer && (specs.includes(chosen) || specs.includes(offer.spec))) {
        choose(select, chosen);
      } else if (chosen === "") {
        select.value = "";
      } else if (slot === "a" && specs.length) {
        const usual = this.reviewer ?? FIRST.find(spec => specs.includes(spec)) ?? specs.at(-1);
        select.value = lookers.find(({ given }) => given)?.spec ?? (specs.includes(usual) ? usual : "");
      }
      if (select.value === before) continue; // what a person types into the fields stays
      this.folds[slot].fill();
      if (select.value) queueMicrotask(() => this.follow());
    }
  }

  draw() {
    const { game, selected } = this.table;
    const found = { a: this.at("a"), b: this.at("b") };
    showBar(byId("bar"), found.a, game.players, Boolean(this.spec("a")) && !this.errors[this.spec("a")]);
    this.board.heat(this.isShown && byId("numbers").checked && !game.view.isOver ? squareMarks(game, found.a, selected) : []);
    const next = game.atEnd ? null : this.judged(game.cursor + 1);
    this.board.arrow(next && Number(lossText(next)) > 0 ? [game.views[game.cursor + 1].last[0], next.best.path.at(-1)] : null);
    this.board.point([]); // the table is drawn again, so no row is under the pointer
    showTable(game, found, this.isComparison, path => this.board.point(path), actions => this.table.openMoves(actions));
    for (const slot of SLOTS) {
      const spec = this.spec(slot);
      const error = this.errors[spec];
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
    byId("comparison").textContent = `The squares and the bar are A's. ${this.disagreement(found)}`;
    this.drawCurve();
    this.drawReview();
  }

  /** An answer as a text: the value of the position, the best moves, and how far the search went. */
  told(found) {
    const { game } = this.table;
    const best = [...bestActions(found)].map(action => game.view.choices.find(choice => choice.action === action)?.name).filter(Boolean);
    const search = found.depth && !found.exact ? [`depth ${found.depth}, ${countText(found.nodes ?? 0)} nodes`] : [];
    return [readingText(found, game.players), ...(best.length ? [`best ${best.join(", ")}`] : []), ...search].join("; ");
  }

  disagreement({ a, b }) {
    const [one, other] = [bestActions(a), bestActions(b)];
    const name = action => this.table.game.view.choices.find(choice => choice.action === action)?.name;
    if (!one.size || !other.size || [...one].some(action => other.has(action))) return "";
    return `They disagree: A prefers ${[...one].map(name).join(", ")}, B ${[...other].map(name).join(", ")}.`;
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
    const isEngine = this.evaluations.powers.get(offerOf(this.agents, this.spec("a"))?.spec)?.includes("analyse") && (this.at("a", told)?.unit ?? "discs") === "discs";
    if (this.isReviewing && !isEngine) {
      choose(this.select("a"), this.reviewer);
      this.folds.a.fill();
      this.chose("a");
    } else {
      this.changed();
    }
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
    this.wanted = Object.fromEntries(Object.entries({ a, b }).filter(([, spec]) => typeof spec === "string"));
    byId("numbers").checked = numbers;
  }
}
