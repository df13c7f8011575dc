"""N games of one kind, stored as arrays and stepped together by compiled functions (kernels)."""

from othello_env.games.batch.batch import Batch, Positions, Waiting
from othello_env.games.batch.state import Ends, InitialArrays, Outputs

__all__ = ["Batch", "Ends", "InitialArrays", "Outputs", "Positions", "Waiting"]
