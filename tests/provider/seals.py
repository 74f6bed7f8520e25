"""Signatures and encrypted contents that a provider knows again as its own, without remembering any.

A seal is a text and its digest, in base 64; so whoever changes either is told by it.
"""

import base64
import binascii
from hashlib import sha256

DIGEST_BYTES = 32
_SALT = b"the scripted provider"


def sealed(text: str, beside: str = "") -> str:
    """`beside` is what the seal vouches for and does not hold, such as the thinking it signs."""
    return base64.b64encode(_digest(text, beside) + text.encode()).decode()


def opened(seal: object, beside: str = "") -> str | None:
    """The text that was sealed; None where this is no seal, or one of something else."""
    try:
        raw = base64.b64decode(str(seal), validate=True)
        text = raw[DIGEST_BYTES:].decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if raw[:DIGEST_BYTES] == _digest(text, beside) else None


def _digest(text: str, beside: str) -> bytes:
    return sha256(_SALT + repr((text, beside)).encode()).digest()
