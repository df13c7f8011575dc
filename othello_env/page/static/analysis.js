// The analysis of a game: the values of the agents A and B, the exact scores, and the review of the moves.

import { Course, showBar } from "./curve.js";
import { byId, html } from "./elements.js";
import { Looking } from "./look.js";
import { answerText, heatMarks, showMoves, showTable } from "./panels.js";
import { choose, offerOf, settingsFor } from "./picker.js";
import { judge, lossText, reviewOf } from "./review.js";
import { valueText } from "./values.js";

const SLOTS = ["a", "b"];
const COLOURS = { a: "var(--accent)", b: "var(--second)" };
const FIRST = ["ntuple", "engine:depth=4", "alphabeta:depth=4", "maxn:depth=2"]; // agent A at first: the first of these that can be used
const REVIEWERS = ["engine:depth=4", "engine"];

export class Analysis {
  /** `table` has the game, `board` shows the numbers, and `keep()` stores what the person chose. */
  constructor({ agents, exactEmpties }, table, board, keep) {
    this.agents = agents;
    this.exactEmpties = exactEmpties;
    this.table = table;
    this.board = board;
    this.keep = keep;
    /** @type {string | null} */
    this.reviewing = null; // the agent that judges each move
    this.errors = {};
    this.looking = new Looking(agents, () => this.learned(), (agent, text) => {
      this.errors[agent] = text;
      this.draw();
    });
    this.course = new Course(byId("curve"), ply => table.goTo(ply));
    this.wanted = {}; // for each slot ("a" or "b"): the spec that a person chose in an earlier visit
    this.own = {}; // for each slot: true if a person chose the agent in this visit
    this.folds = {};
    for (const slot of SLOTS) {
      const select = this.select(slot);
      select.append(html("option", { value: "" }, "none"));
      this.folds[slot] = settingsFor(select, agents, (spec, offer) => {
        this.looking.powers.set(spec, this.looking.powers.get(offer.spec));
        this.own[slot] = true;
        this.changed();
      });
      byId(`set-${slot}`).replaceWith(this.folds[slot]);
      select.addEventListener("change", () => { delete this.wanted[slot]; this.own[slot] = true; this.changed(); });
    }
    for (const id of ["exact", "numbers"]) byId(id).addEventListener("change", () => this.changed());
  }

