"""Tells our own packets, which come back with a host's list or are pasted, from what anybody wrote.

A packet goes from its mark to a gap behind which no line of a packet begins: a heading, a bullet, what it quotes,
or what an edit put somewhere. One that was quoted as a whole ("> ") goes as far as the marks do.
"""

import re

from ctxmgr.model import PACKET_MARK

_PASTED = re.compile(rf"(?P<lead>[ \t>]*){re.escape(PACKET_MARK)}")
_OF_PACKET = re.compile(r"#{2} |[-+>@ \t…]")  # how a line behind a gap begins


def without_packet(text: str) -> str:
    """What somebody wrote before and behind packets that were pasted with it."""
    if PACKET_MARK not in text:
        return text
    lines, told, at = text.split("\n"), list[str](), 0
    while at < len(lines):
        found = _PASTED.match(lines[at])
        if found is None:
            told.append(lines[at])
        at = at + 1 if found is None else _end(lines, at, found["lead"])
    return "\n".join(told)


def _end(lines: list[str], start: int, lead: str) -> int:
    """The place of the first line behind a packet that begins at `start`."""
    following = lines[start + 1] if start + 1 < len(lines) else ""
    quoted = lead.strip() if following.startswith(lead.strip() or "\0") else ""
    gap = False
    for at in range(start, len(lines)):
        line = lines[at]
        if quoted and not line.startswith(quoted):
            return at
        bare = line.removeprefix(lead) if line.startswith(lead) else line.removeprefix(lead.rstrip())
        if gap and bare.strip() and not _OF_PACKET.match(bare):
            return at
        gap = not bare.strip()
    return len(lines)
