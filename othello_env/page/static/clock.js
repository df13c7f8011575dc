// The players' clocks at each ply. If a player takes a move back, the time that was used since is given back, too.

export class Clock {
  /** `limit` is in seconds; 0 is no clock. `used[ply][player]` is the time in seconds that a player has used up to a ply. */
  constructor(limit, used) {
    this.limit = limit;
    this.used = used;
  }

  /** The clock of a game that begins at this ply. No time is used yet. */
  static from(limit, players, ply) {
    return new Clock(limit, Array.from({ length: ply + 1 }, () => Array(players).fill(0)));
  }

  /** The seconds that a player has left at a ply. */
  left(ply, player) {
    return this.limit - this.used[Math.min(ply, this.used.length - 1)][player];
  }

  /** Add seconds in which a player thinks about the move at a ply. */
  tick(ply, player, seconds) {
    this.used[ply][player] += seconds;
  }

  /** Set the seconds that a player needed for the move at a ply. This replaces the seconds that `tick` has added. */
  took(ply, player, seconds) {
    this.used[ply][player] = (ply ? this.used[ply - 1][player] : 0) + seconds;
  }

  /** The clock for another line of the game (another sequence of moves), with this number of plies. */
  upTo(plies) {
    const used = Array.from({ length: plies + 1 }, (_, ply) => [...this.used[Math.min(ply, this.used.length - 1)]]);
    return new Clock(this.limit, used);
  }

  /** Note that a move was played at a ply. The times of later plies are dropped. */
  played(ply) {
    this.used = [...this.used.slice(0, ply + 1), [...this.used[ply]]];
  }
}
