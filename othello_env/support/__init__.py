"""What knows no game: kernels and their cache, threads, files, optional dependencies, imports."""
