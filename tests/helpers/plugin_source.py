"""The source of a package that adds agents, for the fixture `plugin` and for the tests of specs."""

PLUGIN = """
    from pathlib import Path
    from typing import Optional

    from othello_env import Agent, MissingExtraError


    class Noted(Agent):
        "Plays the first legal action, and remembers its options."

        def __init__(self, **options):
            self.options = options

        def act(self, state, *, seconds_left=None):
            return state.legal_actions()[0]

        def analyse(self, state):
            return "a power of its own"


    def everything(depth: int, eval: str = "count", scale: float = 1.0, fast: bool = False,
                   level: int | None = None, old: Optional[int] = None, file: Path | None = None,
                   limit: int | float = 0, free="x", seed: int | None = None):
        if depth < 0:
            raise ValueError(f"depth is at least 0, not {depth}")
        return Noted(**locals())

    def from_file(path, shift: int = 0):
        return Noted(path=path, shift=shift)

    def broken():
        return "no agent"

    def needs_more():
        raise MissingExtraError("this needs nosuch: pip install 'othello-env[nosuch]'")

    class Mine(Noted):
        def __init__(self, depth: int = 3):
            super().__init__(depth=depth)

    INSTANCE = Mine(7)

    def last(observations, masks):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
"""
