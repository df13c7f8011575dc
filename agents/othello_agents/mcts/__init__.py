"""Monte Carlo tree search: with random playouts, or guided by a network (Gumbel AlphaZero)."""
