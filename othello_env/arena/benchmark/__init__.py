"""The benchmark of an agent. Each file that measures something is a part; `run` runs those that a game has."""
