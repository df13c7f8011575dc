"""Play games between agents: one after the other, many at once, with a clock, in processes or on a cluster."""
