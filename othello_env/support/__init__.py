"""General tools for any game: kernels and their cache, threads, files, locks, optional packages, imports by name."""
