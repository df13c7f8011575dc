"""The clocks of a game that is played over GTP. The other program sets these clocks."""

from othello_env.agent import Clock

__all__ = ["Clocks"]


class Clocks:
    """The clocks of both sides.

    The command ``time_settings`` sets both clocks. Later, ``time_left`` can set the clock of one side to another time.
    The time that a side uses is subtracted from its clock. When the main time is used up, byo-yomi begins. In byo-yomi,
    a side has a fixed time for each move, or for each group of several moves. The time for several moves is divided
    equally among the moves.
    """

    def __init__(self) -> None:
        self._at_start: Clock | None = None
        self._byo_yomi: Clock | None = None
        self._left: dict[int, Clock | None] = {}

    def start(self) -> None:
        """Set both clocks for the beginning of a game."""
        self._left = dict.fromkeys((0, 1), self._at_start)

    def set(self, main: float, byo_yomi: float, stones: float) -> None:
        """Handle ``time_settings``: `main` seconds of main time, then `byo_yomi` seconds for every `stones` moves."""
        self._byo_yomi = Clock(move=byo_yomi / stones) if byo_yomi and stones else None
        is_unlimited = byo_yomi and not stones
        self._at_start = Clock(game=main) if main and not is_unlimited else self._byo_yomi
        self.start()

    def set_left(self, player: int, seconds: float, stones: float) -> None:
        """Handle ``time_left``: a side has `seconds` for `stones` moves, or `seconds` of main time if `stones` is 0."""
        self._left[player] = Clock(move=seconds / stones) if stones else Clock(game=seconds)

    def left(self, player: int) -> Clock | None:
        """A side's clock. None if the side has no time limit."""
        return self._left[player]

    def use(self, player: int, seconds: float) -> None:
        """Subtract the time of a move from a side's clock. When the main time is used up, byo-yomi begins."""
        clock = self._left[player]
        if clock is not None and clock.game is not None:
            left = clock.game - seconds
            self._left[player] = self._byo_yomi if left <= 0 and self._byo_yomi else Clock(game=max(left, 0.0))
