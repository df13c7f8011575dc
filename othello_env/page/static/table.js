// The table: a game, its players and its lines. The table also makes the moves of agents, the passes and the replay.

import { post, think } from "./api.js";
import { Game } from "./game.js";
import { common, keepLine } from "./lines.js";
import { offerOf } from "./picker.js";
import { pause, Refused } from "./waiting.js";

export const HUMAN = "human";
const PASS_MS = 900;
const ANSWER_MS = 350;
const THINKING_MS = 400; // the page says that an agent thinks only after this time
const ONCE = "once"; // play one ply and stop
/** @type {{moves: number[], words: string[]}} Moves, and a text for each of them. */
const SILENT = { moves: [], words: [] };

/** A seed for a new game. */
export const newSeed = () => crypto.getRandomValues(new Uint32Array(1))[0];

export class Table {
  /**
   * `page` shows the table. It has `setUp()` for another board, `draw()`, `follow()` after each change of the position,
   * `say(text)`, `fail(error, retry)`, `thinks(agent, doing)` (null if nobody thinks) and `hint(path)`. It also has `pace`:
   * the time in ms for which each position is shown if no person plays.
   */
  constructor(page, agents) {
    this.page = page;
    this.agents = agents;
    /** @type {Game} */
    this.game = null;
    /** @type {string[]} */
    this.seats = []; // a spec, or HUMAN, for each player
    this.base = 0; // the plies of the opening, which no player chose
    /** @type {import("./lines.js").Line[]} */
    this.lines = [];
    this.spoken = SILENT; // what language models said beside the moves of a recorded game
    /** @type {string | null} */
    this.ended = null; // if a player resigned: the text about this
    /** @type {boolean | "once"} */
    this.playing = false;
    this.isAnalysis = false; // whether the game is analysed, not played
    /** @type {number[] | null} */
    this.selected = null; // the place of the piece that a person wants to move
    /** @type {any} */
    this.previous = null; // what `keep` told of the game that was on the table before
    this.work = new AbortController();
    /** @type {AbortSignal | null} */
    this.choosing = null;
  }

  /** Whether a person chooses the moves of a player. In an analysis, a person tries moves for all players. */
  isHuman(player) { return this.seats[player] === HUMAN || (this.isAnalysis && !this.playing); }
  get hasHuman() { return this.seats.includes(HUMAN) || (this.isAnalysis && !this.playing); }
  /** Who plays each side: the spec of an agent, the name in the record, or "" for a person without a name. */
  get names() { return this.seats.map((seat, index) => seat === HUMAN ? this.game.record.agents?.[index] ?? "" : seat); }
  get isOver() { return this.game.view.isOver || (this.ended !== null && this.game.atEnd); }
  get isPlaying() { return this.playing === true; }

  /** A text: who is to move. At the end: who won, by how much and why. */
  get status() {
    const { view } = this.game;
    if (this.ended !== null && this.game.atEnd) return this.ended;
    return view.isOver ? `game over: ${view.ending}` : view.status;
  }

  /** What a language model said beside the move that led to the shown position. If a person played another move: nothing. */
  get words() {
    const { game: { record, cursor }, spoken } = this;
    return common(record.moves, spoken.moves) >= cursor ? spoken.words[cursor - 1] ?? "" : "";
  }

  /** Which buttons can be used; null for those that have no use in this game. */
  get can() {
    const { game, playing, isAnalysis } = this;
    const isMine = this.seats.includes(HUMAN) && !isAnalysis; // a person plays
    const isEnded = game.views.at(-1).isOver || this.ended !== null;
    const goesOn = !this.isOver && !this.seats.includes(HUMAN); // a game between agents
    return {
      first: game.cursor > 0, back: game.cursor > 0, last: !game.atEnd,
      forward: !game.atEnd || (goesOn && !playing), play: isMine ? null : playing || !game.atEnd || goesOn,
      recover: this.previous !== null, resign: !isAnalysis && this.hasHuman && game.atEnd && !this.isOver,
      undo: isMine ? this.humanPly(-1) !== null || this.ended !== null : null,
      hint: isMine && !isEnded ? !this.isOver && !game.view.mustPass && this.isHuman(game.view.toMove) : null,
      rematch: (!isAnalysis && isEnded) || null,
    };
  }

  humanPly(direction) {
    return this.hasHuman ? this.game.humanPly(direction, player => this.isHuman(player)) : null;
  }

  /** Stop all thinking and waiting. Return the signal that will stop what is started next. */
  stop() {
    this.work.abort();
    this.work = new AbortController();
    this.choosing = null;
    this.page.thinks(null);
    return this.work.signal;
  }

