"""Turns a history into a text for the summarizer that never exceeds a number of tokens.

Rules:
1. The content least important to the summary is given up first, level by level: shorter tool results, then markers
   in their place; thinking; the middle of the assistant's long texts (with calls); the user's; the oldest steps.
2. No more is given up than necessary: within a level the least important messages go first (without importances,
   the oldest), and only as many as needed.
3. Removed whole steps are returned, so that a digest can replace them; a line in the text says how many messages
   are missing. Of a newest step that does not fit, the last messages stay.
4. It never fails. If not even the newest message fits, only the line remains; if that does not fit, "".
5. Parts are counted once per text, the whole once at the end: with most vocabularies the whole counts slightly less
   than the sum. If it counts more, the excess is deducted from the room and the fit is repeated.

Knows no window and no prompt: the caller says how much room the text has.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate

import msgspec

from ctxmgr.engine.compaction.render import FOR_MODEL, RESULT_UNITS
from ctxmgr.engine.compaction.scoring import WHOLE, within
from ctxmgr.engine.compaction.slices import step_starts
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import BranchMessage

SEPARATOR = "\n\n"  # between messages, as in `render`


class TruncationLevel(msgspec.Struct, frozen=True):
    """What may be shown: characters of a result, of another text, of a user's text; and whether thinking is."""

    result_chars: int
    thinking: bool = True
    other_chars: int = WHOLE
    user_chars: int = WHOLE


RESULTS = (RESULT_UNITS, 1_000, 400, 120, 0)
"""Characters of a tool result: what is ever shown of one, and less; 120 is a line."""
OTHERS = (4_000, 1_000, 240)
"""Characters of a longer text: two pages, some paragraphs, a sentence."""

RUNGS = (
    *(TruncationLevel(units) for units in RESULTS),
    TruncationLevel(0, False),
    *(TruncationLevel(0, False, units) for units in OTHERS),
    *(TruncationLevel(0, False, OTHERS[-1], units) for units in OTHERS),
)
"""From all that is ever shown to the least that says anything of each message."""
WITHOUT_THINKING = len(RESULTS)  # the number of the first level without it


BARE = msgspec.structs.replace(FOR_MODEL, thinking=False)


class FittedText(msgspec.Struct, frozen=True):
    """The text; what was given up, in words, in order; and the messages it contains nothing of, oldest first."""

    text: str
    reductions: tuple[str, ...] = ()
    left_out: tuple[BranchMessage, ...] = ()


