"""An agent that plays by a sequence model, such as Othello-GPT: a model that says which move follows a game's moves.

The model is a function from tokens, (N, K) integers, to logits, (N, K, V) floats; see
`othello_env.support.models.SequenceModel`. In a spec, a function of yours makes it: ``sequence:model=gpt.py:make``
calls ``make(size)`` with the board's size. If it returns a `torch.nn.Module`, `weights` can name a file of its weights:
a ``.safetensors`` file, or a state dict that `torch.save` wrote. Such files run no code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from othello_agents.network.policy import draw_actions
from othello_env.agent import Agent, RandomChoices, WrongGameError, check_not_over, decision_keys, spec_text
from othello_env.games.batch import Positions
from othello_env.games.game import State, check_choice
from othello_env.games.hashing import CHOICE, mix_int
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello
from othello_env.games.othello.tokens import vocabulary_of
from othello_env.support.extras import import_extra
from othello_env.support.imports import import_object
from othello_env.support.models import SequenceModel, logits_of
from othello_env.support.numbers import check_real

__all__ = ["SequenceAgent", "agent_from_spec", "load_weights"]


class SequenceAgent(Agent):
    """Plays the move that a sequence model thinks most likely, or draws it. It plays Othello and variants of its rules.

    The model sees the moves from the usual start, so the agent needs positions that know their moves. Before the first
    move, and in ``metaothello`` after more moves than the vocabulary's sequences have, there is nothing to ask the
    model: then the agent plays the first legal action, or with a temperature any legal action. (The four first moves
    are mirror images of each other.)

    Args:
        model: the function from tokens to logits.
        size: the board's size: 4, 6 or 8.
        vocabulary: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.
        illegal: ``next`` to play the likeliest legal move; ``forfeit`` to play the likeliest token, whatever it is. In
            a match, an illegal move loses the game.
        name: the agent's name.
        temperature: with 0, the agent plays the likeliest token. With another number T, it draws a token with the
            softmax of the logits divided by T: of those of the legal tokens, or with ``forfeit`` of all.
        seed: the seed of the random choices before the first call of `new_game`. None stands for a random seed.

    Raises:
        ValueError: there is no such size or vocabulary, `illegal` is neither, or the temperature is negative.
    """

    def __init__(
        self,
        model: SequenceModel,
        size: int = 8,
        vocabulary: str = "othello-gpt",
        illegal: Literal["next", "forfeit"] = "next",
        name: str = "sequence",
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> None:
        check_choice("illegal", illegal, ("next", "forfeit"))
        self._model, self._words = model, vocabulary_of(vocabulary, size)
        self._forfeits, self._name = illegal == "forfeit", name
        self._temperature, self._choices = check_real("temperature", temperature, 0), RandomChoices(seed)

    def __repr__(self) -> str:
        return self._name

    def check_game(self, state: State) -> None:
        if not isinstance(state, Othello):
            raise WrongGameError(f"{self._name} plays Othello, not {type(state).__name__}")
        if state.size != self._words.size:
            raise WrongGameError(f"{self._name} was trained for Othello of size {self._words.size}, not {state.size}")
        placed = sum(move != state.pass_action for move in state.moves)
        if placed + 4 != sum(state.discs()):
            raise WrongGameError(
                f"{self._name} needs all moves from the usual start, not a position without its moves:\n{state}"
            )

    def new_game(self, key: int) -> None:
        self._choices.new_game(key)

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        self.check_game(state)
        return int(self._choose([state], [self._choices.key(state)])[0])

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        if not isinstance(batch, OthelloPositions):
            return super().act_batch(batch)
        return self._choose([batch.state(i) for i in range(len(batch))], decision_keys(batch))

    def action_probabilities(self, state: State) -> dict[int, float]:
        """The model's probability of each legal action, divided by that of all legal actions; in ascending order.

        Raises:
            ValueError: the state belongs to another game or board size, has no moves, or its game is over.
        """
        check_not_over(state)
        logits = self._logits([state])[0]
        legal = state.legal_actions()
        return dict(zip(legal, special.softmax(logits[list(legal)]).tolist(), strict=True))

    def _choose(self, states: list[State], keys: list[int]) -> npt.NDArray[np.int64]:
        """An action for each position. With a temperature other than 0, `keys` give the random numbers."""
        all_logits = self._logits(states)
        actions, weights = np.empty(len(states), np.int64), np.zeros(all_logits.shape)
        for i, (state, logits) in enumerate(zip(states, all_logits, strict=True)):
            legal = list(state.legal_actions())
            allowed = self._words.actions[1:] if self._forfeits and logits.any() else np.array(legal)
            actions[i] = allowed[logits[allowed].argmax()]
            if self._temperature:
                likely = np.maximum(logits[allowed], -1e30, dtype=np.float64)  # a model may say -infinity
                weights[i, allowed] = special.softmax((likely - likely.max()) / self._temperature)
        if not self._temperature:
            return actions
        return draw_actions(weights, np.array([mix_int(key, CHOICE) >> 11 for key in keys]) / 2.0**53)

    def _logits(self, states: list[State]) -> npt.NDArray[np.float32]:
        """(N, A), the logits of the actions; 0 for an action without a token, and if there is nothing to ask."""
        for state in states:
            self.check_game(state)
        rows = [self._words.row(state.moves) for state in states]
        asked = [i for i, row in enumerate(rows) if 0 < len(row) < self._words.length]
        all_logits = np.zeros((len(states), len(self._words.tokens)), np.float32)
        if asked:
            tokens = np.zeros((len(asked), max(len(rows[i]) for i in asked)), np.int64)
            for k, i in enumerate(asked):
                tokens[k, : len(rows[i])] = rows[i]
            logits = logits_of(self._model, tokens, self._words.count)
            ends = [len(rows[i]) - 1 for i in asked]
            by_action = np.zeros((len(asked), all_logits.shape[1]), np.float32)
            by_action[:, self._words.actions[1:]] = logits[np.arange(len(asked)), ends, 1:]
            all_logits[asked] = by_action
        return all_logits


def load_weights(module: Any, path: str | Path) -> None:
    """Load the weights of a `torch.nn.Module` from a file. Nothing in the file is executed.

    Args:
        module: the module, which is changed in place.
        path: a ``.safetensors`` file, or a state dict that `torch.save` wrote, such as Othello-GPT's ``.ckpt`` files.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file is damaged, or its tensors do not fit to the module.
    """
    torch = import_extra("torch", "torch")
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    try:
        if Path(path).suffix == ".safetensors":
            tensors = import_extra("safetensors.torch", "torch").load_file(path)
        else:
            tensors = torch.load(path, map_location="cpu", weights_only=True)
        module.load_state_dict(tensors)
    except Exception as error:  # a damaged file raises errors of many classes
        raise ValueError(f"{str(path)!r} has no weights for this model: {error}") from error


def agent_from_spec(
    model: str,
    weights: Path | None = None,
    size: int = 8,
    vocabulary: str = "othello-gpt",
    illegal: Literal["next", "forfeit"] = "next",
    temperature: float = 0.0,
    seed: int | None = None,
) -> SequenceAgent:
    """The agent that a spec (a text) names, such as ``sequence:model=gpt.py:make,weights=gpt.safetensors``.

    Args:
        model: the function that makes the model, as ``path.py:name`` or ``package.module:name``. It is called with the
            board's size.
        weights: a file of the weights, if the model is a `torch.nn.Module`; see `load_weights`.
        size: the board's size: 4, 6 or 8.
        vocabulary: ``othello-gpt`` or ``metaothello``.
        illegal: ``next`` or ``forfeit``; see `SequenceAgent`.
        temperature: see `SequenceAgent`.
        seed: see `SequenceAgent`.

    Raises:
        FileNotFoundError: a file does not exist.
        ValueError: there is no such function, the weights do not fit, or an option is wrong.
    """
    make = import_object(model)
    if not callable(make):
        raise ValueError(f"model must name a function, as path.py:name or package.module:name, not {model!r}")
    made: Any = make(size)
    if weights is not None:
        load_weights(made, weights)
    options = {
        "model": model,
        "weights": weights,
        "size": None if size == 8 else size,
        "vocabulary": None if vocabulary == "othello-gpt" else vocabulary,
        "illegal": None if illegal == "next" else illegal,
        "temperature": f"{temperature:g}" if temperature else None,
    }
    return SequenceAgent(made, size, vocabulary, illegal, spec_text("sequence", options), temperature, seed)
