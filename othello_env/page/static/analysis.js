// The analysis of a game: the values of the agents A and B, the exact scores, and the review of the moves.

import { Course, showBar } from "./curve.js";
import { byId, html } from "./elements.js";
import { Looking, unitOf } from "./look.js";
import { answerText, barText, centreMove, emptiesText, heatMarks, pointText, showMoves, showReview, showTable, toldFor } from "./panels.js";
import { choose, offerOf, settingsFor } from "./picker.js";
import { exactly, reviewed } from "./review.js";

const SLOTS = ["a", "b"];
const COLOURS = { a: "var(--accent)", b: "var(--second)" };
// If a person has not chosen agent A and gave no agent to the server, agent A is the first of these that can be used.
const FIRST = ["ntuple", "engine:depth=4", "alphabeta:depth=4", "maxn:depth=2"];

/** What the numbers over the squares are: by agent A or B, and their unit. */
const sourceOf = (slot, { kind, unit }) => `${slot === "exact" ? "" : `, by ${slot.toUpperCase()}`}: ${kind === "probabilities" ? "share" : unit}`;

export class Analysis {
  /** `table` has the game, `board` shows the numbers, and `keep()` stores what the person chose. */
  constructor({ agents, exactEmpties, reviewer, blunder }, table, board, keep) {
    this.agents = agents;
    this.exactEmpties = exactEmpties;
    this.engine = reviewer; // the spec of the agent that can review games
    this.blunder = blunder; // a move that loses at least this number of discs is a blunder
    this.table = table;
    this.board = board;
    this.keep = keep;
    /** @type {string | null} */
    this.reviewing = null; // the agent that reviews the game
    this.errors = {};
    this.looking = new Looking(agents, () => this.learned(), (agent, text) => {
      this.errors[agent] = text;
      this.draw();
    });
    this.course = new Course(byId("curve"), ply => table.goTo(ply));
    this.wanted = {}; // for each slot ("a" or "b"): the spec to choose once it is listed, for example after a reload
    this.own = {}; // for each slot: true if a person chose the agent in this visit
    this.folds = {};
    for (const slot of SLOTS) {
      const select = this.select(slot);
      select.append(html("option", { value: "" }, "none"));
      this.folds[slot] = settingsFor(select, agents, () => this.chose(slot));
      byId(`set-${slot}`).replaceWith(this.folds[slot]);
      select.addEventListener("change", () => this.chose(slot));
    }
    new ResizeObserver(centreMove).observe(byId("moves"));
    for (const id of ["exact", "numbers"]) byId(id).addEventListener("change", () => this.changed());
  }

  select(slot) { return byId(slot === "a" ? "look" : "look-b"); }
  spec(slot) { return this.select(slot).value; }

  /** A person chose an agent, or changed the numbers in its spec, in slot "a" or "b". This choice replaces `wanted`. */
  chose(slot) {
    delete this.wanted[slot];
    this.own[slot] = true;
    this.changed();
  }

  changed() {
    this.keep();
    this.draw();
    this.follow();
  }

  /** The full answer about the position at a ply, from the agent in a slot ("a" or "b"). Undefined if there is none yet. */
  answer(slot, ply = this.table.game.cursor) {
    return this.spec(slot) ? this.looking.at(this.spec(slot), "actions", this.table.game, ply) : undefined;
  }

  exact(ply = this.table.game.cursor) {
    const solver = this.looking.solver(this.table.game.record.game);
    return byId("exact").checked && solver ? this.looking.at(solver, "exact", this.table.game, ply) : undefined;
  }

  /** The agent that can review this game, or null. */
  get reviewer() {
    return this.table.game.views[0].empties !== null && offerOf(this.agents, this.engine) ? this.engine : null;
  }

  /** What the move at a ply lost, by the review or by exact scores. Null if it is not known, or a move of the opening. */
  judged(ply) {
    if (ply <= this.table.base) return null;
    const { views } = this.table.game;
    if (this.review) return reviewed(this.review, views, ply, this.blunder);
    return exactly(views[ply - 1], views[ply], this.exact(ply - 1), ply, this.blunder);
  }

