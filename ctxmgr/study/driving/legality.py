"""Judges an answered list against the list that was sent, from the host's side: a second opinion beside ctxmgr's
own checks that shares no code with them. Returns sentences about faults.

1. Each answered message is one that was sent, byte for byte, in order; or a tool result of which only the content
   differs; or a text of a user or a host that was cut; or the packet, at most once.
2. No result without its call and no call without its result, if both were sent.
3. The newest user message is there, and from it on everything is as it was sent, except tool results that are, or
   in an earlier call of the session were, rewritten in the compact zone.
4. Older turns stay whole: what is kept, ignoring summaries, is an unbroken end of the list that starts a turn. Only
   what the report names may be missing in it, where the list would not fit: no more messages than that, none that a
   user or a host said, and not the newest reply. Where steps are removed instead, rules 3 and 4 differ: the newest
   user message and the newest reply are there as sent, each other user message is there or a packet is, and in a
   reply only the arguments of its calls may differ, unless it has a signature.
5. The list has no more tokens than what was sent (about characters / 4), except for a packet that stands for what
   the host removed, and what that packet repeats word for word of earlier messages that are missing in what was
   sent; and it begins as a provider accepts it.
6. A cut text keeps its start and its end, a line between them says that it was cut, and everything else in it
   consists of pieces of the original in order; the newest user message keeps long ends.
"""

import re
from collections.abc import Container, Iterable, Sequence, Set
from typing import Any

import msgspec

from ctxmgr.study.recordings import HostMessage, pi_host

PACKET = "ctxmgr.packet"
WEIGHT_SLACK = 20  # ctxmgr does not count by characters / 4; a deviation of a twentieth is no fault
SMALL_TOKENS = 64
PACKET_TOKENS = 5_000  # of the largest packet by default, with an index of what was removed
SUMMARIES = frozenset({"compactionSummary", "branchSummary"})
AS_USER = frozenset({"user", "custom", "bashExecution", *SUMMARIES})
CONTENT = frozenset({"content"})
TEXTS = frozenset({"content", "summary", "output"})
CUT_LINE = re.compile(r"^\[cut to fit — .*\]\n", re.MULTILINE)
MEDIA_LINE = re.compile(r"\[(image|document) left out( — [^\]]*)?\]")
PIECES_APART = "…\n"
# at either end of the newest user message; 2,000 tokens have at least that many characters in any script
NEWEST_ENDS_CHARACTERS = 2_000
INSTRUCTIONS, TASK = "\n## Instructions (word for word", "\n## The task (word for word"  # headings in a packet
QUOTED = re.compile(r"\n- ([^\n]*):((?:\n>[^\n]*)+)")  # below it: a line that names the source, and its text
HEAD = "(first "  # how that line continues for a part of a text

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


