"""The server of games."""
