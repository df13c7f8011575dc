"""Tournaments: the schedule of the games, the files with their records, and the results."""
