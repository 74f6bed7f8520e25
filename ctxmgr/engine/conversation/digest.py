"""Computes a message's digest, by which facts, decisions and pins remember it."""

import hashlib

import msgspec

from ctxmgr.model import Block, View, plain_numbers

DIGEST_BYTES = 8
DIGESTS = 2
"""How they are made. By 1 a call's arguments were digested as they were spelled."""

_encode = msgspec.json.Encoder(order="deterministic").encode


def digest(view: View) -> str:
    """16 hex characters over role, call ids and texts, so that a rewritten message keeps its digest. Of a call's
    arguments the values count, in any order and spelling.
    """
    parts = [view.role.encode()]
    for block in view.blocks:
        parts.append(f"\0{block.kind}\0{block.call_id}\0".encode("utf-8", "surrogatepass"))
        parts.append(_block_bytes(block))
    return hashlib.blake2b(b"".join(parts), digest_size=DIGEST_BYTES).hexdigest()


def _block_bytes(block: Block) -> bytes:
    if block.arguments:
        try:
            return f"{block.tool} ".encode() + _encode(plain_numbers(block.arguments))
        # JSON cannot express it
        except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError):
            pass
    return block.text.encode("utf-8", "surrogatepass")
