"""Turns a list that could not be projected into an answer all the same: the host's model call must not fail.

Rules (design, section 2, safety of answers):
1. The last good projection plus the messages since, where the list begins with what that projection was of.
2. Else the raw list, if it fits window - reserve.
3. Else the largest suffix of whole turns that fits, at least the newest turn.

Uses as little as possible of what may have failed: no engine, no tokenizer; a token is taken as three bytes.
"""

from collections.abc import Sequence
from types import ModuleType

BYTES_PER_TOKEN = 3  # low on purpose: o200k gives 3.5 to 4 bytes a token on code and prose


def estimated_tokens(raws: Sequence[bytes]) -> int:
    return sum(len(raw) for raw in raws) // BYTES_PER_TOKEN


def suffix_start(raws: Sequence[bytes], form: ModuleType, limit: int) -> int:
    """The index from which on to send: 0 where all of it fits `limit` tokens."""
    if estimated_tokens(raws) <= limit:
        return 0
    start, total = 0, 0
    for position in range(len(raws) - 1, -1, -1):
        total += len(raws[position]) // BYTES_PER_TOKEN
        if total > limit and start:
            break
        if form.view(raws[position]).opens_turn:
            start = position
    return start
