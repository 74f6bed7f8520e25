"""Scores how much each message of a history matters to the current work, and distributes a budget by that.

Signals, all cheap and derived from the messages alone:
1. Speaker: a user's words are the task itself, and an assistant's text explains its actions; a result can usually
   be fetched again.
2. Errors: what failed and how is asked for again, and reproducing it costs a run.
3. Calls that changed something (edits, writes) over those that only looked.
4. Terms of the goal and of the newest turn: what the work is about now. Rare terms count more.
5. Later references: names that first appeared here and were used afterwards.
6. Recency: of two similar messages the newer one is closer to the current state.

The points add up. The numbers are our choice, in hundredths, so that sums are exact.
"""

import math
from collections import Counter
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.compaction.cohesion import NAME_WEIGHT, TEXT_UNITS, terms
from ctxmgr.engine.compaction.render import AS_PI, RenderLimits, message_text, utf16_units
from ctxmgr.engine.tools import tool_call
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import BranchMessage

SPEAKS = {"user": 85, "assistant": 30, "result": 10, "": 0}  # signal 1
FAILED = 20  # signal 2
CHANGED = 15  # signal 3
ON_GOAL = 60  # signal 4, at most: two results of one age differ by little else
REFERRED = 20  # signal 5, at most
RECENT = 20  # signal 6, at most

HALF_GOAL_TERMS = 1  # rare terms that give half of signal 4: a goal is short
HALF_TERMS = 4  # the same for signal 5
LEAST_UNITS = 40  # the least size of a message in characters, without its marker: its label and a word or two
HEAD = 2 / 3  # of a shortened text is its start, which says what it is; the end says how it came out
ROUNDS = 6  # corrections of the estimate before the budget is halved instead
EDGE_UNITS = 2_000  # of each end of a long text are counted to get its tokens per character

WHOLE = 2**62  # longer than any text


def importances(messages: Sequence[BranchMessage], goal: str = "") -> tuple[float, ...]:
    """A number above 0.0 and at most 1.0 for each message. `goal`: the current work, from the ledger."""
    message_terms = [_terms(message) for message in messages]
    rarity = _rarity(message_terms)
    wanted = _wanted(messages, message_terms, goal)
    later = _later(messages, message_terms)
    changing = changing_calls(messages)
    points = []
    for index, message in enumerate(messages):
        content = message.content
        sum_of = SPEAKS[content.speaker] + 1
        sum_of += FAILED * (content.is_error or any(block.is_error for block in message.view.blocks))
        sum_of += CHANGED * (index in changing)
        on_goal = sum(rarity[term] for term in message_terms[index] if term in wanted)
        sum_of += _part(ON_GOAL, on_goal, HALF_GOAL_TERMS * 100)
        sum_of += _part(REFERRED, 100 * later[index], HALF_TERMS * 100)
        sum_of += RECENT * (index + 1) // len(messages)
        points.append(sum_of)
    most = SPEAKS["user"] + 1 + ON_GOAL + REFERRED + RECENT
    return tuple(min(1.0, number / most) for number in points)


def shares(
    messages: Sequence[BranchMessage], importance: Sequence[float], budget: int, weigh: Weigh
) -> tuple[int, ...]:
    """How many UTF-16 units each message may have (`within`) so that all together count at most `budget` tokens.

    Shares are proportional to importance and never exceed a message's length; the rest goes to the others. If even
    the minimum does not fit, every message gets the minimum (see `truncation`).
    """
    lengths, rates = [], []
    for message in messages:
        text = message_text(message, RenderLimits(WHOLE))
        lengths.append(utf16_units(text))
        rates.append(_rate(text, weigh))
    memo: dict[tuple[int, int], int] = {}

    def weight(units: Sequence[int]) -> int:
        for index, message in enumerate(messages):
            if (index, units[index]) not in memo:
                text = within(message, units[index])
                memo[index, units[index]] = weigh(text + "\n\n") if text else 0
        return sum(memo[index, count] for index, count in enumerate(units))

    aim = budget
    least = tuple(min(length, LEAST_UNITS) for length in lengths)
    for number in range(ROUNDS + max(budget, 1).bit_length()):
        units = _filled(lengths, rates, importance, aim)
        total = weight(units)
        if total <= budget:
            return units
        if units == least:
            break
        aim = aim * budget * 98 // (total * 100) if number < ROUNDS else aim // 2
    return least


