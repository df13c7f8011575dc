"""Tools that know no game: kernels and their cache, threads, files, locks, optional dependencies, imports by name."""
