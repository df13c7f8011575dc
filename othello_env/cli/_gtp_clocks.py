"""The clocks of a game by GTP: what the other program said about time, and what each side has left."""

from othello_env.agent import Clock

__all__ = ["Clocks"]


class Clocks:
    """Both sides' clocks.

    The clock is what ``time_left`` said, or else what ``time_settings`` gives less the time that was used. Time for
    several moves of byo-yomi is divided among them.
    """

    def __init__(self) -> None:
        self._at_start: Clock | None = None
        self._byo_yomi: Clock | None = None
        self._left: dict[int, Clock | None] = {}

    def start(self) -> None:
        """A game begins."""
        self._left = dict.fromkeys((0, 1), self._at_start)

    def set(self, main: float, byo_yomi: float, stones: float) -> None:
        """Take ``time_settings``: seconds of main time, then `byo_yomi` seconds for each `stones` moves."""
        self._byo_yomi = Clock(move=byo_yomi / stones) if byo_yomi and stones else None
        is_unlimited = byo_yomi and not stones
        self._at_start = Clock(game=main) if main and not is_unlimited else self._byo_yomi
        self.start()

    def set_left(self, player: int, seconds: float, stones: float) -> None:
        """Take ``time_left``: `seconds` for `stones` moves, or for the rest of the main time if `stones` is 0."""
        self._left[player] = Clock(move=seconds / stones) if stones else Clock(game=seconds)

    def left(self, player: int) -> Clock | None:
        """A side's clock; None without a limit."""
        return self._left[player]

    def use(self, player: int, seconds: float) -> None:
        """Take the time of a move off a side's clock; when its main time is used up, byo-yomi begins."""
        clock = self._left[player]
        if clock is not None and clock.game is not None:
            left = clock.game - seconds
            self._left[player] = self._byo_yomi if left <= 0 and self._byo_yomi else Clock(game=max(left, 0.0))
