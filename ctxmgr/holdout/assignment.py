"""Assigns a session to an arm by its id: always the same one, on any machine."""

import hashlib
from typing import Literal

Arm = Literal["managed", "heldOut"]

DIGEST_CHARACTERS = 16  # hex, 64 bits: enough to distinguish a user's sessions
RANGE = 16**DIGEST_CHARACTERS


def digest(session_id: str) -> str:
    """The beginning of the id's SHA-256, in hex. Rows of calls contain it instead of the id."""
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]


def arm_of(session_id: str, share: float) -> Arm:
    """`share`: of the sessions that are held out, 0 to 1."""
    return "heldOut" if int(digest(session_id), 16) < share * RANGE else "managed"
