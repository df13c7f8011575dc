// The players' clocks by ply: who takes moves back gets the time back that was used since.

export class Clock {
  /** `limit` seconds a player, 0 for no clock; `used[ply][player]` is what was used before the move at a ply. */
  constructor(limit, used) {
    this.limit = limit;
    this.used = used;
  }

  /** The clock of a game that begins at a ply. */
  static from(limit, players, ply) {
    return new Clock(limit, Array.from({ length: ply + 1 }, () => Array(players).fill(0)));
  }

  /** The seconds that a player has left at a ply. */
  left(ply, player) {
    return this.limit - this.used[Math.min(ply, this.used.length - 1)][player];
  }

  /** A player thinks about the move at a ply. */
  tick(ply, player, seconds) {
    this.used[ply][player] += seconds;
  }

  /** A player thought about the move at a ply for so many seconds, whatever ticked meanwhile. */
  took(ply, player, seconds) {
    this.used[ply][player] = (ply ? this.used[ply - 1][player] : 0) + seconds;
  }

  /** A move at a ply was played: what came after it before is forgotten. */
  played(ply) {
    this.used = [...this.used.slice(0, ply + 1), [...this.used[ply]]];
  }
}
