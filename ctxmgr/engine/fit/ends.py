"""Turns a size in tokens into one in characters, of the start of a text."""

from ctxmgr.model import Weigh


def characters(text: str, tokens: int, weigh: Weigh) -> int:
    """So many characters at the start of a text weigh these tokens at least, or are all of it."""
    if not tokens:
        return 0
    size = 4 * tokens
    while size < len(text) and weigh(text[:size]) < tokens:
        size += size // 4
    return min(size, len(text))
