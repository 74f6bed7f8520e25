"""A list of messages as the engine sees it: turns, steps, digests, identifiers. Knows no policy."""
