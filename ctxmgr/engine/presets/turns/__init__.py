"""The preset that keeps whole turns, decided anew on each call. Knows nothing of cache epochs."""