  /** Take note that the agents have changed. `changed` are the specs of agents whose files have changed. */
  agentsChanged(changed) {
    for (const spec of changed) this.looking.forget(spec);
    this.looking.learn();
    this.fill();
    if (SLOTS.some(slot => changed.includes(offerOf(this.agents, this.spec(slot))?.spec))) this.changed();
  }

  /** Choose an agent as agent A, as soon as it has said what it can do. */
  look(spec) {
    this.wanted.a = spec;
    if ([...this.select("a").options].some(option => option.value === spec)) {
      this.select("a").value = spec;
      this.folds.a.fill();
    }
    this.changed();
  }

  follow() {
    this.errors = {};
    const agents = [...new Set(SLOTS.map(slot => this.spec(slot)).filter(Boolean))];
    this.looking.follow(this.table.game, {
      agents, solve: byId("exact").checked, reviewer: this.reviewing, opening: this.table.base, exactEmpties: this.exactEmpties,
    });
  }

  /** Show new answers of agents. */
  learned() {
    this.fill();
    this.drawMoves();
    this.draw();
  }

  /** Prepare the analysis for another game. */
  setUp() {
    this.reviewing = null;
    const isSolved = this.table.game.views[0].empties !== null; // other games have no exact scores
    byId("exact").parentElement.hidden = !isSolved;
    const numbers = byId("numbers");
    const exact = numbers.querySelector("[value=exact]");
    if (!isSolved) exact?.remove();
    else if (!exact) numbers.append(html("option", { value: "exact" }, "exact"));
    this.fill();
  }

  /** List the agents that can say something about this game. The chosen agents stay chosen if they are listed. */
  fill() {
    const lookers = this.looking.lookers(this.table.game.record.game).map(({ spec }) => spec);
    for (const slot of SLOTS) {
      const select = this.select(slot);
      const options = [...select.options].filter(option => option.value && option.dataset.own === undefined).map(option => option.value);
      if (String(options) === String(lookers)) continue;
      const chosen = this.wanted[slot] ?? (this.own[slot] ? select.value : null);
      const before = select.value;
      select.replaceChildren(html("option", { value: "" }, "none"), ...lookers.map(spec => html("option", { value: spec }, spec)));
      const offer = chosen && offerOf(this.agents, chosen);
      if (offer && lookers.includes(offer.spec)) {
        choose(select, chosen);
      } else if (chosen === "") {
        select.value = "";
      } else if (slot === "a" && lookers.length) {
        const yours = this.agents.find(({ spec, label }) => label === "yours" && lookers.includes(spec));
        select.value = yours?.spec ?? FIRST.find(spec => lookers.includes(spec)) ?? lookers.at(-1);
      }
      this.folds[slot].fill();
      if (select.value && select.value !== before) queueMicrotask(() => this.follow());
    }
  }

  draw() {
    const { game, isOver, selected } = this.table;
    const found = { a: this.answer("a"), b: this.answer("b"), exact: this.exact() };
    const numbers = byId("numbers").value;
    const marks = isOver ? [] : heatMarks(game, found[numbers], selected);
    this.board.heat(marks);
    byId("told").textContent = marks.length ? `On the squares${sourceOf(numbers, found[numbers])} for ${game.mover}` : emptiesText(game.view);
    this.board.point([]); // the table is drawn again, so no row is under the pointer
    showTable(game, found, path => this.board.point(path));
    byId("side").textContent = isOver ? "" : `Values are for ${game.mover}, to move. ★ is the best move.`;
    for (const slot of SLOTS) {
      const spec = this.spec(slot);
      const error = this.errors[spec];
      const text = !spec ? "" : error ?? (found[slot] ? answerText(game, found[slot]) : isOver ? "" : "…");
      byId(`looked-${slot}`).textContent = byId(`looked-${slot}`).title = text ? `${slot.toUpperCase()}: ${text}` : "";
      byId(`looked-${slot}`).toggleAttribute("data-error", Boolean(error));
      byId(`looked-${slot}`).hidden = !spec && slot === "b";
    }
    byId("looked-exact").hidden = game.views[0].empties === null || !byId("exact").checked;
    byId("looked-exact").textContent = found.exact ? `Exact: ${answerText(game, found.exact)}` : "";
    this.drawCurve(found);
    this.drawReview();
  }

