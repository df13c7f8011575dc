"""What a client sends and gets."""

from openenv.core.env_server.types import Action, Observation


class Move(Action):
    """A model's answer, which names its move."""

    move: str


class Text(Observation):
    """What the model reads."""

    text: str
