"""Turns a session's id into its arm: the same one each time, on any machine, without chance."""

import hashlib
from typing import Literal

Arm = Literal["managed", "heldOut"]

DIGEST_CHARACTERS = 16  # hex: of 64 bits, enough to tell a user's sessions apart
RANGE = 16**DIGEST_CHARACTERS


def digest(session_id: str) -> str:
    """The beginning of the id's SHA-256, in hex: what stands for it in the rows of calls."""
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]


def arm_of(session_id: str, share: float) -> Arm:
    """`share`: of sessions that are held out, 0 to 1."""
    return "heldOut" if int(digest(session_id), 16) < share * RANGE else "managed"
