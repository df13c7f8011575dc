"""N games of one kind, stored as arrays and stepped together by compiled functions (kernels)."""

from othello_env.games.batch.positions import Positions
from othello_env.games.batch.protocol import Batch, Begins, Ends, Waiting

__all__ = ["Batch", "Begins", "Ends", "Positions", "Waiting"]