  /** Load a game. Meanwhile, the old board takes no clicks. Null if the person did something else before the game came. */
  async load(record, cursor) {
    const signal = this.stop();
    this.choosing = signal;
    try {
      const game = await Game.fromRecord(record, cursor, signal);
      return signal.aborted ? null : game;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    } finally {
      if (this.choosing === signal) this.choosing = null;
    }
  }

  /**
   * Begin the game of a record with these players, or with a person on all sides if `seats` is null. Nothing changes until
   * the game is loaded. The game that was on the table is kept in `previous`, unless it has no moves, or was only looked at.
   */
  async begin(record, seats, { base = record.moves.length, cursor = undefined, spoken = SILENT } = {}) {
    const game = await this.load(record, cursor);
    if (!game) return;
    if (this.game?.record.moves.length && (!this.isAnalysis || this.seats.some(seat => seat !== HUMAN))) this.previous = this.keep();
    seats ??= game.board.players.map(() => HUMAN);
    const playing = !seats.includes(HUMAN) && game.atEnd;
    this.resume({ game, seats, base, spoken, ended: null, lines: [], playing });
  }

  /** Put a game with its players and state on the table, and continue it. */
  resume(kept) {
    Object.assign(this, kept, { selected: null });
    this.page.setUp();
    this.page.say("");
    this.proceed();
  }

  /** Begin a new game with the same players. Each player gets another side. */
  rematch() {
    const record = this.game.recordAt(this.base);
    record.agents = [];
    if (this.base === 0 || !this.game.board.isRandom) record.seed = newSeed();
    return this.begin(record, [...this.seats.slice(1), this.seats[0]]);
  }

  /** Put the game that was on the table before on it again. The present game can come back in the same way. */
  async bringBack() {
    const game = await this.load(this.previous.record, this.previous.cursor);
    if (!game) return;
    const present = this.keep();
    this.bring(game, this.previous);
    this.previous = present;
    this.page.draw();
  }

  goTo(ply) {
    this.game.cursor = ply;
    this.playing = false;
    this.selected = null;
    this.page.say("");
    this.proceed();
  }

  /** Take back the person's last move, or the resignation. */
  undo() {
    const ply = this.ended === null ? this.humanPly(-1) : this.game.cursor;
    this.ended = null;
    this.goTo(ply);
  }

  togglePlay() { this.playing = !this.playing; this.proceed(); }

  /** Go to the next ply. At the end of an unfinished game between agents, let the next agent make its move. */
  forward() {
    if (!this.game.atEnd) {
      this.goTo(this.game.cursor + 1);
    } else {
      this.playing = ONCE;
      this.proceed();
    }
  }

  /** Show another line of the game, at its first move that differs from the present line. */
  openLine(index) {
    const { moves } = this.lines[index];
    return this.show(moves, Math.min(moves.length, common(this.game.record.moves, moves) + 1));
  }

  /** Play several actions at the position that is shown, as another line of the game. */
  openMoves(actions) {
    return this.show([...this.game.recordAt().moves, ...actions]);
  }

  /** Show a line of the game, by default its end. The line that leaves the table is kept beside it. */
  async show(moves, ply = moves.length) {
    const left = this.game.line;
    const game = await this.load({ ...this.game.record, moves }, ply);
    if (!game) return;
    const others = this.lines.filter(line => String(line.moves) !== String(moves));
    this.resume({ game, base: Math.min(this.base, common(left.moves, moves)), ended: null, lines: keepLine(others, left, game.line), playing: false });
  }

  cancel() {
    this.stop();
    this.playing = false;
    this.page.draw();
    this.page.say("cancelled");
  }

