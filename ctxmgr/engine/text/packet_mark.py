"""Tells our own packets, which come back with a host's list, from what anybody wrote."""

from ctxmgr.model import PACKET_MARK


def is_packet(text: str) -> bool:
    """Whether a text that comes back from the host is a packet."""
    return text.lstrip().startswith(PACKET_MARK)
