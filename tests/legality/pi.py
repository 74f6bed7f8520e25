"""Judges an answered list in pi's format against the list that was sent, from the host's side: a second opinion
beside ctxmgr's own checks that shares no code with them. Returns sentences about faults.

1. Each answered message is matched with one that was sent (`study.driving.matching`). There is at most one packet.
2. No result without its call and no call without its result, if both were sent.
3. The newest user message is there, and from it on everything is as it was sent, except tool results that are, or
   in an earlier call of the session were, rewritten in the compact zone. If it was cut, its ends are long.
4. Older turns stay whole: what is kept, ignoring summaries, is an unbroken end of the list that starts a turn. Only
   what the report names may be missing in it, where the list would not fit: no more messages than that, none that a
   user or a host said, and not the newest reply. Where steps are removed instead, rules 3 and 4 differ: the newest
   user message and the newest reply are there as sent, and each other user message is there or a packet is.
5. The list has no more tokens than what was sent (about characters / 4), except for a packet that stands for what
   the host removed, and what that packet repeats word for word of earlier messages that are missing in what was
   sent; and it begins as a provider accepts it.
"""

import re
from collections.abc import Container, Iterable, Sequence
from typing import Any

import msgspec

from ctxmgr.engine.invariants import TURNS
from ctxmgr.engine.presets import PRESETS
from ctxmgr.study.driving.host import ReplayHost
from ctxmgr.study.driving.matching import AS_USER, CUT_LINE, PIECES_APART, MatchedMessage, is_cut
from ctxmgr.study.recordings import HostMessage, pi_host

WEIGHT_SLACK = 20  # ctxmgr does not count by characters / 4; a deviation of a twentieth is no fault
SMALL_TOKENS = 64
PACKET_TOKENS = 5_000  # of the largest packet by default, with an index of what was removed
SUMMARIES = frozenset({"compactionSummary", "branchSummary"})
# at either end of the newest user message; 2,000 tokens have at least that many characters in any script
NEWEST_ENDS_CHARACTERS = 2_000
INSTRUCTIONS, TASK = "\n## Instructions (word for word", "\n## The task (word for word"  # headings in a packet
QUOTED = re.compile(r"\n- ([^\n]*):((?:\n>[^\n]*)+)")  # below it: a line that names the source, and its text
HEAD = "(first "  # how that line continues for a part of a text


class JudgedHost(ReplayHost):
    """A host whose every answered list is judged as well."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._shortened: set[bytes] = set()  # results that the compact zone has rewritten
        self._earlier: dict[bytes, HostMessage] = {}  # messages of earlier lists

    def rewritten(self) -> None:
        super().rewritten()
        self._earlier |= {item.raw: item for item in self.items}

    def matched(self, result: dict[str, msgspec.Raw], report: dict[str, Any]) -> list[MatchedMessage] | None:
        found = super().matched(result, report)
        if found is None:
            return None
        if report["zone"] == "compact":
            self._shortened.update(
                self.items[one.index].raw for one in found if one.index is not None and not one.same
            )
        preset = PRESETS.get(self.outcome.preset)  # another name: no restrictions
        whole_turns = preset is not None and preset.invariants is TURNS
        left = report.get("messagesDropped", 0)
        for text in faults(self.items, found, whole_turns, self._shortened, self._earlier.values(), left):
            self.fail("illegal list", text)
        return found


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
    return answer.same or (old.role in AS_USER and is_cut(old, answer.message) and _has_long_ends(answer.message))


def _has_long_ends(message: HostMessage) -> bool:
    text = pi_host.text_of(message.message)
    cut = CUT_LINE.search(text)
    ends = (text[: cut.start()], text[cut.end() :].rpartition(PIECES_APART)[2]) if cut else ()
    return all(len(end) >= NEWEST_ENDS_CHARACTERS for end in ends)


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
