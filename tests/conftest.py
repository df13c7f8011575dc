"""Tools for all tests: a slow, simple version of Othello for comparison, and random positions."""

import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from othello_env import Othello
from othello_env.games.othello.bitboard import ACTION_BITS, BOARD_INTS

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("repeatable")

EMPTY, BLACK, WHITE = None, 0, 1


class Twin:
    """Othello by the rule book, with a board of rows. It follows each of the eight directions square by square.

    It shares no code and no encoding with the package. `rows[r][c]` is None, 0 (black) or 1 (white).
    """

    DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))

    def __init__(self, rows: list[list[int | None]], to_move: int) -> None:
        self.rows = rows
        self.to_move = to_move
        self.size = len(rows)

    @classmethod
    def start(cls, size: int) -> "Twin":
        rows: list[list[int | None]] = [[EMPTY] * size for _ in range(size)]
        high, low = size // 2 - 1, size // 2
        rows[high][high] = rows[low][low] = WHITE
        rows[high][low] = rows[low][high] = BLACK
        return cls(rows, BLACK)

    @classmethod
    def from_state(cls, state: Othello) -> "Twin":
        cells = [{"X": BLACK, "O": WHITE, "-": EMPTY}[cell] for cell in state.to_text()]
        return cls([cells[row * state.size : (row + 1) * state.size] for row in range(state.size)], state.to_move)

    def flipped(self, row: int, column: int, player: int) -> list[tuple[int, int]]:
        """The squares of the discs that a move to (row, column) flips. For an illegal move, the list is empty."""
        if self.rows[row][column] is not EMPTY:
            return []
        turned = []
        for down, right in self.DIRECTIONS:
            run = []
            r, c = row + down, column + right
            while 0 <= r < self.size and 0 <= c < self.size and self.rows[r][c] == 1 - player:
                run.append((r, c))
                r, c = r + down, c + right
            if run and 0 <= r < self.size and 0 <= c < self.size and self.rows[r][c] == player:
                turned += run
        return turned

    def squares(self, player: int) -> list[int]:
        """The squares where a player may put a disc, in ascending order."""
        size = self.size
        return [size * r + c for r in range(size) for c in range(size) if self.flipped(r, c, player)]

    def is_over(self) -> bool:
        return not self.squares(BLACK) and not self.squares(WHITE)

    def legal_actions(self) -> list[int]:
        if self.is_over():
            return []
        return self.squares(self.to_move) or [self.size**2]

    def play(self, action: int) -> "Twin":
        rows = [list(row) for row in self.rows]
        if action != self.size**2:
            row, column = divmod(action, self.size)
            for r, c in [(row, column), *self.flipped(row, column, self.to_move)]:
                rows[r][c] = self.to_move
        return type(self)(rows, 1 - self.to_move)

    def count(self, player: int | None) -> int:
        return sum(row.count(player) for row in self.rows)

    def margin(self) -> int:
        """The number of Black's discs minus the number of White's discs at the end. Before the end, it is 0.

        The winner also gets the empty squares.
        """
        black, white = self.count(BLACK), self.count(WHITE)
        if not self.is_over() or black == white:
            return 0
        return black - white + (self.count(EMPTY) if black > white else -self.count(EMPTY))

    def to_text(self) -> str:
        return "".join("-" if cell is EMPTY else "XO"[cell] for row in self.rows for cell in row)

    def values(self) -> dict[int, int]:
        """The margin of each legal action for the player to move under perfect play, found by playing all games."""
        return {action: -self.play(action).value() for action in self.legal_actions()}

    def value(self) -> int:
        """The margin for the player to move under perfect play."""
        if self.is_over():
            return self.margin() * (1 if self.to_move == BLACK else -1)
        return max(self.values().values())


@st.composite
def _scattered(draw: DrawFn, sizes: tuple[int, ...]) -> Othello:
    """A board with random discs, few or many. Real games seldom or never reach such a position."""
    size = draw(st.sampled_from(sizes))
    board = BOARD_INTS[size]
    words = st.integers(0, 2**64 - 1)
    taken, colour = draw(words), draw(words)
    density = draw(st.sampled_from(["full", "dense", "half", "sparse"]))
    if density == "full":
        taken = board
    elif density == "dense":
        taken |= draw(words)
    elif density == "sparse":
        taken &= draw(words)
    if draw(st.booleans()):
        colour &= draw(words)
    discs = taken & board
    return Othello.from_bits(discs & colour, discs & ~colour, draw(st.integers(0, 1)), size)


@st.composite
def _played(draw: DrawFn, sizes: tuple[int, ...]) -> Othello:
    """A position of a game that is played from the start. It may be the end of the game."""
    state = Othello(draw(st.sampled_from(sizes)))
    for choice in draw(st.lists(st.integers(0, 2**16), max_size=70)):
        if state.is_over:
            break
        legal = state.legal_actions()
        state = state.play(legal[choice % len(legal)])
    return state


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make commands print the same whatever width the user, or pytest's worker, has set."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session", autouse=True)
def interrupts() -> None:
    """Let tests send Ctrl-C to themselves, even if the program that started the tests ignores Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def twin() -> type[Twin]:
    return Twin


@pytest.fixture(scope="session")
def positions() -> Callable[..., SearchStrategy[Othello]]:
    """`positions(8)` is a strategy for 8x8 positions: random boards, and positions of played games.

    `positions()` uses all three sizes.
    """

    def strategy(*sizes: int) -> SearchStrategy[Othello]:
        wanted = sizes or tuple(ACTION_BITS)
        return st.one_of(_scattered(wanted), _played(wanted))

    return strategy


@pytest.fixture(scope="session")
def data_folder() -> Path:
    return Path(__file__).parent / "data"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        # A process in the state Z (a zombie) has ended.
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def _all_end(pids: Iterable[int], seconds: float = 20.0) -> bool:
    end, left = time.monotonic() + seconds, [*pids]
    while (left := [pid for pid in left if _is_alive(pid)]) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return not left


@pytest.fixture(scope="session")
def is_alive() -> Callable[[int], bool]:
    """`is_alive(pid)`: whether a process is running."""
    return _is_alive


@pytest.fixture(scope="session")
def all_end() -> Callable[..., bool]:
    """`all_end(pids)`: whether all processes end within 20 seconds. After that, running processes are killed."""
    return _all_end


@pytest.fixture
def always_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the threads of a batch share every step, even if the step is short."""
    from othello_env.envs.vector import env

    monkeypatch.setattr(env, "_SHARED_GAMES", 0)
