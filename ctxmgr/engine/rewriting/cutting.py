"""Cuts a long text to its start, its end and its error lines, within a number of tokens.

Rules:
1. One line in the gap says how much there was and how much is missing. The text around it is unchanged.
2. The end gets two fifths of the room, error lines of the middle at most a fifth, the start the rest. An outline,
   if there is one, gets at most a fifth, half of it from the start's share and half from the end's.
3. Start and end break at a line's end if one is near, otherwise anywhere: a text may be one huge line.
4. The result has at most the requested tokens, and no more than a fiftieth less if the text allows.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.model import BlockEdit, Decision, Weigh, Written, expression

END_SHARE = 0.4  # of the room: the outcome
ERROR_SHARE = 0.2
OUTLINE_SHARE = 0.2
ERROR_LINE_CHARACTERS = 200  # the longest part of an error line
NEAR_SHARE = 0.08  # of start or end: how far a line's end is looked for
CLOSE = 0.98  # of the requested tokens: close enough
CORRECTIONS = 8  # attempts to match characters to tokens
GAP = "…\n"
# as in `distill`, and names with these endings (`ValueError`)
ERROR_LINE = expression(
    r"(?:error|exception)s?\b|\b(?:traceback|failed|failure|fatal|panic|undefined|denied|not found)\b",
    re.IGNORECASE,
)
_BEGINNING = expression("error|exception|traceback|fail|fatal|panic|undefined|denied|not found")
_LONGEST = len("exception")
PIECE_CHARACTERS = 1 << 16  # of a text searched at once, about a millisecond


class CutText(msgspec.Struct, frozen=True):
    """A text that was cut: its parts, and its tokens."""

    parts: Written
    weight: int


class Ends(msgspec.Struct, frozen=True):
    """What of a text stays in any case, in characters from its start and from its end."""

    start_chars: int = 0
    end_chars: int = 0


WHEREVER = Ends()


class Gap(msgspec.Struct, frozen=True):
    """The content of a gap. `line` says how many tokens are missing, the characters [start, end) of the text.
    `outline`: positions [start, end) of lines that outline the text, most informative first. `label`: the prefix of
    such a line, by its position.
    """

    line: Callable[[int, int, int], str]
    outline: Sequence[tuple[int, int]] = ()
    label: Callable[[int], str] = lambda start: ""


def cut(text: str, whole: int, tokens: int, weigh: Weigh, gap: Gap, ends: Ends = WHEREVER) -> CutText | None:
    """`text`, which has `whole` tokens, in at most `tokens`; None if it would not get shorter."""
    left = max(0, whole - tokens)
    beside = weigh(gap.line(left, 0, len(text)))
    room = max(0, tokens - beside)
    size = room * len(text) // max(1, whole)
    best: CutText | None = None
    errors = _ErrorWords(text)
    for _ in range(CORRECTIONS):
        parts = _Parts(text, size, ends, gap, errors).written(left)
        weight = weigh(text_of(parts, text))
        if weight <= tokens and (best is None or weight > best.weight):
            best = CutText(parts, weight)
        if CLOSE * tokens <= weight <= tokens or not size:
            break
        size = min(len(text), size * room // max(1, weight - beside))
        size -= size // 100 if weight > tokens else 0
    if best is None:
        parts = _Parts(text, 0, ends, gap, errors).written(left)
        best = CutText(parts, weigh(text_of(parts, text)))
    return best if best.weight < whole else None


class _Parts:
    """About `size` characters of a text (rule 2)."""

    def __init__(self, text: str, size: int, ends: Ends, gap: Gap, words: "_ErrorWords") -> None:
        self.text, self.gap = text, gap
        outline = OUTLINE_SHARE if gap.outline else 0.0
        start, end = 1 - END_SHARE - ERROR_SHARE - outline / 2, END_SHARE - outline / 2
        tail = len(text) - max(ends.end_chars, int(size * end))
        least = max(ends.start_chars, int(size * start))
        errors = list(_errors(text, least, tail, int(size * ERROR_SHARE), words))
        outlined = self._outlined(least, tail, int(size * outline), errors)
        self.lines = sorted([*errors, *outlined])
        beside = sum(self._size(first, end) for first, end in self.lines)
        head = max(least, size - (len(text) - tail) - beside)
        self.head, self.tail = _at_lines(text, head, tail, ends)

    def written(self, left: int) -> Written:
        """`left`: the tokens that are missing."""
        text, head, tail = self.text, self.head, self.tail
        if head >= tail:
            return ((0, len(text)),)
        line = self.gap.line(left, head, tail)
        lines = [(max(start, head), end) for start, end in self.lines if end > head and start < tail]
        parts: list[str | tuple[int, int]] = [(0, head)] if head else []
        parts.append(("\n" if head and text[head - 1] != "\n" else "") + line + "\n")
        for start, end in lines:
            parts += [self.gap.label(start)] if self.gap.label(start) else []
            parts.append((start, min(end, tail)))
            if text[min(end, tail) - 1] != "\n":
                parts.append(GAP)
        if lines and parts[-1] != GAP:
            parts.append(GAP)
        if tail < len(text):
            parts.append((tail, len(text)))
        return tuple(parts)

    def _size(self, start: int, end: int) -> int:
        return end - start + len(self.gap.label(start))

    def _outlined(
        self, start: int, end: int, room: int, errors: list[tuple[int, int]]
    ) -> Iterator[tuple[int, int]]:
        """Lines of the outline between these positions, most informative first, within this many characters;
        without duplicates.
        """
        for first, stop in self.gap.outline:
            if first < start or stop > end:
                continue
            beside = bisect_left(errors, (stop, 0))
            if beside and errors[beside - 1][1] > first:
                continue
            room -= self._size(first, stop)
            if room < 0:
                return
            yield first, stop


def _errors(text: str, start: int, end: int, room: int, words: "_ErrorWords") -> Iterator[tuple[int, int]]:
    """The first lines with an error, within this many characters; a long one around its match."""
    position = start
    while room > 0 and (span := words.after(position)) is not None and span[1] <= end:
        near = max(position, span[0] - ERROR_LINE_CHARACTERS // 2)
        first = max(near, text.rfind("\n", near, span[0]) + 1)
        last = text.find("\n", span[1], min(end, first + ERROR_LINE_CHARACTERS))
        last = min(end, first + ERROR_LINE_CHARACTERS) if last < 0 else last + 1
        room -= last - first
        if room >= 0:
            yield first, last
        position = max(last, span[1])


class _ErrorWords:
    """Where a text has error words; each is found once, however often the text is cut."""

    def __init__(self, text: str) -> None:
        self._spans: list[tuple[int, int]] = []
        self._more = error_words(text)

    def after(self, position: int) -> tuple[int, int] | None:
        """Start and end of the first one from here on."""
        while not self._spans or self._spans[-1][0] < position:
            span = next(self._more, None)
            if span is None:
                return None
            self._spans.append(span)
        return self._spans[bisect_left(self._spans, (position, 0))]


def error_words(text: str) -> Iterator[tuple[int, int]]:
    """Piece by piece, and by the first letters of such words: a case-insensitive pattern is ten times slower."""
    for start in range(0, len(text), PIECE_CHARACTERS):
        piece = text[start : start + PIECE_CHARACTERS + _LONGEST].replace("İ", "i")  # the one that grows
        for begins in _BEGINNING.finditer(piece.lower()):
            match = ERROR_LINE.match(text, start + begins.start())
            if match is not None and begins.start() < PIECE_CHARACTERS:
                yield match.span()


def _at_lines(text: str, head: int, tail: int, ends: Ends) -> tuple[int, int]:
    """Rule 3."""
    length = len(text)
    line_start = text.rfind("\n", max(ends.start_chars, int(head * (1 - NEAR_SHARE))), head) + 1
    head = line_start or head
    stop = min(length - ends.end_chars, tail + int((length - tail) * NEAR_SHARE))
    line_start = text.find("\n", tail, stop) + 1
    return head, line_start or tail


LEAST_RANGE = 32  # characters; two positions and a line end take about as many bytes on disk


def as_written(decision: Decision, edit: BlockEdit, original: str) -> Decision:
    """The decision, with the replacement that its edit gives a block with the text `original`.

    Every later process and release sends it again unchanged, whatever its counts and words; otherwise the list's
    prefix would change and the cache would be lost. Lines of the original are stored by their positions, so that
    the stored form stays small.
    """
    if edit.arguments is not None:  # as text, since decoding and encoding may change the order
        written: Written = (msgspec.json.encode(edit.arguments).decode(),)
    else:
        written = _written(edit.text, original)
    return msgspec.structs.replace(decision, written=written, weight=edit.after_tokens)


def arguments_of(written: Written) -> dict[str, Any]:
    """The stored replacement of a call's arguments."""
    arguments: dict[str, Any] = msgspec.json.decode(text_of(written, ""))
    return arguments


