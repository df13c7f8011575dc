"""Ratings of agents: Elo ratings, the ladder, an agent's rating on the ladder, and its accuracy in endgames."""
