"""Agents to play against: searches for every game; learned agents and an engine for Othello."""
