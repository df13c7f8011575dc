"""Environments for learners over any game: PettingZoo's, Gymnasium's, and a batch of games at once."""
