"""Opponents: textbook agents for every game, and agents that learned Othello."""
