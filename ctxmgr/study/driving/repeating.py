"""Tells how much of a packet repeats what left the list: instructions, word for word, which weigh nothing new."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ctxmgr.study.hosts import HostMessage, pi_host

INSTRUCTIONS = "\n## Instructions (word for word"  # a heading in a packet
QUOTED = re.compile(r"\n- ([^\n]*):((?:\n>[^\n]*)+)")  # below it: a line that tells of what, and its text
HEAD = "(first "  # of a text, that line says


def repeated(packet: str, sent: Sequence[HostMessage], earlier: Iterable[HostMessage]) -> int:
    """So many characters of a packet are texts of earlier messages or their heads, each told once and quoted."""
    _, _, told = packet.partition(INSTRUCTIONS)
    left = {text for one in earlier for text in _texts(one)} - {text for one in sent for text in _texts(one)}
    gone = ["\n".join(text.splitlines()) for text in sorted(left)] if told else []
    size = 0
    for of_what, quoted in QUOTED.findall(told):
        text = re.sub(r"^> ?", "", quoted.strip("\n"), flags=re.MULTILINE)
        head = text.removesuffix("…") if HEAD in of_what else ""
        if of := next((one for one in gone if one == text or (head and one.startswith(head))), ""):
            gone.remove(of)
            size += len(quoted)
    return size


def _texts(one: HostMessage) -> set[str]:
    texts = (pi_host.text_of(one.message), *(str(block.get("text", "")) for block in blocks_of(one)))
    return {text.strip() for text in texts} - {""}


def blocks_of(one: HostMessage) -> list[dict[str, Any]]:
    """Of its content; none where that is a text."""
    content = one.message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
