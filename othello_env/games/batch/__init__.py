"""N games of one kind, stored as arrays and stepped together by compiled functions (kernels)."""

from othello_env.games.batch.batch import Batch, Positions, Waiting
from othello_env.games.batch.state import EndedGames, InitialArrays, Outputs, StepOptions

__all__ = ["Batch", "EndedGames", "InitialArrays", "Outputs", "Positions", "StepOptions", "Waiting"]
