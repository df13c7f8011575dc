// The table: a game, who plays whom, and what happens next by itself.

import { pause, post, Refused, think } from "./api.js";
import { Clock } from "./clock.js";
import { Game } from "./game.js";

export const HUMAN = "human";
const PASS_MS = 900;
const ANSWER_MS = 350;
const THINKING_MS = 400; // what is thought of for less is not announced
const HINTERS = ["engine", "alphabeta:depth=6", "maxn:depth=2", "tribolo"];

export class Table {
  /**
   * `page` shows it: `setUp()` for another board, `draw()`, `follow()` after each change of the position, `say(text)`,
   * `thinks(whether)`, `hint(path)`, `chosen(path)`, `refuse(row, column)`; it has the `pace` of what is watched, in ms.
   */
  constructor(page, agents) {
    Object.assign(this, { page, agents, game: null, seats: [], clock: null, base: 0 });
    Object.assign(this, { ended: null, playing: false, selected: null });
    this.work = new AbortController();
    this.choosing = null;
  }

  isHuman(player) { return this.seats[player] === HUMAN; }
  get hasHuman() { return this.seats.includes(HUMAN); }
  get isOver() { return this.game.view.isOver || (this.ended !== null && this.game.atEnd); }
  get status() { return this.ended !== null && this.game.atEnd ? this.ended : this.game.view.status; }
  get isWatched() { return this.playing || this.hasHuman; }

  /** Which of the buttons can be used. */
  get can() {
    const { game, playing } = this;
    const humanNext = this.isHuman(game.view.toMove);
    return {
      first: game.cursor > 0, back: game.cursor > 0, forward: !game.atEnd, last: !game.atEnd,
      restart: game.views.length > 1 || this.ended !== null, resign: this.hasHuman && !this.isOver,
      undo: this.humanPly(-1) !== null, redo: this.humanPly(1) !== null,
      hint: !this.isOver && !game.view.mustPass && (humanNext || !this.isWatched),
      play: playing || !(game.atEnd && (this.isOver || humanNext)),
    };
  }

  humanPly(direction) {
    return this.hasHuman ? this.game.humanPly(direction, player => this.isHuman(player)) : null;
  }

  /** End what is being thought of or waited for; the signal of what comes next. */
  stop() {
    this.work.abort();
    this.work = new AbortController();
    this.choosing = null;
    this.page.thinks(false);
    return this.work.signal;
  }

  /** Seat the players at the game of a record; it is loaded before anything changes. */
  async begin(record, seats, limit = 0, base = record.moves.length) {
    const signal = this.stop();
    this.choosing = signal; // the old board takes no more clicks
    const game = await Game.of(record, undefined, signal).catch(error => {
      if (this.choosing === signal) this.choosing = null;
      if (!signal.aborted) throw error;
    });
    if (!game || signal.aborted) return;
    const clock = Clock.from(limit, seats.length, record.moves.length);
    this.resume({ game, seats, clock, base, ended: null, playing: !seats.includes(HUMAN) });
  }

  /** Go on with what `begin` seated. */
  resume(kept) {
    Object.assign(this, kept, { selected: null });
    this.page.setUp();
    this.page.say("");
    this.proceed();
  }

  restart() {
    return this.begin(this.game.recordAt(this.base), this.seats, this.clock.limit);
  }

  goTo(ply) {
    this.game.cursor = ply;
    this.playing = false;
    this.selected = null;
    this.page.say("");
    this.proceed();
  }

  undo() { this.goTo(this.humanPly(-1)); }
  redo() { this.goTo(this.humanPly(1)); }
  togglePlay() { this.playing = !this.playing; this.proceed(); }

  cancel() {
    this.stop();
    this.playing = false;
    this.page.draw();
    this.page.say("cancelled");
  }

