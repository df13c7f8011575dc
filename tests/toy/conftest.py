"""These files register a game when they are imported, so pytest must not import them to look for examples."""

collect_ignore = ["fewest.py", "nim.py", "nomidflip.py"]