  drawCurve(found) {
    const { game } = this.table;
    const { players, views, cursor } = game;
    const series = SLOTS.filter(slot => this.spec(slot)).map(slot => {
      const points = this.looking.points(this.spec(slot), game);
      return { slot, name: this.spec(slot), colour: COLOURS[slot], points, unit: unitOf(points) };
    });
    const point = found.exact ?? series[0]?.points[cursor] ?? null;
    const told = point && {
      text: barText(point, game.view, players), player: toldFor(game.view),
      label: `${found.exact ? "exact" : series[0].name}: ${pointText(point, game.view, players)}`,
    };
    showBar(byId("bar"), point, players, told ?? { text: "", player: 0, label: "no evaluation yet" });
    const blunders = [...views.keys()].filter(ply => ply && this.judged(ply)?.isBlunder);
    const texts = ply => {
      const where = ply ? `after ${views[ply].move}` : "at the start";
      const told = series.filter(({ points }) => points[ply]).map(({ slot, points }) => `${slot.toUpperCase()}: ${pointText(points[ply], views[ply], players)}`);
      return series.length ? `Ply ${ply}, ${where}. ${told.join("; ") || "…"}` : "";
    };
    this.course.show(series, { plies: views.length, cursor, players, blunders, texts });
  }

  drawMoves() {
    showMoves(this.table.game, ply => this.judged(ply), ply => this.table.goTo(ply));
  }

  /** Review the game after its opening, or stop reviewing. */
  toggleReview() {
    this.reviewing = this.reviewing ? null : this.reviewer;
    this.drawMoves();
    this.draw();
    this.follow();
    if (this.reviewing) byId("review-panel").scrollIntoView({ block: "nearest" }); // on a narrow page it is below
  }

  /** The server's review of the game. Undefined if there is none yet. */
  get review() {
    const { game, base } = this.table;
    return this.reviewing ? this.looking.reviewOf(this.reviewing, game, base) : undefined;
  }

  drawReview() {
    const { game, base } = this.table;
    const reason = this.reviewer ? game.views.length - 1 <= base ? "There is no move to review yet." : ""
      : game.views[0].empties === null ? "Only games of Othello can be reviewed." : `No review without the agent ${this.engine}.`;
    byId("review").disabled = Boolean(reason);
    byId("review").title = reason || "what each move lost, in discs";
    byId("review").setAttribute("aria-pressed", String(this.reviewing !== null));
    byId("review-panel").hidden = !this.reviewing;
    if (this.reviewing) showReview(game, this.review, { reviewer: this.reviewing, opening: base, blunder: this.blunder, error: this.errors[this.reviewing] }, ply => {
      this.table.goTo(ply - 1);
      byId("board").scrollIntoView({ block: "nearest" });
    });
  }

  /** What the person chose. `restore` uses it when this tab is loaded again. */
  choices() {
    const chosen = Object.fromEntries(SLOTS.map(slot => [slot, this.wanted[slot] ?? (this.own[slot] ? this.spec(slot) : null)]));
    return { ...chosen, numbers: byId("numbers").value, exact: byId("exact").checked };
  }

  restore({ a, b, numbers, exact }) {
    this.wanted = Object.fromEntries(Object.entries({ a, b }).filter(([, spec]) => typeof spec === "string"));
    byId("numbers").value = numbers;
    byId("exact").checked = exact;
  }
}