  /** Do what comes next by itself: a pass, an agent's move, a step of what is played through. */
  async proceed() {
    const signal = this.stop();
    this.page.draw();
    this.page.follow();
    try {
      await this.act(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.page.thinks(false);
      this.playing = false;
      this.page.draw();
      if (!(error instanceof Refused)) throw error;
      this.page.say(error.message);
    }
  }

  async act(signal) {
    const { game, page } = this;
    const { view, mover } = game;
    if (!game.atEnd) {
      if (this.playing) await this.step(signal);
    } else if (this.isOver || this.isHuman(view.toMove) && !view.mustPass) {
      if (this.playing) { this.playing = false; page.draw(); }
    } else if (!this.isWatched) {
      return;
    } else if (view.mustPass) {
      page.say(`${mover} has no move and passes`);
      await pause(this.hasHuman ? PASS_MS : page.pace, signal);
      await this.play(view.choices[0].action, signal, `${mover} passes`);
    } else {
      await this.answer(view, mover, signal);
    }
  }

  async step(signal) {
    await pause(this.page.pace, signal);
    this.game.cursor += 1;
    this.page.say(this.game.view.move);
    this.proceed();
  }

  async answer(view, mover, signal) {
    const agent = this.seats[view.toMove];
    const announced = setTimeout(() => {
      this.page.thinks(true);
      this.page.say(`${agent} is thinking …`);
    }, THINKING_MS);
    const left = this.clock.left(this.game.cursor, view.toMove);
    const more = this.clock.limit ? { secondsLeft: Math.max(.05, left) } : {};
    try {
      const pace = pause(this.hasHuman ? ANSWER_MS : this.page.pace, signal);
      const [{ action, name }] = await Promise.all([think(agent, "move", this.game.recordAt(), signal, more), pace]);
      await this.play(action, signal, `${mover} plays ${name}`);
    } finally {
      clearTimeout(announced);
      if (!signal.aborted) this.page.thinks(false);
    }
  }

  /** Play an action and say so, unless something else is done meanwhile; whether it was played. */
  async play(action, signal, text) {
    const at = this.game.cursor;
    const next = await this.game.played(action, signal);
    if (signal.aborted) return false;
    this.game = next;
    this.clock.played(at);
    this.ended = null;
    this.selected = null;
    this.page.say(text);
    this.proceed();
    return true;
  }

  /** A square was chosen by click or key. */
  async choose(row, column) {
    if (this.choosing) return;
    const { game, page, selected } = this;
    const { view } = game;
    if (this.isOver) { page.say("the game is over"); return; }
    if (!this.isHuman(view.toMove)) { page.say(`it is ${game.mover}'s turn`); return; }
    if (view.mustPass) return;
    const here = place => place[0] === row && place[1] === column;
    const from = view.choices.filter(choice => choice.path.length === 2 && here(choice.path[0]));
    const found = view.choices.find(({ path }) => path.length === 1 ? here(path[0])
      : path.length === 2 && here(path[1]) && selected && String(path[0]) === String(selected));
    if (found) {
      await this.playChosen(found);
    } else if (from.length) {
      this.selected = selected && here(selected) ? null : [row, column];
      page.draw();
    } else {
      page.refuse(row, column);
      page.say(`${game.squareName(row, column)} is not legal for ${game.mover}`);
    }
  }

  async playChosen(choice) {
    const signal = this.stop();
    this.choosing = signal;
    this.page.chosen(choice.path); // at once, however long the server takes
    const { mover, view: { toMove } } = this.game;
    try {
      if (!await this.play(choice.action, signal, `${mover} plays ${choice.name}`)) return;
      const { view } = this.game;
      // In a chain the same piece goes on.
      if (view.toMove === toMove && view.choices.length && choice.path.length === 2) {
        this.selected = choice.path[1];
        this.page.draw();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (this.choosing === signal) this.choosing = null;
    }
  }

  async hint() {
    const able = this.agents.filter(agent => agent.games.includes(this.game.record.game)).map(({ spec }) => spec);
    const agent = HINTERS.find(spec => able.includes(spec)) ?? able.at(-1);
    if (!agent) { this.page.say("no agent here gives hints"); return; }
    const signal = this.stop();
    this.page.thinks(true);
    this.page.say(`${agent} is thinking …`);
    try {
      const { action, name } = await think(agent, "move", this.game.recordAt(), signal);
      this.page.hint(this.game.view.choices.find(choice => choice.action === action)?.path ?? []);
      this.page.say(`${agent} would play ${name}`);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (!signal.aborted) this.page.thinks(false);
    }
  }

  resign() {
    const { toMove } = this.game.view;
    const person = this.isHuman(toMove) ? toMove : this.seats.indexOf(HUMAN);
    this.game.forgetLater();
    this.end(`${this.game.players[person].name} resigns`);
  }

  end(text) {
    this.ended = `game over: ${text}`;
    this.playing = false;
    this.proceed();
  }

  /** Let the clock of the player to move run; it stands while earlier positions are looked at. */
  tick(seconds) {
    const { game, clock } = this;
    if (!clock.limit || this.isOver || !game.atEnd || game.view.mustPass || !this.isWatched) return;
    const { toMove } = game.view;
    clock.tick(game.cursor, toMove, seconds);
    if (clock.left(game.cursor, toMove) <= 0) this.end(`${game.players[toMove].name} ran out of time`);
  }

  /** What a tab keeps, and `restore` takes. */
  keep() {
    const { game, seats, clock, ended, base } = this;
    return { record: game.record, cursor: game.cursor, seats, limit: clock.limit, used: clock.used, ended, base };
  }

  async restore({ record, cursor, seats, limit, used, ended, base }) {
    const known = new Set([HUMAN, ...this.agents.map(({ spec }) => spec)]);
    const game = await Game.of(record, cursor);
    if (used.length <= record.moves.length) throw new RangeError("a clock has a time for each ply");
    const seated = seats.map(seat => known.has(seat) ? seat : HUMAN);
    this.resume({ game, seats: seated, clock: new Clock(limit, used), ended, base, playing: false });
  }

  /** The game as text, as it can be pasted. */
  async transcript() {
    return (await post("write", { record: this.game.record })).text;
  }
}
