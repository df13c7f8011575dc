"""``othello-env play``: play a game at the terminal."""

from collections.abc import Callable, Sequence

import click

from othello_env import drawing
from othello_env.agent import Agent, Seat, ask, make_agent
from othello_env.cli import _options as options
from othello_env.games.game import IllegalActionError, NotationError, State
from othello_env.games.hashing import mix_int
from othello_env.games.registry import GameSpec
from othello_env.support.jit import raise_interrupt

__all__ = ["TerminalGame", "command"]

_HUMAN = "human"
_COLOURS = ("black", "white", "red", "blue", "green")
_HELP = "type a move as the board names it, or undo, hint, help, quit"


def _colour_options(function: Callable[..., None]) -> Callable[..., None]:
    for colour in reversed(_COLOURS):
        function = click.option(
            f"--{colour}", metavar="AGENT", help=f"The player of {colour}: human, or an agent's spec."
        )(function)
    return function


@click.command("play")
@options.game_option
@_colour_options
@click.option("--moves", default="", help="A transcript to begin with.")
@options.seed_option()
def command(game: GameSpec, moves: str, seed: int, **colours: str | None) -> None:
    """Play at the terminal.

    A human or an agent plays each side. The sides are black and white in Othello, red and white in checkers, and blue,
    red and green in Tribolo. If you give no player for a side, the command asks for one.

    Type moves as the board names them, such as f5 or 11-15. You can also type one of these words: undo takes back your
    last move, hint shows the move of an agent, help lists the legal moves, quit ends the game.
    """
    start = game.start(seed)
    *before, state = drawing.positions(start.play_transcript(moves), start)
    if strangers := [name for name, spec in colours.items() if spec and name not in start.player_names]:
        raise click.UsageError(f"{game.name} has no side {strangers[0]}; it has {', '.join(start.player_names)}")
    adviser = _make("alphabeta:depth=6" if start.num_players == 2 else "maxn:depth=2", start, seed)
    opponent = "alphabeta:depth=2" if start.num_players == 2 else "maxn:depth=2"
    seats: list[tuple[Seat | None, str]] = []
    for player, name in enumerate(start.player_names):
        is_taken = _HUMAN in (*colours.values(), *(seated for _, seated in seats))
        agent, called = _player(name, colours.get(name), opponent, opponent if is_taken else _HUMAN, start, seed)
        seats.append((None if agent is None else Seat(agent, mix_int(seed, player)), called))
    draw = str if game.definition.scene is None else drawing.text
    TerminalGame(state, seats, adviser, _prompt, _tell, before, draw).play()


def _tell(text: str) -> None:
    click.echo(text) if "\n" in text else options.say(text)  # a board, or a sentence


def _prompt(text: str) -> str:
    return str(click.prompt(text, prompt_suffix="> ", default="", show_default=False))


def _make(spec: str, start: State, seed: int) -> Agent:
    """Make an agent, and check that it plays the game."""
    agent = make_agent(spec, seed)
    agent.check_game(start)
    return agent


def _player(
    player: str, spec: str | None, opponent: str, default: str, start: State, seed: int
) -> tuple[Agent | None, str]:
    """The agent that plays a side (None for a human), and the name to show.

    Args:
        player: the side, such as ``black``.
        spec: the agent's spec, or ``human``. If `spec` is None, the user is asked.
        opponent: a spec that is shown to the user as an example.
        default: the answer if the user types nothing.
        start: the start of the game.
        seed: the seed of a new agent.
    """
    if spec is not None:
        return (None if spec == _HUMAN else _make(spec, start, seed)), spec
    while True:
        spec = str(click.prompt(f"{player} (human, or an agent such as {opponent})", default=default)).strip()
        try:
            return _player(player, spec, opponent, default, start, seed)
        except (ValueError, OSError, ImportError) as error:
            click.echo(str(error))


class TerminalGame:
    """A game between humans and agents.

    Args:
        state: the position to begin with.
        seats: for each player, a pair (seat, name). The seat is the player's agent as a `Seat` for this game; None for
            a human. The name is shown to the humans.
        adviser: the agent that gives hints.
        prompt: a function that asks the human for a line. The end of the input (EOFError) ends the game, as ``quit``
            does.
        tell: a function that shows a text to the human.
        before: the positions before `state`, beginning with the start. ``undo`` can go back to these positions.
        draw: a function that returns a position as text.
    """

    def __init__(
        self,
        state: State,
        seats: list[tuple[Seat | None, str]],
        adviser: Agent,
        prompt: Callable[[str], str],
        tell: Callable[[str], None],
        before: Sequence[State] = (),
        draw: Callable[[State], str] = drawing.text,
    ) -> None:
        self._history = [*before, state]
        self._seats = seats
        self._adviser = adviser
        self._prompt = prompt
        self._tell = tell
        self._draw = draw

    def play(self) -> State:
        """Play until the game is over or a human ends it, and return the last position."""
        while True:
            state = self._history[-1]
            self._tell(f"\n{self._draw(state)}")
            if state.is_over:
                winners = state.winners()
                scores = " - ".join(str(score) for score in state.scores())
                is_won = len(winners) == 1
                self._tell(f"{state.player_names[winners[0]]} wins {scores}" if is_won else f"a draw, {scores}")
                return state
            seat, name = self._seats[state.to_move]
            player = state.player_names[state.to_move]
            if state.must_pass:
                self._tell(f"{player} has no move and passes")
                self._history.append(state.play(state.legal_actions()[0]))
            elif seat is not None:
                action = seat.ask(state)
                self._tell(f"{player} ({name}) plays {state.action_to_text(action)}")
                self._history.append(state.play(action))
            elif not self._human_turn(state, player):
                return self._history[-1]

    def _human_turn(self, state: State, player: str) -> bool:
        """Let a human make a move or take one back. Return False if the human ends the game."""
        while True:
            try:
                line = self._prompt(f"{player} to move").strip()
            except (click.Abort, EOFError) as error:
                raise_interrupt(error)  # after Ctrl-C, click raises Abort, too; then the whole command must end
                line = "quit"
            match line.lower():
                case "quit":
                    self._tell("you left the game")
                    return False
                case "undo":
                    if self._undo():
                        return True
                    self._tell("there is no move of yours to take back")
                case "help" | "?":
                    legal = " ".join(state.action_to_text(action) for action in state.legal_actions())
                    self._tell(f"legal: {legal}; {_HELP}")
                case "hint":
                    action = ask(self._adviser, state)
                    self._tell(f"{self._adviser!r} would play {state.action_to_text(action)}")
                case _:
                    if self._move(state, line):
                        return True

    def _move(self, state: State, line: str) -> bool:
        try:
            self._history.append(state.play_move(line))
        except NotationError as error:
            self._tell(f"{error}; {_HELP}")
        except IllegalActionError as error:
            self._tell(str(error).splitlines()[0])
        else:
            return True
        return False

    def _undo(self) -> bool:
        """Go back to the last position in which a human chose a move. Return False if there is no such position."""
        for place in range(len(self._history) - 2, -1, -1):
            state = self._history[place]
            if self._seats[state.to_move][0] is None and not state.must_pass:
                del self._history[place + 1 :]
                return True
        return False