def fit(
    messages: Sequence[BranchMessage],
    room: int,
    weigh: Weigh,
    importance: Sequence[float] | None = None,
) -> FittedText:
    """The text of these messages in at most `room` tokens. `importance`: a number per message."""
    if importance is not None and len(importance) != len(messages):
        raise ValueError(f"{len(importance)} numbers for {len(messages)} messages")
    texts = _Texts(messages, weigh)
    rank = range(len(messages)) if importance is None else sorted(range(len(messages)), key=importance.__getitem__)
    budget = room
    while budget > 0:
        fitted = _tried(texts, rank, budget)
        over = weigh(fitted.text) - room if fitted.text else 0
        if over <= 0:
            return fitted
        budget = min(budget - over, budget * 49 // 50)
    return FittedText(
        "", (f"messages left out, all there are: {len(messages):,}",) if messages else (), tuple(messages)
    )


class _Texts:
    """The text of each message at each level, and its tokens, computed on demand.

    A text that is the same at several levels is counted once.
    """

    def __init__(self, messages: Sequence[BranchMessage], weigh: Weigh) -> None:
        self.messages = messages
        self.weigh = weigh
        self._texts: dict[int, list[str]] = {}
        self._weights: dict[int, list[int]] = {}
        self._weight_cache: list[dict[str, int]] = [{} for _ in messages]

    def on(self, number: int) -> list[str]:
        """The texts at a level, "" for a message that is not shown."""
        if number not in self._texts:
            self._texts[number] = [self._text(message, number) for message in self.messages]
        return self._texts[number]

    def weights(self, number: int) -> list[int]:
        """Tokens of each of them, separator included."""
        if number not in self._weights:
            self._weights[number] = [self._weight(index, text) for index, text in enumerate(self.on(number))]
        return self._weights[number]

    def _text(self, message: BranchMessage, number: int) -> str:
        speaker, rung = message.content.speaker, RUNGS[number]
        units = (
            rung.result_chars if speaker == "result" else rung.user_chars if speaker == "user" else rung.other_chars
        )
        return within(message, units, FOR_MODEL if rung.thinking else BARE)

    def _weight(self, index: int, text: str) -> int:
        if not text:
            return 0
        known = self._weight_cache[index]
        if text not in known:
            known[text] = self.weigh(text + SEPARATOR)
        return known[text]


def _tried(texts: _Texts, rank: Sequence[int], budget: int) -> FittedText:
    """The first level that fits by the sum of its parts, applied only as far as needed."""
    number = bisect_left(range(len(RUNGS)), True, key=lambda rung: sum(texts.weights(rung)) <= budget)
    if number == len(RUNGS):
        return _without_oldest(texts, budget)
    if not number:
        return _fitted(texts, texts.on(0), 0)
    above, parts = texts.on(number - 1), list(texts.on(number))
    before, after = texts.weights(number - 1), texts.weights(number)
    over = sum(before) - budget
    nearly = over <= len(parts)  # the sum does not fit, but the whole may
    if nearly and texts.weigh(_joined(above)) <= budget:
        return _fitted(texts, above, number - 1)
    saved = accumulate((before[index] - after[index] for index in rank), initial=0)
    count = next(count for count, tokens in enumerate(saved) if tokens >= over)
    for index in rank[count:]:
        parts[index] = above[index]
    return _fitted(texts, parts, number, in_part=True)


def _joined(parts: Iterable[str]) -> str:
    return SEPARATOR.join(filter(None, parts))


def _fitted(texts: _Texts, parts: Sequence[str], number: int, in_part: bool = False) -> FittedText:
    return FittedText(_joined(parts), _given_up(texts, parts, number, in_part))


def _without_oldest(texts: _Texts, budget: int) -> FittedText:
    """The newest steps that fit at the last level, under a line that says how much is missing."""
    number, size = len(RUNGS) - 1, len(texts.messages)
    after = list(accumulate(reversed(texts.weights(number)), initial=0))[::-1]  # of each and all that follow
    room = budget - texts.weigh(_line(size, size) + SEPARATOR)
    steps = step_starts(texts.messages)
    starts = [*steps, *range(steps[-1] + 1, size)]  # the newest step's messages last, one by one
    first = bisect_left(starts, True, key=lambda index: after[index] <= room)
    start = starts[first] if first < len(starts) else size
    parts = [*([""] * start), *texts.on(number)[start:]]
    given_up = (*_given_up(texts, parts, number, False), f"oldest messages left out: {start:,}")
    text = _joined((_line(start, size), *parts))
    return FittedText(text, given_up, tuple(texts.messages[:start]))


def _line(count: int, size: int) -> str:
    return f"[the oldest {count:,} of {size:,} messages are not shown]"


def _given_up(texts: _Texts, parts: Sequence[str], number: int, in_part: bool) -> tuple[str, ...]:
    """A line for each kind of content that is shorter in `parts` than in full. `number`: the level, `in_part` if
    some messages are at the level before.
    """
    full, bare = texts.on(0), texts.on(min(number, WITHOUT_THINKING))
    shorter: Counter[str] = Counter()
    for message, part, whole, spoken in zip(texts.messages, parts, full, bare, strict=True):
        speaker = message.content.speaker
        if part != whole and (part or not spoken):  # otherwise it was removed
            shorter["thinking"] += message.content.thinking is not None
            shorter[speaker] += speaker != "assistant" or (number > WITHOUT_THINKING and part != spoken)
    now, before = RUNGS[number], RUNGS[number - in_part]
    phrases = {
        "result": f"tool results shortened to {_units(now.result_chars, before.result_chars, RESULT_UNITS)}",
        "thinking": "thinking left out of messages",
        "assistant": f"long texts of the assistant shortened to {_units(now.other_chars, before.other_chars)}",
        "user": f"long texts of the user shortened to {_units(now.user_chars, before.user_chars)}",
    }
    return tuple(f"{words}: {shorter[kind]:,}" for kind, words in phrases.items() if shorter[kind])


def _units(now: int, before: int, whole: int = WHOLE) -> str:
    """The limit in words; if a level was applied in part, also that of the level before."""
    limits = [units for units in dict.fromkeys((before, now)) if units < whole]
    return " or ".join(f"{units:,}" if units else "a marker" for units in limits) + " characters" * (now > 0)
