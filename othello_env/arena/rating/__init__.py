"""What results say: Elo ratings, the ladder, an agent's place on it, its endgames."""
