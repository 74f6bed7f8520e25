"""Turns a decision's key into its handle: the short name by which a model can request the original.

Rules:
1. A handle depends on the key only, so that a marker has the same bytes in every process, and a decision that is
   undone and made again gets the same handle.
2. It is short, since every marker has one, and has one spelling: small letters and the digits 2 to 7.
3. Two keys of one session may share a handle: once in 88 000 sessions of 5,000 decisions. A longer handle would
   cost tokens in every marker, and extending one on collision would depend on the order of decisions. So a lookup
   finds both and returns neither: a wrong text would be worse than none.
"""

import hashlib
from collections.abc import Iterator

from ctxmgr.model import expression

CHARACTERS = 8  # of 5 bits each
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_HANDLE = expression(rf"(?<![a-z0-9])[a-z2-7]{{{CHARACTERS}}}(?![a-z0-9])")


def handle(key: str) -> str:
    """Eight characters, such as `k3f7a2bq`."""
    state = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=CHARACTERS)
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in state.digest())


def handles_in(text: str) -> Iterator[str]:
    """Whatever in a text may be a handle, since a model may decorate the one it was shown."""
    for match in _HANDLE.finditer(text):
        yield match[0]
