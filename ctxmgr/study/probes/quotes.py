"""Text that a line of a packet quotes, compared with what was said.

1. Runs of white space are one space, a quotation mark is `'`, and the marks of a fence, of bold text and characters
   without a width are gone, on both sides.
2. What stands between cuts (`…`) is found in one text, one after the other.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

_UNSEEN = re.compile(r"```\w*|\*\*|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


def folded(text: str) -> str:
    """Rule 1."""
    return " ".join(_UNSEEN.sub("", text).replace('"', "'").split())


@lru_cache(maxsize=1 << 12)
def pieces(quoted: str) -> tuple[str, ...]:
    """Rule 2; none where nothing is quoted."""
    return tuple(filter(None, map(folded, quoted.split("…"))))


def within(pieces: Sequence[str], text: str) -> bool:
    """Whether a folded text has these pieces, in this order; False without any."""
    end = 0
    for piece in pieces:
        start = text.find(piece, end)
        if start < 0:
            return False
        end = start + len(piece)
    return bool(pieces)
