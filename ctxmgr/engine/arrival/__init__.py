"""The first step of every list: decides which new tool results are too long and cuts them as they arrive. Knows no
preset. `engine.fit` later cuts what does not fit the window.

1. A result of more than `maxResultTokens` is shown in that many tokens from its first call on: its start, its end,
   error lines, and an outline of the rest (`outline`), which are the lines that define things, or the listed items,
   counted. One line says how much is missing, and how to get it.
2. This is decided once, before any provider was sent the result, so nothing cached is rewritten. The decision
   remembers the text, which is sent again unchanged.
3. Never cut: results of protected tools, pinned results, what `retrieve` returned, text of other sources
   (`engine.instructions`), results with pictures, and results whose text the format cannot replace.
4. A line of the outline has its position in front: the offset for `retrieve` if the original can be retrieved by
   its handle, otherwise the line number, and then the marker names the call to repeat.

The outline of a text recognizes programming languages by form, and uses no words of natural languages:

5. A line defines something if it has the form of a definition in a common programming language: a word such as
   `def` or `class` with a name, an assigned function, a head that opens a body. Line numbers added by tools are
   ignored. If no line does, headings count.
6. The least indented lines come first, then the earlier ones.
7. If most lines name places in files (`a.py:12: text`), they are counted by file; if most are paths, by directory.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from functools import partial

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.protection import Protection, protected_by_pins
from ctxmgr.engine.rewriting import Gap, cut, marker
from ctxmgr.engine.tools import tool_call
from ctxmgr.model import Block, Call, Decision, Message, Policy, Weigh, expression
from ctxmgr.model.saved import State

__all__ = ["ArrivalInputs", "arriving", "arriving_weight", "counts", "line_numbers", "outline"]

OUTLINE_CHARACTERS = 160  # the longest part of a line in the outline
LISTED_SHARE = 0.8  # of the lines with text; this share makes a text a list
MOST_COUNTED = 12  # names with counts in the outline
TOLD_NAME_CHARACTERS = 80  # the longest part of a name in the outline
LONGEST_LIST_LINE = 400  # characters; a longer line belongs to no list

_NUMBER = r"(?:[ \t]{0,8}\d{1,7}(?:\t|→|[:|] ?))?"  # at the start of a line, from a tool that reads files
_BEFORE = (
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|sealed|open|override"
    r"|virtual|inline|unsafe|extern|pub(?:\([\w: ]{1,40}\))?|declare|data|partial|const)[ \t]+){0,6}"
)
_WORD = (
    r"(?:def|class|function\*?|func|fn|fun|interface|struct|enum|trait|impl|type|module|namespace|protocol|record"
    r"|object|sub|mod|contract|macro_rules!)[ \t]+[\w$.:]{1,120}"
    r"(?=[ \t]*(?:[(<:{=;\[!]|$|(?:extends|implements|for|struct|interface|func|where)\b))"
)
_METHOD = r"(?:func[ \t]*\(|impl[ \t]*<)"
_ASSIGNED = (
    r"(?:const|let|var)[ \t]+[\w$]{1,120}[^\n=]{0,120}=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|\([^\n]{0,200}=>|[\w$]{1,80}[ \t]*=>)"
)
_HEAD = (
    r"(?!(?:if|for|while|switch|catch|else|return|with|do|try|using|lock|foreach|elif|match|when|unless)\b)"
    r"[\w$<>\[\],*&:~?. \t]{1,120}\([^;\n]{0,200}\)[^;\n(]{0,60}\{[ \t]*$"
)
_DEFINES = expression(rf"^{_NUMBER}([ \t]*){_BEFORE}(?:{_WORD}|{_METHOD}|{_ASSIGNED}|{_HEAD})", re.M)
_HEADING = expression(rf"^{_NUMBER}(#{{1,6}})[ \t]+\S", re.M)
_LOCATION = expression(r"([^\s:][^:\n]{0,200}):\d{1,7}[:-]")
_PATH = expression(r"(?:[-dl][-rwxsStT]{9}\S?[ \t].{0,120}[ \t])?((?:[^\s:/]*/)*)[^\s:/]+/?[ \t]*$")

Counts = Callable[[int, int], str]
"""What is listed between two places of a text, counted: "src/a.py 40, src/b.py 12, 35 in 7 others"; "" where it is
no list."""


def outline(text: str) -> tuple[tuple[int, int], ...]:
    """The positions [start, end) of the lines that outline a text, most informative first (rules 5 and 6)."""
    starts = [(len(match[1].expandtabs()), match.start()) for match in _DEFINES.finditer(text)]
    starts = starts or [(len(match[1]), match.start()) for match in _HEADING.finditer(text)]
    return tuple((start, _end(text, start)) for _, start in sorted(starts))


def _end(text: str, start: int) -> int:
    newline = text.find("\n", start, start + OUTLINE_CHARACTERS)
    return min(len(text), start + OUTLINE_CHARACTERS) if newline < 0 else newline + 1


def counts(text: str) -> Counts:
    """The counts for a part of this text (rule 7)."""
    places: list[int] = []
    names: list[str] = []
    line_count = start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            line_count += 1
            if (name := _listed(line)) is not None:
                places.append(start)
                names.append(name)
        start += len(line)
    if len(names) < LISTED_SHARE * line_count:
        return lambda start, end: ""

    def counted(start: int, end: int) -> str:
        return _ranked_counts(Counter(names[bisect_left(places, start) : bisect_left(places, end)]))

    return counted


def _listed(line: str) -> str | None:
    """The file or directory of a list's line; None if it is no such line."""
    if len(line) > LONGEST_LIST_LINE:
        return None
    location = _LOCATION.match(line)
    if location is not None:
        return location[1]
    path = _PATH.match(line)
    return (path[1] or "./") if path is not None and ("/" in line or "." in line) else None


