"""Turns a message's view into its digest: what facts, decisions and pins remember the message by."""

import hashlib

from ctxmgr.model import View

DIGEST_BYTES = 8


def digest(view: View) -> str:
    """16 hex characters over role, call ids and texts, so that a message written anew keeps its digest."""
    state = hashlib.blake2b(view.role.encode(), digest_size=DIGEST_BYTES)
    for block in view.blocks:
        state.update(f"\0{block.kind}\0{block.call_id}\0".encode("utf-8", "surrogatepass"))
        state.update(block.text.encode("utf-8", "surrogatepass"))
    return state.hexdigest()
