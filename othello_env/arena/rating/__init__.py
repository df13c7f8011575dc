"""Measure agents: Elo ratings, accuracy in endgames, and distance from perfect play."""
