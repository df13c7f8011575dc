"""Measure agents: Elo ratings, ratings on the ladder, accuracy in endgames, and distance from perfect play."""
