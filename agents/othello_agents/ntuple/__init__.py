"""Othello evaluations from lookup tables over board patterns; `othello_agents.training` trains them."""

from othello_agents.ntuple.agent import NTupleAgent, agent_from_file, agent_from_spec, shipped_network
from othello_agents.ntuple.network import NTupleNetwork

__all__ = ["NTupleAgent", "NTupleNetwork", "agent_from_file", "agent_from_spec", "shipped_network"]
