"""Tells our own packets, which come back with a host's list or are pasted, from what anybody wrote.

A packet goes from its mark to a gap behind which no line of a packet begins: a heading, a bullet, what it quotes,
or what an edit put somewhere. One that was quoted as a whole ("> ") goes as far as the marks do.
"""

import re

from ctxmgr.model import PACKET_MARK

_PASTED = re.compile(rf"^(?P<lead>[ \t>]*){re.escape(PACKET_MARK)}", re.MULTILINE)
_OF_PACKET = re.compile(r"#{2} |[-+>@ \t…]")  # how a line behind a gap begins


def without_packet(text: str) -> str:
    """What somebody wrote before and behind packets that were pasted with it."""
    found = _PASTED.search(text) if PACKET_MARK in text else None
    if found is None:
        return text
    before, lines = text[: found.start()], text[found.start() :].split("\n")
    behind = "\n".join(lines[_end(lines, found["lead"]) :])
    return f"{before}{without_packet(behind)}" if behind.strip() else before


def _end(lines: list[str], lead: str) -> int:
    """The place of the first line behind a packet that these lines begin with."""
    quoted = lead.strip() if lines[1:] and lines[1].startswith(lead.strip() or "\0") else ""
    gap = False
    for at, line in enumerate(lines):
        if quoted and not line.startswith(quoted):
            return at
        bare = line.removeprefix(lead) if line.startswith(lead) else line.removeprefix(lead.rstrip())
        if gap and bare.strip() and not _OF_PACKET.match(bare):
            return at
        gap = not bare.strip()
    return len(lines)
