"""Writes a vocabulary in either form: for its tests, and for `scripts/vocabulary`."""

from binascii import b2a_base64

from ctxmgr.devices.tokens import COUNT_BYTES


def restore(ranks: dict[bytes, int]) -> bytes:
    """The original form of a vocabulary, from its ranks by token bytes: the inverse of `parse`."""
    return b"".join([b"%b %d\n" % (b2a_base64(token, newline=False), rank) for token, rank in ranks.items()])


def pack(ranks: dict[bytes, int]) -> bytes:
    """The packed form, before zlib. Raises ValueError where it cannot say what the ranks say."""
    if list(ranks.values()) != list(range(len(ranks))):
        raise ValueError("the ranks are not dense and in order")
    count = len(ranks).to_bytes(COUNT_BYTES, "big")
    return count + bytes(map(len, ranks)) + b"".join(ranks)