def within(message: BranchMessage, units: int, shown: RenderLimits = AS_PI) -> str:
    """A message as a summarizer sees it, in about `units` characters plus a marker for what is missing; a result
    from its start, anything else from both ends. "" if it is not shown at all.
    """
    text = message_text(message, msgspec.structs.replace(shown, result_units=units))
    return text if message.content.speaker == "result" else middle(text, units)


def middle(text: str, units: int) -> str:
    """The start and the end of a text with a marker between, never longer than the text."""
    units = max(units, LEAST_UNITS)
    head = int(units * HEAD)
    short = f"{text[:head]}\n[... {len(text) - units:,} characters left out]\n{text[len(text) - units + head :]}"
    return short if len(short) < len(text) else text


def _terms(message: BranchMessage) -> dict[str, int]:
    content = message.content
    weights = terms((content.text or "")[:TEXT_UNITS])
    for _, arguments in content.calls:
        weights.update(terms(arguments[:TEXT_UNITS]))
    return weights


def _rarity(message_terms: Sequence[dict[str, int]]) -> Counter[str]:
    """Hundredths by term: 100 for one in a single message, 0 for one in all of them."""
    count = Counter(term for terms_of in message_terms for term in terms_of)
    scale = math.log(1 + len(message_terms))
    return Counter({term: round(100 * math.log((1 + len(message_terms)) / n) / scale) for term, n in count.items()})


def _wanted(messages: Sequence[BranchMessage], message_terms: Sequence[dict[str, int]], goal: str) -> set[str]:
    """Terms of the goal and of everything spoken, not printed, since the newest user message (signal 4)."""
    wanted = set(terms(goal))
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].content.speaker in ("user", "assistant"):
            wanted.update(message_terms[index])
        if messages[index].content.speaker == "user":
            break
    return wanted


def _later(messages: Sequence[BranchMessage], message_terms: Sequence[dict[str, int]]) -> list[int]:
    """How many names first appeared in each message that were spoken or called later (signal 5)."""
    first: dict[str, int] = {}
    later = [0] * len(messages)
    used: set[str] = set()
    for index, message in enumerate(messages):
        for term, weight in message_terms[index].items():
            if weight < NAME_WEIGHT:
                continue
            if term not in first:
                first[term] = index
            elif term not in used and message.content.speaker != "result":
                used.add(term)
                later[first[term]] += 1
    return later


def changing_calls(messages: Sequence[BranchMessage]) -> set[int]:
    """Messages with calls that change files, and the results of such calls (signal 3)."""
    changing: set[int] = set()
    changes: dict[str, bool] = {}  # by the id of the latest call with it
    for index, message in enumerate(messages):
        for block in message.view.blocks:
            if block.kind == "call":
                changes[block.call_id] = tool_call(block.tool, block.arguments, block.declared).changes
            if block.kind in ("call", "result") and changes.get(block.call_id):
                changing.add(index)
    return changing


def _part(most: int, amount: int, half: int) -> int:
    """Points for an amount: half of the maximum at `half`, never the maximum."""
    return most * amount // (amount + half) if amount else 0


def _rate(text: str, weigh: Weigh) -> float:
    """Tokens per character, from both ends of a long text."""
    if len(text) > 3 * EDGE_UNITS:
        text = text[:EDGE_UNITS] + text[-EDGE_UNITS:]
    return weigh(text) / max(1, utf16_units(text))


def _filled(
    lengths: Sequence[int], rates: Sequence[float], importance: Sequence[float], aim: int
) -> tuple[int, ...]:
    """Characters for each message so that the total is about `aim` tokens. Searches for a level, like water filling
    vessels as wide as the messages are important and as high as they are long.
    """

    def units_at(level: int) -> tuple[int, ...]:
        return tuple(
            min(length, max(LEAST_UNITS, int(level * weight)))
            for length, weight in zip(lengths, importance, strict=True)
        )

    low, high = 0, int(max(lengths, default=0) / max(min(importance, default=1.0), 1e-6)) + 1
    while low < high:
        level = (low + high + 1) // 2
        if sum(units * rate for units, rate in zip(units_at(level), rates, strict=True)) <= aim:
            low = level
        else:
            high = level - 1
    return units_at(low)
