"""Othello evaluations from lookup tables over board patterns, learned by self-play.

>>> from othello_agents.ntuple import NTupleAgent, Trainer
>>> trainer = Trainer(size=4, seed=1)
>>> trainer.run(games=100)
100
>>> agent = NTupleAgent(trainer.network)
"""

from othello_agents.ntuple.agent import NTupleAgent, agent_from_file, agent_from_spec, shipped_network
from othello_agents.ntuple.network import NTupleNetwork
from othello_agents.ntuple.trainer import Trainer

__all__ = ["NTupleAgent", "NTupleNetwork", "Trainer", "agent_from_file", "agent_from_spec", "shipped_network"]
