"""Matches an answered list with the list that was sent, from the host's side.

1. Each answered message is one that was sent, byte for byte, in order; or a tool result of which only the content
   differs; or a reply of which only the arguments of calls differ, unless it has a signature; or a text of a user
   or a host that was cut; or the packet.
2. A cut text keeps its start and its end, a line between them says that it was cut, and everything else in it
   consists of pieces of the original in order.

Whether the list keeps what every list promises, ctxmgr checks itself (`report.checks`).
"""

import re
from collections.abc import Sequence, Set
from typing import Any

import msgspec

from ctxmgr.study.recordings import HostMessage, pi_host

PACKET = "ctxmgr.packet"
AS_USER = frozenset({"user", "custom", "bashExecution", "compactionSummary", "branchSummary"})
CONTENT = frozenset({"content"})
TEXTS = frozenset({"content", "summary", "output"})
CUT_LINE = re.compile(r"^\[cut to fit — .*\]\n", re.MULTILINE)
MEDIA_LINE = re.compile(r"\[(image|document) left out( — [^\]]*)?\]")
PIECES_APART = "…\n"

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class MatchedMessage(msgspec.Struct, frozen=True):
    """One answered message: the index of the sent one, None for an inserted one. `same`: byte for byte."""

    index: int | None
    message: HostMessage
    same: bool = True


class IllegalAnswer(Exception):
    """The answer cannot be matched with what was sent. The text says where."""


def answered(sent: Sequence[HostMessage], result: dict[str, msgspec.Raw]) -> list[MatchedMessage]:
    """What the host would send, from an answer to `context`. Raises IllegalAnswer."""
    if "unchanged" in result:
        return [MatchedMessage(index, message) for index, message in enumerate(sent)]
    if "edits" in result:
        return _from_edits(sent, msgspec.json.decode(result["edits"], type=list[dict[str, msgspec.Raw]]))
    if "messages" in result:
        return _aligned(sent, msgspec.json.decode(result["messages"], type=list[msgspec.Raw]))
    raise IllegalAnswer("an answer with neither messages nor edits nor unchanged")


def _from_edits(sent: Sequence[HostMessage], edits: Sequence[dict[str, msgspec.Raw]]) -> list[MatchedMessage]:
    out: list[MatchedMessage] = []
    last = -1
    for edit in edits:
        if "keep" in edit:
            start, end = msgspec.json.decode(edit["keep"], type=tuple[int, int])
            if not last < start < end <= len(sent):
                raise IllegalAnswer(f"keep [{start}, {end}] after message {last} of {len(sent)}")
            out += [MatchedMessage(index, sent[index]) for index in range(start, end)]
            last = end - 1
            continue
        put = pi_host.item("", bytes(edit["put"]))
        after = () if _is_packet(put) else range(last + 1, len(sent))
        index = next((index for index in after if _is_rewrite(sent[index], put)), None)
        if index is None and not _is_packet(put):
            raise IllegalAnswer(
                f"a message of role {put.role} was put in that is neither packet nor shortened result"
            )
        out.append(MatchedMessage(index, put, same=False))
        last = last if index is None else index
    return out


def _aligned(sent: Sequence[HostMessage], raws: Sequence[msgspec.Raw]) -> list[MatchedMessage]:
    """Matched from the newest back: what is kept is the end of the list, and this distinguishes duplicates."""
    out: list[MatchedMessage] = []
    below = len(sent)
    for position in range(len(raws) - 1, -1, -1):
        raw = bytes(raws[position])
        index = below - 1
        if index >= 0 and sent[index].raw == raw:  # the common case, without decoding anything
            out.append(MatchedMessage(index, sent[index]))
            below = index
            continue
        message = pi_host.item("", raw)
        if _is_packet(message):
            out.append(MatchedMessage(None, message, same=False))
            continue
        while index >= 0 and sent[index].raw != raw and not _is_rewrite(sent[index], message):
            index -= 1
        if index < 0:
            raise IllegalAnswer(f"message {position} (role {message.role}) is none that was sent, or out of order")
        out.append(MatchedMessage(index, message, same=sent[index].raw == raw))
        below = index
    return out[::-1]


def _is_packet(message: HostMessage) -> bool:
    return message.role == "custom" and message.message.get("customType") == PACKET


def _is_rewrite(old: HostMessage, new: HostMessage) -> bool:
    """Whether `new` is the tool result `old` with only its content changed, or the reply `old` with only the
    arguments of its calls changed, or the text `old` that was cut.
    """
    if new.role == "assistant" and old.role == "assistant":
        return _is_shortened(old, new)
    if new.role in AS_USER and old.role == new.role:
        return is_cut(old, new)
    results = new.role == old.role == "toolResult"
    return results and old.message.get("toolCallId") == new.message.get("toolCallId") and _same(old, new, CONTENT)


def _same(old: HostMessage, new: HostMessage, beside: Set[str]) -> bool:
    """The same members, and the same bytes in all but these."""
    before, after = _members(old.raw), _members(new.raw)
    return before.keys() == after.keys() and all(before[name] == after[name] for name in before.keys() - beside)


def _is_shortened(old: HostMessage, new: HostMessage) -> bool:
    signed = any(field.endswith("Signature") for block in old.blocks for field in block)
    if signed or len(old.blocks) != len(new.blocks) or not _same(old, new, CONTENT):
        return False
    return all(
        {**before, "arguments": None} == {**after, "arguments": None}
        and (before == after or before["type"] == "toolCall")
        for before, after in zip(old.blocks, new.blocks, strict=True)
    )


def is_cut(old: HostMessage, new: HostMessage) -> bool:
    """Whether `new` is the message `old` with only its texts cut (rule 2)."""
    return (
        old.message != new.message
        and _same(old, new, TEXTS)
        and all(_same_or_cut(old.message[name], new.message[name]) for name in TEXTS & old.message.keys())
    )


def _same_or_cut(old: Any, new: Any) -> bool:
    if isinstance(old, str) and isinstance(new, str):
        return old == new or _cut_text(old, new)
    if isinstance(old, list) and isinstance(new, list) and len(old) > len(new) == 1:  # texts are cut as one
        if any(not isinstance(block, dict) or block.get("type") != "text" for block in old):
            return False
        return _same_or_cut({**old[0], "text": "\n".join(block["text"] for block in old)}, new[0])
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same_or_cut, old, new))
    if isinstance(old, dict) and isinstance(new, dict) and old.get("type") == "image" and new.get("type") == "text":
        return MEDIA_LINE.fullmatch(new["text"]) is not None
    if isinstance(old, dict) and isinstance(new, dict) and old.get("type") == "text":
        return {**old, "text": ""} == {**new, "text": ""} and _same_or_cut(old["text"], new["text"])
    return bool(old == new)


def _cut_text(old: str, new: str) -> bool:
    cut = CUT_LINE.search(new)
    if cut is None:
        return False
    head, *pieces = new[: cut.start()], *new[cut.end() :].split(PIECES_APART)
    head = head if old.startswith(head) else head[:-1]  # a line end may have been appended
    index, tail = len(head), pieces.pop()
    if not old.startswith(head) or not old.endswith(tail):
        return False
    for line in (line for piece in pieces for line in piece.splitlines(keepends=True)):
        index = old.find(line, index)
        if index < 0:
            return False
        index += len(line)
    return index <= len(old) - len(tail)
