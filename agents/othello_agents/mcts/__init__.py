"""Monte Carlo tree search: by random playouts, and guided by a network (Gumbel)."""
