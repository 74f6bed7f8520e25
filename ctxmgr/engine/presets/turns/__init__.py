"""The preset that keeps whole turns, decided anew on each call, and what it shares with `tools` and `off`. Knows
nothing of cache epochs."""