def _ranked_counts(counter: Counter[str]) -> str:
    """Largest first, equals in alphabetical order."""
    ranked = sorted(counter.items(), key=lambda entry: (-entry[1], entry[0]))
    named = [f"{name[:TOLD_NAME_CHARACTERS]} {count:,}" for name, count in ranked[:MOST_COUNTED]]
    rest = ranked[MOST_COUNTED:]
    if rest:
        named.append(f"{sum(count for _, count in rest):,} in {len(rest):,} others")
    return ", ".join(named)


class ArrivalInputs(msgspec.Struct, frozen=True):
    """What decides. `archives`: whether markers may contain handles."""

    policy: Policy
    weigh: Weigh
    rules: Invariants
    archives: bool


class Arrival(msgspec.Struct, frozen=True):
    """`decisions` by key, and the tokens they save."""

    decisions: dict[str, Decision] = {}
    saved_tokens: int = 0


def arriving(conversation: ConversationIndex, first_index: int, state: State, inputs: ArrivalInputs) -> Arrival:
    """Decisions about the messages from `first_index` on, which no provider was sent. Pure."""
    most = inputs.policy.max_result_tokens
    if most is None:
        return Arrival()
    long = [
        ref
        for index in range(first_index, conversation.size)
        if conversation.messages[index].weight > most
        for ref, _ in conversation.results(index)
        if _may_be_cut(conversation, ref, most, inputs.rules)
    ]
    pinned = partial(protected_by_pins, conversation, state.pins, state.returned, state.epoch.number)
    stays = Protection(conversation, inputs.policy, pinned).blocks() if long else frozenset[BlockRef]()  # rule 3
    made, saved = dict[str, Decision](), 0
    for ref in long:
        key = conversation.block_key(ref)
        if ref in stays or key in state.decisions:
            continue
        decision = _cut(conversation, ref, most, inputs)
        if decision is not None:
            made[key] = decision
            saved += conversation.block_weight(ref) - decision.weight
    return Arrival(made, saved)


def arriving_weight(message: Message, policy: Policy) -> int:
    """About how many tokens a message will count in the next list. Sees what rule 3 keeps."""
    most = policy.max_result_tokens
    if most is None or message.weight <= most:
        return message.weight
    over = (
        weight - most
        for block, weight in zip(message.view.blocks, message.weights, strict=True)
        if block.kind == "result" and _is_long(block, weight, most)
    )
    return message.weight - sum(over)


def _is_long(block: Block, weight: int, most: int) -> bool:
    bare = not any(item.is_shown for item in block.media)
    return weight > most and block.can_edit and bare and not marker.is_marker(block.text)


def _may_be_cut(conversation: ConversationIndex, ref: BlockRef, most: int, rules: Invariants) -> bool:
    weight = conversation.block_weight(ref)
    return _is_long(conversation.block(ref), weight, most) and rules.may_edit(conversation, ref, "cut")


def _cut(conversation: ConversationIndex, ref: BlockRef, most: int, inputs: ArrivalInputs) -> Decision | None:
    """Rule 1; None if the result would not get shorter."""
    block, whole = conversation.block(ref), conversation.block_weight(ref)
    text, beside = block.text, whole - inputs.weigh(block.text) if block.media else 0
    whole -= beside
    call, listed = conversation.call_of(ref), counts(text)
    handle = marker.handle(conversation.block_key(ref)) if inputs.archives else ""
    position = str if inputs.archives else line_numbers(text)

    def line(left: int, start: int, end: int) -> str:
        last = end if inputs.archives else end - 1  # a line that is shown from its start is not missing
        shown = marker.arrived(whole, left, _where(position(start), position(last), handle, call))
        there = listed(start, end)
        return f"{shown}\n{there}" if there else shown

    gap = Gap(line, outline(text), lambda offset: f"@{position(offset)} ")
    done = cut(text, whole, most - beside, inputs.weigh, gap)
    return Decision("cut", most, done.parts, done.weight + beside) if done is not None else None


def _where(start: str, end: str, handle: str, call: Call) -> str:
    """Rule 4."""
    if handle:
        return f"characters {start} to {end}; @: a line's offset | retrieve {handle}"
    reads = tool_call(call.tool, call.arguments, call.declared).kind == "read"
    return (
        f"lines {start} to {end}; @: a line's number | {marker.call(call)}{', a range of lines' if reads else ''}"
    )


def line_numbers(text: str) -> Callable[[int], str]:
    """The number of the line at an offset, from 1."""
    known: dict[int, str] = {}

    def number(position: int) -> str:
        if position not in known:
            known[position] = str(text.count("\n", 0, position) + 1)
        return known[position]

    return number
