"""The rules of the games, for single positions and for arrays of positions."""