  select(slot) { return byId(slot === "a" ? "look" : "look-b"); }
  spec(slot) { return this.select(slot).value; }

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
    return byId("exact").checked && this.looking.solver ? this.looking.at(this.looking.solver, "exact", this.table.game, ply) : undefined;
  }

  get reviewer() {
    if (this.table.game.views[0].empties === null) return null;
    return REVIEWERS.find(spec => this.agents.some(agent => agent.spec === spec)) ?? null;
  }

  /** The scores that judge the move at a ply: the exact scores, or else the scores of the reviewing agent. */
  judgement(ply) {
    return this.exact(ply) ?? (this.reviewing ? this.looking.at(this.reviewing, "actions", this.table.game, ply) : undefined);
  }

  judged(ply) {
    const { views } = this.table.game;
    return judge(views[ply - 1], views[ply], this.judgement(ply - 1), ply);
  }

  follow() {
    this.errors = {};
    const agents = [...new Set(SLOTS.map(slot => this.spec(slot)).filter(Boolean))];
    this.looking.follow(this.table.game, {
      agents, solve: byId("exact").checked || this.reviewing !== null, reviewer: this.reviewing, exactEmpties: this.exactEmpties,
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
    const { game } = this.table;
    const two = game.players.length === 2;
    byId("exact").parentElement.hidden = game.views[0].empties === null;
    byId("side").textContent = two ? `All values are for ${game.players[0].name}: above 0 is good for ${game.players[0].name}.`
      : "Values over squares are for the player to move.";
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
        this.looking.powers.set(chosen, this.looking.powers.get(offer.spec));
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
    this.board.heat(isOver ? [] : heatMarks(game, found[numbers], selected));
    this.board.point([]); // the table is drawn again, so no row is under the pointer
    showTable(game, found, path => this.board.point(path));
    for (const slot of SLOTS) {
      const spec = this.spec(slot);
      const error = this.errors[spec];
      const text = !spec ? "" : error ?? (found[slot] ? answerText(game, found[slot]) : isOver ? "" : "…");
      byId(`looked-${slot}`).textContent = byId(`looked-${slot}`).title = text ? `${slot.toUpperCase()} ${text}` : "";
      byId(`looked-${slot}`).toggleAttribute("data-error", Boolean(error));
      byId(`looked-${slot}`).hidden = !spec && slot === "b";
    }
    byId("looked-exact").hidden = game.views[0].empties === null || !byId("exact").checked;
    byId("looked-exact").textContent = found.exact ? `Exact ${answerText(game, { ...found.exact, source: "" })}` : "";
    this.drawCurve(found);
    this.drawReview();
  }

  drawCurve(found) {
    const { game } = this.table;
    const chosen = SLOTS.filter(slot => this.spec(slot));
    const series = chosen.map(slot => ({
      name: this.spec(slot), colour: COLOURS[slot], points: game.views.map((_, ply) => this.looking.point(this.spec(slot), game, ply)),
    }));
    const first = series[0]?.points[game.cursor] ?? null;
    const point = found.exact ?? first;
    showBar(byId("bar"), point?.values ? point : null, game.players, found.exact ? "perfect play" : series[0]?.name);
    this.course.show(series, game.cursor, game.players, ply => {
      const where = ply ? `after ${game.views[ply].move}` : "at the start";
      const told = series.map(({ points }, index) => {
        const at = points[ply];
        const players = game.players.length === 2 ? game.players.slice(0, 1) : game.players;
        const values = at && players.map((player, i) => `${valueText(at.values[i], at.unit)}${at.unit === "discs" ? " discs" : ""} for ${player.name}`);
        return values && `${chosen[index].toUpperCase()} ${values.join(", ")}`;
      });
      return series.length ? `Ply ${ply}, ${where}: ${told.filter(Boolean).join("; ") || "…"}` : "";
    });
  }

  drawMoves() {
    showMoves(this.table.game, ply => this.judged(ply), ply => this.table.goTo(ply));
  }

  /** Review the whole game, or stop reviewing. */
  toggleReview() {
    this.reviewing = this.reviewing ? null : this.reviewer;
    this.drawMoves();
    this.draw();
    this.follow();
    if (this.reviewing) byId("review-panel").scrollIntoView({ block: "nearest" });
  }

  drawReview() {
    const { game } = this.table;
    byId("review").disabled = !this.reviewer || game.views.length < 2;
    byId("review").setAttribute("aria-pressed", String(this.reviewing !== null));
    byId("review-panel").hidden = !this.reviewing;
    if (!this.reviewing) return;
    const { moves, sides, known, asked } = reviewOf(game.views, game.players.length, ply => this.judgement(ply));
    byId("review-state").textContent = known < asked ? `${this.reviewing} has judged ${known} of ${asked} moves …`
      : `${this.reviewing} has judged all ${asked} moves that had an alternative. Near the end, the losses are exact. A result is between −1 (lost) and +1 (won).`;
    const number = (value, digits) => value === null ? "–" : value.toFixed(digits);
    /** @type {[string, (side: any) => string][]} */
    const rows = [
      ["moves judged", ({ moves: count }) => String(count)],
      ["best moves", ({ best, moves: count }) => count ? `${best} (${Math.round(100 * best / count)}%)` : "–"],
      ["mean loss of result", ({ result }) => number(result, 3)],
      ["mean loss of discs", ({ discs }) => number(discs, 2)],
      ["blunders", ({ blunders }) => String(blunders.length)],
    ];
    byId("review-sides").replaceChildren(
      html("thead", {}, html("tr", {}, html("td", {}), ...game.players.map(({ name }) => html("th", { scope: "col" }, name)))),
      html("tbody", {}, ...rows.map(([name, text]) => html("tr", {}, html("th", { scope: "row" }, name), ...sides.map(side => html("td", {}, text(side)))))));
    const focused = document.activeElement?.closest("#blunders button")?.getAttribute("data-ply");
    byId("blunders").replaceChildren(...[...moves.values()].filter(({ isBlunder }) => isBlunder).map(move => {
      const what = move.unit === "discs" ? `${lossText(move.loss, "discs")} discs` : `${lossText(move.loss, "value")} of the result`;
      const button = html("button", { "data-ply": move.ply }, `${game.players[move.player].name} ${move.name} lost ${what}; best ${move.best}`);
      button.addEventListener("click", () => this.table.goTo(move.ply - 1));
      return html("li", {}, button);
    }));
    if (focused) /** @type {HTMLElement | null} */ (byId("blunders").querySelector(`[data-ply="${focused}"]`))?.focus();
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