def cut_edit(conversation: ConversationIndex, ref: BlockRef, decision: Decision) -> BlockEdit:
    """The replacement that a decision to cut a block makes."""
    block, key, before = conversation.block(ref), conversation.block_key(ref), conversation.block_weight(ref)
    arguments = arguments_of(decision.written) if block.kind == "call" else None
    text = text_of(decision.written, block.text) if arguments is None else ""
    index, number, weight = ref.message_index, ref.block_index, decision.weight
    return BlockEdit(index, number, "cut", text, key, before, weight, arguments, decision.media)


def text_of(written: Written, original: str) -> str:
    """The stored replacement of a block with the text `original`."""
    return "".join([piece if isinstance(piece, str) else original[piece[0] : piece[1]] for piece in written])


def _written(text: str, original: str) -> Written:
    """The text by lines; lines of the original, searched in order, by their positions."""
    pieces: list[str | tuple[int, int]] = []
    end = 0  # of the last match
    for line in text.splitlines(keepends=True):
        last = pieces[-1] if pieces else ""
        if not isinstance(last, str) and original.startswith(line, end):
            end += len(line)
            pieces[-1] = (last[0], end)
            continue
        position = original.find(line.rstrip("\n"), end) if len(line) >= LEAST_RANGE else -1
        if position >= 0:
            start, end = position, position + len(line.rstrip("\n"))
            pieces.append((start, end))
            line = line[end - start :]
            if line and original.startswith(line, end):
                end += len(line)
                pieces[-1], line = (start, end), ""
        if line and pieces and isinstance(pieces[-1], str):
            pieces[-1] += line
        elif line:
            pieces.append(line)
    return tuple(pieces)