  /** Do what happens next without a person: a pass, an agent's move, or a step of the replay. */
  async proceed() {
    const signal = this.stop();
    this.page.draw();
    this.page.follow();
    try {
      await this.act(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.playing = false;
      this.page.draw();
      if (!(error instanceof Refused)) throw error;
      this.page.fail(error, () => this.proceed());
    }
  }

  async act(signal) {
    const { game, page, game: { view, mover } } = this;
    if (!game.atEnd) {
      if (this.playing) await this.step(signal);
    } else if (this.isOver || (this.isHuman(view.toMove) && !view.mustPass)) {
      if (this.playing) { this.playing = false; page.draw(); }
    } else if (!this.playing && !this.hasHuman) {
      return;
    } else if (view.mustPass) {
      page.say(`${mover} has no move and passes`);
      await pause(this.hasHuman ? PASS_MS : this.pace, signal);
      await this.play(view.choices[0].action, signal, `${mover} passes`);
    } else {
      await this.answer(view, mover, signal);
    }
  }

  /** The time in ms for which each position is shown if no person plays. */
  get pace() { return this.playing === ONCE ? 0 : this.page.pace; }

  async step(signal) {
    await pause(this.pace, signal);
    const { mover } = this.game;
    this.game.cursor += 1;
    this.selected = null;
    this.page.say(`${mover} played ${this.game.view.move}`);
    this.proceed();
  }

  async answer(view, mover, signal) {
    const shown = pause(this.hasHuman ? ANSWER_MS : this.pace, signal);
    shown.catch(() => {}); // an abort needs no handling here, because it also makes the `ask` below fail
    const { action, name } = await this.ask(this.seats[view.toMove], signal);
    await shown;
    await this.play(action, signal, `${mover} plays ${name}`);
  }

  /** Ask an agent about the position that is shown. If it thinks for long, the page says so. */
  async ask(agent, signal, task = "move") {
    let doing = "waiting";
    let isLong = false;
    const announced = setTimeout(() => { isLong = true; this.page.thinks(agent, doing); }, THINKING_MS);
    try {
      return await think(agent, task, this.game.recordAt(), signal, news => {
        if (news.doing) doing = news.doing;
        if (isLong && !signal.aborted) this.page.thinks(agent, doing);
      });
    } finally {
      clearTimeout(announced);
      if (!signal.aborted) this.page.thinks(null);
    }
  }

  /** Play an action and show `text`. Return whether the action was played: an abort of the signal may prevent it. */
  async play(action, signal, text) {
    const at = this.game.cursor;
    const left = this.game.line;
    const next = await this.game.played(action, signal);
    if (signal.aborted) return false;
    if (at < left.moves.length) this.lines = keepLine(this.lines, left, next.line);
    this.game = next;
    this.base = Math.min(this.base, at); // within the opening, a person chose another move
    this.ended = null;
    this.selected = null;
    if (this.playing === ONCE) this.playing = false;
    this.page.say(next.view.isOver ? "" : text);
    this.proceed();
    return true;
  }

  /** Handle a square that a person chose by a click or a key. */
  async choose(row, column) {
    if (this.choosing) return;
    const { game, page, selected } = this;
    const { view } = game;
    if (this.isOver) { page.say("the game is over"); return; }
    if (this.isAnalysis) this.playing = false;
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
      page.say(`not legal for ${game.mover}: ${game.squareName(row, column)}`);
    }
  }

  async playChosen(choice) {
    if (choice.action === this.game.record.moves[this.game.cursor]) { // the game already has this move, so only go forward
      this.goTo(this.humanPly(1) ?? this.game.cursor + 1);
      return;
    }
    const signal = this.stop();
    this.choosing = signal;
    const { mover, view: { toMove } } = this.game;
    try {
      if (!await this.play(choice.action, signal, `${mover} plays ${choice.name}`)) return;
      const { view } = this.game;
      // In a chain of jumps, the same piece moves again, so it stays selected.
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

  /** Mark the best move of an agent. */
  async hint(agent) {
    if (!agent) { this.page.say("choose an evaluator in Analyse; it gives the hints"); return; }
    const signal = this.stop();
    try {
      const { moves } = await this.ask(agent, signal, "assess");
      const best = this.game.view.choices.find(({ action }) => action === moves[0]?.action);
      this.page.hint(best?.path ?? []);
      this.page.say(best ? `hint: ${best.name}, by ${agent}` : `${agent} says nothing about these moves`);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  resign() {
    const { toMove } = this.game.view;
    const player = this.isHuman(toMove) ? toMove : this.seats.indexOf(HUMAN);
    const { players } = this.game;
    const winner = players.length === 2 ? `${players[1 - player].name} wins: ` : "";
    this.ended = `game over: ${winner}${players[player].name} resigns`;
    this.playing = false;
    this.page.say("");
    this.proceed();
  }

  /** The values that `restore` needs to put this game on the table again. */
  keep() {
    const { game, seats, ended, base, lines, spoken } = this;
    return { record: game.record, cursor: game.cursor, seats, ended, base, lines, spoken };
  }

  /** Put a kept game on the table again. */
  async restore(kept) {
    this.bring(await Game.fromRecord(kept.record, kept.cursor), kept);
  }

  bring(game, { seats, ended, base, lines, spoken }) {
    const seated = seats.map(seat => seat === HUMAN || offerOf(this.agents, seat) ? seat : HUMAN);
    this.resume({ game, seats: seated, ended, base, lines, spoken, playing: false });
  }

  /** The game as text that can be pasted. */
  async transcript() {
    return (await post("write", { record: this.game.record })).text;
  }
}
