"""Tells our own packets, which come back with a host's list, from what anybody wrote."""

import re

from ctxmgr.model import PACKET_MARK

_PASTED = re.compile(rf"^[ \t>]*{re.escape(PACKET_MARK)}", re.MULTILINE)


def before_packet(text: str) -> str:
    """What somebody wrote before a packet that was pasted with it: where that ends nobody knows."""
    found = _PASTED.search(text) if PACKET_MARK in text else None
    return text[: found.start()] if found else text
