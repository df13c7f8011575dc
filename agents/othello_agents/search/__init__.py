"""Searches for any game (maximizer, minimax, alpha-beta, max^n and paranoid), and their compiled versions."""