def faults(
    sent: Sequence[HostMessage],
    placed: Sequence[MatchedMessage],
    whole_turns: bool,
    may_change: Container[bytes] = (),
    earlier: Iterable[HostMessage] = (),
    left_to_fit: int = 0,
) -> list[str]:
    """Sentences, none if there is no fault. `whole_turns`: rule 4 applies to the preset. `may_change`: the bytes of
    results that the compact zone has rewritten (rule 3). `earlier`: messages of other lists (rule 5).
    `left_to_fit`: how many messages the report says were removed (rule 4).
    """
    kept = {answer.index: answer for answer in placed if answer.index is not None}
    packets = [answer.message for answer in placed if answer.index is None]
    out = [f"{len(packets)} packets"] if len(packets) > 1 else []
    out += _pairs(sent, set(kept))
    if whole_turns:
        left = _left_to_fit(sent, set(kept))
        out += [f"{len(left)} messages left, {left_to_fit} are told"] if len(left) != left_to_fit > 0 else []
        present = {*kept, *(left if left_to_fit else ())}
        out += _newest(sent, kept, present, may_change)
        out += _whole_turns(sent, present)
    else:
        out += _steps(sent, kept, bool(packets))
    before, after = sum(message.weight for message in sent), sum(answer.message.weight for answer in placed)
    for packet in packets:
        after -= min(packet.weight, PACKET_TOKENS + repeated(pi_host.text_of(packet.message), sent, earlier) // 4)
    if after > before + before // WEIGHT_SLACK + SMALL_TOKENS:
        out.append(f"heavier than what was sent: {after} tokens of {before}")
    if placed and sent[0].role in AS_USER and placed[0].message.role not in AS_USER:
        out.append(f"begins with a message of role {placed[0].message.role}")
    if sent and not placed:
        out.append("an empty list")
    return out


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
        return _is_cut(old, new)
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


def _is_cut(old: HostMessage, new: HostMessage, ends: int = 0) -> bool:
    """Whether `new` is the message `old` with only its texts cut (rule 6). `ends`: characters that stay."""
    return (
        old.message != new.message
        and _same(old, new, TEXTS)
        and all(_same_or_cut(old.message[name], new.message[name], ends) for name in TEXTS & old.message.keys())
    )


def _same_or_cut(old: Any, new: Any, ends: int) -> bool:
    if isinstance(old, str) and isinstance(new, str):
        return old == new or _cut_text(old, new, ends)
    if isinstance(old, list) and isinstance(new, list) and len(old) > len(new) == 1:  # texts are cut as one
        if any(not isinstance(block, dict) or block.get("type") != "text" for block in old):
            return False
        return _same_or_cut({**old[0], "text": "\n".join(block["text"] for block in old)}, new[0], ends)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same_or_cut, old, new, [ends] * len(old)))
    if isinstance(old, dict) and isinstance(new, dict) and old.get("type") == "image" and new.get("type") == "text":
        return MEDIA_LINE.fullmatch(new["text"]) is not None
    if isinstance(old, dict) and isinstance(new, dict) and old.get("type") == "text":
        return {**old, "text": ""} == {**new, "text": ""} and _same_or_cut(old["text"], new["text"], ends)
    return bool(old == new)


def _cut_text(old: str, new: str, ends: int) -> bool:
    cut = CUT_LINE.search(new)
    if cut is None:
        return False
    head, *pieces = new[: cut.start()], *new[cut.end() :].split(PIECES_APART)
    head = head if old.startswith(head) else head[:-1]  # a line end may have been appended
    index, tail = len(head), pieces.pop()
    if not old.startswith(head) or not old.endswith(tail) or min(index, len(tail)) < ends:
        return False
    for line in (line for piece in pieces for line in piece.splitlines(keepends=True)):
        index = old.find(line, index)
        if index < 0:
            return False
        index += len(line)
    return index <= len(old) - len(tail)


def _steps(sent: Sequence[HostMessage], kept: dict[int, MatchedMessage], has_packet: bool) -> list[str]:
    """Rules 3 and 4 for presets that remove steps."""
    out = []
    for role in ("user", "assistant"):
        newest = next((index for index in range(len(sent) - 1, -1, -1) if sent[index].role == role), None)
        if newest is not None and (newest not in kept or not _stands(sent[newest], kept[newest])):
            out.append(f"the newest {role} message ({newest}) is gone, or is not as it was sent")
    missing = [index for index, message in enumerate(sent) if message.role == "user" and index not in kept]
    if missing and not has_packet:
        out.append(f"user message {missing[0]} is gone, and no packet tells it")
    return out


def _stands(old: HostMessage, answer: MatchedMessage) -> bool:
    """As it was sent; or it is a user's and its ends are."""
    return answer.same or (old.role in AS_USER and _is_cut(old, answer.message, NEWEST_ENDS_CHARACTERS))


