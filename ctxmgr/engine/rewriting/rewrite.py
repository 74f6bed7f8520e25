"""Writes the shorter text that replaces a result or call by decision, and counts its tokens.

1. A replacement that the decision remembers is returned unchanged, whatever would be written now.
2. A replacement is kept in memory: writing it again costs more than the rest of a call.
3. Non-text content of a result stays beside the shorter text, with its tokens.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.rewriting.cutting import text_of
from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.engine.tools import Memo, patches, tool_call
from ctxmgr.model import Call, Decision, Weigh, expression, told_result

LAST_RESORT_LENGTH = 2_000  # characters that a long error in an older step is distilled to
ERRORS_OVER = 2_000  # characters: shorter error results are never distilled

# (a result, decision) -> (text, tokens) that replaces it
Rewrite = Callable[[BlockRef, Decision], tuple[str, int]]
# (a call) -> (arguments, tokens) with its long texts shortened, or None
Shorten = Callable[[BlockRef], tuple[dict[str, Any], int] | None]


def rewriter(conversation: ConversationIndex, weigh: Weigh, handles: bool = False) -> Rewrite:
    """How a decision shortens a result; `handles`: with the name of its original."""

    def rewrite(ref: BlockRef, decision: Decision) -> tuple[str, int]:
        if decision.written:
            return text_of(decision.written, conversation.block(ref).text), decision.weight
        call, block, weight = conversation.call_of(ref), conversation.block(ref), conversation.block_weight(ref)
        beside = weight - weigh(block.text) if block.media else 0
        if decision.kind == "pruned":
            text = marker.pruned(call, weight - beside)
        else:
            text = distill(block.text, decision.limit, call, weight - beside)
        if handles:
            text = marker.with_handle(text, handle(conversation.block_key(ref)))
        if block.is_told and (head := told_result(block.text)) is not None:
            text = f"{block.text[: head[1]].rstrip()}\n{text}"
        return text, beside + weigh(text)

    return rewrite


def memoised(conversation: ConversationIndex, weigh: Weigh, handles: bool, memo: Memo) -> Rewrite:
    """The same, computing each result without a stored text once (rule 2)."""
    fresh = rewriter(conversation, weigh, handles)

    def rewrite(ref: BlockRef, decision: Decision) -> tuple[str, int]:
        if decision.written:
            return fresh(ref, decision)
        index, number = ref.message_index, ref.block_index
        asked = conversation.pairs.get(ref)  # ids are reused: the same result, another call
        call = conversation.digest(asked) if asked is not None else ""
        repeat = conversation.repeats.get(index, 0) if handles else 0  # its handle is in the text
        key = (conversation.digest(index), call, number, repeat, decision.kind, decision.limit)
        if key not in memo:
            memo[key] = fresh(ref, decision)
        written: tuple[str, int] = memo[key]
        return written

    return rewrite


def shortener(conversation: ConversationIndex, weigh: Weigh, memo: Memo) -> Shorten:
    """How the arguments of a call are shortened, computed once each."""

    def shortened(ref: BlockRef) -> tuple[dict[str, Any], int] | None:
        key = ("shortened", conversation.digest(ref.message_index), ref.block_index)
        if key not in memo:
            block = conversation.block(ref)
            arguments = shorten(block.made)
            text = f"{block.tool} {msgspec.json.encode(arguments).decode()}"
            memo[key] = None if arguments is None else (arguments, weigh(text))
        short: tuple[dict[str, Any], int] | None = memo[key]
        return short

    return shortened


LINE_LENGTH = 200  # the longest part of a line
NEWLINE, GAP = 1, 2  # characters; a gap is the line "…" and its newline
SHARE_LAST, SHARE_ERRORS, SHARE_FIRST = 0.35, 0.35, 0.3  # of the limit; the first lines also get what remains
ERROR_LINE = expression(
    r"\b(error|errors|exception|traceback|failed|failure|fatal|panic|assert\w*|undefined|denied|not found)\b",
    re.IGNORECASE,
)


def distill(text: str, limit: int, of: Call, weight: int) -> str:
    """A bulky tool result's first lines, last lines and error lines. `limit` in characters, `weight` of the whole
    in tokens.

    1. The head line says what it was and how large; the text's own lines follow unchanged, with long lines cut.
    2. Room goes to the last lines (the outcome), then to error lines, then to the first lines; all in order.
    3. The result has at most `limit` characters plus the head line, and the same text gives the same result.
    4. No line is longer than the smallest share, so that every kind is represented, even for a text of one huge
       line.
    """
    longest = min(LINE_LENGTH, max(0, int(limit * SHARE_FIRST) - NEWLINE - GAP))
    lines = [line[:longest] for line in text.splitlines() if line.strip() and longest]
    chosen: set[int] = set()
    room = limit - GAP  # before the last lines
    room -= _take(chosen, lines, range(len(lines) - 1, -1, -1), int(limit * SHARE_LAST))
    errors = [number for number, line in enumerate(lines) if ERROR_LINE.search(line)]
    room -= _take(chosen, lines, errors, int(limit * SHARE_ERRORS), NEWLINE + GAP)
    _take(chosen, lines, range(len(lines)), room)
    return "\n".join([marker.distilled(of, weight), *_with_gaps(lines, sorted(chosen))])


def _take(chosen: set[int], lines: list[str], order: range | list[int], room: int, beside: int = NEWLINE) -> int:
    """Adds line numbers in this order while they fit, with `beside` characters extra for each. Returns the
    characters used.
    """
    used = 0
    for number in order:
        if number in chosen:
            continue
        cost = len(lines[number]) + beside
        if used + cost > room:
            break
        chosen.add(number)
        used += cost
    return used


def _with_gaps(lines: list[str], numbers: list[int]) -> list[str]:
    """The chosen lines, with "…" in place of others. The last line is always included: rule 4 of `distill`."""
    out: list[str] = []
    last = -1
    for number in numbers:
        if number != last + 1:
            out.append("…")
        out.append(lines[number])
        last = number
    return out


LIMIT = 800  # characters; a string up to this length stays
HEAD, TAIL = 300, 150  # characters kept of a longer one, in whole lines if they end in time
LEAST_SAVED = 0.25  # of the arguments' JSON text

_MARKER = "[argument shortened — the call had "
_OURS = expression(
    r"^\[argument shortened — the call had [0-9,]+ characters, [0-9,]+ lines?(?:; [^\n\]]*)?\]$", re.M
)


def shorten(call: Call) -> dict[str, Any] | None:
    """The arguments of an old call in the same shape with long strings shortened, or None.

    1. Long strings keep their first and last lines, with a marker between that says how long they were. Everything
       else stays: keys, types, list lengths, short values, paths. A provider checks arguments against the tool's
       schema.
    2. A patch keeps the lines that name files, and the heads of its hunks.
    3. None if this saves less than a quarter: that is not worth changing what the model remembers.
    4. None for what was shortened before, or only looks so.

    The caller excludes messages with anything signed: a provider refuses a changed one, or drops its thinking.
    """
    arguments = call.arguments
    if is_shortened(arguments):
        return None
    hint = "; read the file to see them" if tool_call(call.tool, arguments, call.declared).writes_text else ""
    short = {name: _value(value, hint) for name, value in arguments.items()}
    saved = 1 - _size(short) / max(1, _size(arguments))
    return short if saved >= LEAST_SAVED else None


def is_shortened(given: Any) -> bool:
    """Whether any string in these arguments contains one of our markers."""
    if isinstance(given, str):
        return _MARKER in given and _OURS.search(given) is not None
    if isinstance(given, Mapping):
        return any(is_shortened(value) for value in given.values())
    return isinstance(given, list | tuple) and any(is_shortened(value) for value in given)


def _size(arguments: Mapping[str, Any]) -> int:
    return len(json.dumps(arguments, ensure_ascii=False, default=str))


def _value(value: Any, hint: str) -> Any:
    if isinstance(value, str):
        return _text(value, hint)
    if isinstance(value, dict):
        return {key: _value(item, hint) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(item, hint) for item in value]
    return value


def _text(text: str, hint: str) -> str:
    """A shorter text, or the same one if it would not get shorter."""
    if len(text) <= LIMIT:
        return text
    marker = _marker(text, hint)
    if patches.is_patch(text):
        short = patches.shortened(text, marker)
    else:
        short = f"{_head(text)}\n{marker}\n{_tail(text)}"
    return short if len(short) < len(text) else text


def _marker(text: str, hint: str) -> str:
    lines = text.count("\n") + 1
    return f"{_MARKER}{len(text):,} characters, {lines:,} line{'s' if lines > 1 else ''}{hint}]"


def _head(text: str) -> str:
    """The first lines that fit, or a part of the first."""
    end = text.rfind("\n", 0, HEAD + 1)
    return text[:end] if end > 0 else text[: HEAD - 1] + "…"


def _tail(text: str) -> str:
    """The last lines that fit, or a part of the last."""
    start = text.find("\n", len(text) - TAIL - 1)
    return text[start + 1 :] if 0 <= start < len(text) - 1 else "…" + text[1 - TAIL :]
