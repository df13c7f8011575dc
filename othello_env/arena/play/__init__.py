"""Games between agents: one after the other, many at once, on a clock, in processes and on a cluster."""
