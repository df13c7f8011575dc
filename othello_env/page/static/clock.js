// The players' clocks by ply. Whoever takes a move back gets back the time that was used since.

export class Clock {
  /** `limit` is in seconds, 0 for no clock; `used[ply][player]` is what a player has used up to a ply. */
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

  /** Count time for which a player thinks about the move at a ply. */
  tick(ply, player, seconds) {
    this.used[ply][player] += seconds;
  }

  /** Set the time for which a player thought about the move at a ply, in place of what ticked meanwhile. */
  took(ply, player, seconds) {
    this.used[ply][player] = (ply ? this.used[ply - 1][player] : 0) + seconds;
  }

  /** The clock for another line of so many plies. */
  upTo(plies) {
    const used = Array.from({ length: plies + 1 }, (_, ply) => [...this.used[Math.min(ply, this.used.length - 1)]]);
    return new Clock(this.limit, used);
  }

  /** A move was played at a ply; the times of later plies are forgotten. */
  played(ply) {
    this.used = [...this.used.slice(0, ply + 1), [...this.used[ply]]];
  }
}
