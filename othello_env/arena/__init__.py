"""Agents against agents: games, matches and what they show."""
