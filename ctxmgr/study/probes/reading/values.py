"""Turns what was said into the exact values in it, and where each is mentioned.

Values are versions, hashes, ids, issue numbers, addresses and CONSTANTS. One is told where user or assistant says
it, or a short result; in long ones (files, logs) it is only mentioned.
"""

import re
from collections.abc import Sequence

import msgspec

from ctxmgr.study.probes.reading.turns import SessionMessage

SHORT_RESULT = 1_500  # characters

_VALUE = re.compile(
    r"https?://[^\s<>()\"'`\]},]+[\w/]"
    r"|(?<![\w#&/])#\d{1,7}\b"
    r"|\b[A-Z]{2,8}-\d{1,6}\b"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|(?<![\w.-])(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?![\w.-])"
    r"|(?<![\w.])v?\d+\.\d+\.\d+(?:[-+][\w.]+)?(?![\w.]*\w)"
    r"|\b[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b"
    r"|(?<![\w.#/-])\d{7,}(?![\w.-])"
)


class Mention(msgspec.Struct, frozen=True):
    """`message_index`: number of the message."""

    message_index: int
    by_assistant: bool
    is_statement: bool


def values(turns: Sequence[SessionMessage], spoken: Sequence[str]) -> dict[str, tuple[Mention, ...]]:
    """Each value with its mentions, oldest first. `spoken`: what user or assistant says there, "" for others."""
    found: dict[str, list[Mention]] = {}
    for at, (one, text) in enumerate(zip(turns, spoken, strict=True)):
        told = bool(text) or (one.role == "toolResult" and len(one.text) <= SHORT_RESULT)
        for value in dict.fromkeys(_VALUE.findall(text or one.text)):
            found.setdefault(value, []).append(Mention(at, one.role == "assistant", told))
    return {value: tuple(places) for value, places in found.items()}
