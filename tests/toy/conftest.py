"""`fewest.py` registers a game when it is imported, so pytest must not import it to look for examples."""

collect_ignore = ["fewest.py"]
