"""Agents to play against: textbook searches for every game; learned agents and an engine for Othello."""