def _pairs(sent: Sequence[HostMessage], kept: set[int]) -> list[str]:
    calls: dict[Any, int] = {}  # ids repeat in some recordings: the newest call before a result is its own
    out = []
    for index, message in enumerate(sent):
        for call in message.calls:
            calls[call.get("id")] = index
        if message.role != "toolResult" or (call_index := calls.get(message.message.get("toolCallId"))) is None:
            continue
        if index in kept and call_index not in kept:
            out.append(f"result {index} without its call {call_index}")
        if call_index in kept and index not in kept:
            out.append(f"call {call_index} without its result {index}")
    return out


def _left_to_fit(sent: Sequence[HostMessage], kept: set[int]) -> list[int]:
    """The messages that are missing inside what was kept, and may be (rule 4)."""
    first = min((index for index in kept if sent[index].role not in SUMMARIES), default=len(sent))
    while 0 < first < len(sent) and sent[first].role != "user" and sent[first - 1].role not in AS_USER:
        first -= 1  # after a summary a turn begins without a user message
    newest = max((index for index, message in enumerate(sent) if message.role == "assistant"), default=-1)
    return [
        index
        for index in range(first, len(sent))
        if index not in kept
        and index != newest
        and sent[index].role in ("assistant", "toolResult", "bashExecution")
    ]


def _newest(
    sent: Sequence[HostMessage],
    kept: dict[int, MatchedMessage],
    present: Container[int],
    may_change: Container[bytes],
) -> list[str]:
    """`there`: the messages that are kept, or that may be missing."""
    newest = next((index for index in range(len(sent) - 1, -1, -1) if sent[index].role == "user"), None)
    if newest is None:
        return []
    if newest not in kept:
        return [f"the newest user message ({newest}) is gone"]
    out = [
        f"message {index} of the newest turn is gone" for index in range(newest, len(sent)) if index not in present
    ]
    return out + [
        f"message {index} of the newest turn was rewritten"
        for index in range(newest, len(sent))
        if index in kept and not _stands(sent[index], kept[index]) and sent[index].raw not in may_change
    ]


def _whole_turns(sent: Sequence[HostMessage], kept: set[int]) -> list[str]:
    places = [index for index, message in enumerate(sent) if message.role not in SUMMARIES]
    start = next((number for number, index in enumerate(places) if index in kept), len(places))
    out = [f"message {index} is missing inside what was kept" for index in places[start:] if index not in kept]
    if 0 < start < len(places) and sent[places[start]].role != "user":
        out.append(f"what is kept begins at message {places[start]}, in the middle of a turn")
    return out


def repeated(packet: str, sent: Sequence[HostMessage], earlier: Iterable[HostMessage]) -> int:
    """How many characters of a packet are texts of earlier messages or their headings, each once and quoted. Texts
    of the task may be a part of one, or an argument of a call."""
    before, _, instructions = packet.partition(INSTRUCTIONS)
    quotations = [(*found, False) for found in QUOTED.findall(instructions)]
    quotations += [(*found, True) for found in QUOTED.findall(before.partition(TASK)[2])]
    left = {text for message in earlier for text in _texts(message)}
    left -= {text for message in sent for text in _texts(message)}
    removed = ["\n".join(text.splitlines()) for text in sorted(left)] if quotations else []
    size = 0
    for title, quoted, is_task in quotations:
        text = re.sub(r"^> ?", "", quoted.strip("\n"), flags=re.MULTILINE)
        head = text.removesuffix("…") if HEAD in title else ""
        source = next((old for old in removed if _is_from(old, text, head, is_task)), "")
        if source:
            removed.remove(source)
            size += len(quoted)
    return size


def _is_from(old: str, text: str, head: str, is_task: bool) -> bool:
    return old == text or bool(head and old.startswith(head)) or (is_task and (head or text) in old)


def _texts(message: HostMessage) -> set[str]:
    arguments = (block.get("arguments") for block in message.blocks)
    values = (str(value) for given in arguments if isinstance(given, dict) for value in given.values())
    texts = (pi_host.text_of(message.message), *(str(block.get("text", "")) for block in message.blocks), *values)
    return {text.strip() for text in texts} - {""}
