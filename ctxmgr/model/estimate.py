"""Turns text into an estimate of its tokens, where there is no vocabulary. Pure, and the same in every program."""

ESTIMATE = "estimate"
"""The name it goes by beside those of vocabularies."""

CHARACTERS_A_TOKEN = 4
"""The customary ratio, and pi's."""


def estimate(text: str) -> int:
    """Characters / 4, rounded up, in tokens."""
    return -(-len(text) // CHARACTERS_A_TOKEN)
