"""``othello-env play``: a game at the terminal."""

from collections.abc import Callable

import click

from othello_env import drawing
from othello_env.agent import Agent, ask, make_agent
from othello_env.cli import _options as options
from othello_env.games.game import IllegalActionError, NotationError, State
from othello_env.games.hashing import mix_int
from othello_env.games.othello import Othello

__all__ = ["Game", "command"]

_HUMAN = "human"
_COMMANDS = "a move such as f5, or undo, hint, resign, quit"


@click.command("play")
@click.option("--black", help="human, or an agent's spec; asked for if it is left out.")
@click.option("--white", help="The same for White.")
@click.option("--hint", "hint", default="alphabeta:depth=6,eval=weighted", help="The agent that gives hints.")
@click.option("--moves", default="", help="A transcript to begin with.")
@options.size_option
@options.seed_option
def command(black: str | None, white: str | None, hint: str, moves: str, size: int, seed: int) -> None:
    """Play Othello: a human or an agent on each side.

    Type moves as f5; undo takes your last move back, hint asks an agent, resign and quit end the game.
    """
    start = Othello(size).play_transcript(moves)
    adviser = make_agent(hint, seed)
    names = {"black": black, "white": white}
    seats = [_player(player, name) for player, name in names.items()]
    for seat, (agent, _) in enumerate(seats):
        if agent is not None:
            agent.new_game(mix_int(seed, seat))
    Game(start, seats, adviser, _prompt, click.echo).play()


def _prompt(text: str) -> str:
    return str(click.prompt(text, prompt_suffix="> ", default="", show_default=False))


def _player(player: str, spec: str | None) -> tuple[Agent | None, str]:
    """The agent that plays a side, None for a human, and what to call it."""
    if spec is not None:
        return (None if spec == _HUMAN else make_agent(spec)), spec
    while True:
        spec = str(click.prompt(f"{player} (human, or an agent such as alphabeta:depth=4)", default=_HUMAN)).strip()
        try:
            return _player(player, spec)
        except (ValueError, OSError, ImportError) as error:
            click.echo(str(error))


class Game:
    """A game between humans and agents.

    Args:
        state: the position to begin with.
        seats: for each player the agent, or None for a human, and a name to call it.
        adviser: the agent that gives hints.
        prompt: asks the human for a line; `click.Abort` or EOFError ends the game as ``quit`` does.
        tell: shows the human a text.
    """

    def __init__(
        self,
        state: State,
        seats: list[tuple[Agent | None, str]],
        adviser: Agent,
        prompt: Callable[[str], str],
        tell: Callable[[str], None],
    ) -> None:
        self._history = [state]
        self._seats = seats
        self._adviser = adviser
        self._prompt = prompt
        self._tell = tell

    def play(self) -> State:
        """Play until the game is over, resigned or left, and return the last position."""
        while True:
            state = self._history[-1]
            self._tell(f"\n{drawing.text(state)}")
            if state.is_over:
                self._tell(self._result(state))
                return state
            agent, name = self._seats[state.to_move]
            player = state.player_names[state.to_move]
            if state.must_pass:
                self._tell(f"{player} has no move and passes")
                self._history.append(state.play(state.legal_actions()[0]))
            elif agent is not None:
                action = ask(agent, state)
                self._tell(f"{player} ({name}) plays {state.action_to_text(action)}")
                self._history.append(state.play(action))
            elif not self._human_turn(state, player):
                return self._history[-1]

    def _human_turn(self, state: State, player: str) -> bool:
        """Ask until something happens; False if the game ends here."""
        while True:
            try:
                line = self._prompt(f"{player} to move").strip()
            except (click.Abort, EOFError):
                line = "quit"
            word = line.lower()
            if word == "quit":
                self._tell("the game was left")
                return False
            if word == "resign":
                self._tell(f"{player} resigns")
                return False
            if word == "undo":
                if self._undo():
                    return True
                self._tell("there is no move of yours to take back")
            elif word == "hint":
                self._tell(f"{self._adviser!r} would play {state.action_to_text(ask(self._adviser, state))}")
            elif self._move(state, line):
                return True

    def _move(self, state: State, line: str) -> bool:
        try:
            self._history.append(state.play(state.action_from_text(line)))
        except NotationError as error:
            self._tell(f"{error}; expected {_COMMANDS}")
        except IllegalActionError as error:
            self._tell(str(error).splitlines()[0])
        else:
            return True
        return False

    def _undo(self) -> bool:
        """Go back to the last position in which a human chose a move, if there is one."""
        for place in range(len(self._history) - 2, -1, -1):
            state = self._history[place]
            if self._seats[state.to_move][0] is None and not state.must_pass:
                del self._history[place + 1 :]
                return True
        return False

    def _result(self, state: State) -> str:
        best = max(state.returns())
        winners = [name for name, result in zip(state.player_names, state.returns(), strict=True) if result == best]
        scores = " - ".join(str(score) for score in state.scores())
        return f"{winners[0]} wins {scores}" if len(winners) == 1 else f"a draw, {scores}"
