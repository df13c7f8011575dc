"""The rules of the games, and positions as arrays."""
