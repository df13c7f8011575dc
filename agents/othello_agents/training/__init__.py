"""Training of n-tuple networks, by self-play or against an opponent.

>>> from othello_agents.ntuple import NTupleAgent
>>> from othello_agents.training import Trainer
>>> trainer = Trainer(size=4, seed=1)
>>> trainer.run(games=100)
100
>>> agent = NTupleAgent(trainer.network)
"""

from othello_agents.training.loop import Curve, train
from othello_agents.training.trainer import DEPTH, Trainer

__all__ = ["DEPTH", "Curve", "Trainer", "train"]
