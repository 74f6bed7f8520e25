"""Turns a message's digest and its place among equal ones into the key that decisions name it by, and back.

1. A message's key is its digest and, from the second message with it on, `#` and its number.
2. A block's key is its message's and, but for the first block, `/` and its number (some formats have several
   results in a message).
"""


def message_key(digest: str, repeat: int) -> str:
    """Rule 1, of any but the first message with this digest: `repeat` stand before it."""
    return f"{digest}#{repeat}"


def block_key(message_key: str, block_index: int) -> str:
    """Rule 2, of any but a message's first block."""
    return f"{message_key}/{block_index}"


def digest_of(key: str) -> str:
    """The digest in a key of either kind."""
    return key.partition("/")[0].partition("#")[0]
