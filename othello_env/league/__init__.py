"""Leagues for training: a learner's opponents (the members), the choice of opponents, and the members' results."""

from othello_env.league.league import League
from othello_env.league.members import Member, step_results
from othello_env.league.payoffs import Payoffs, payoff_chart

__all__ = ["League", "Member", "Payoffs", "payoff_chart", "step_results"]
