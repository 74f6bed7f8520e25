"""Turns a policy's lists into how many lines their packets have, and which of them the recording does not bear out.

1. Every packet of every list is judged, by what had been said and done before its call. What came since and stands
   in the list itself, as it came, takes nothing from a line: a packet stays as it is for as long as its epoch.
2. A quotation was said by its speaker, in these words (`quotes`). One from the summary stands in a summary that the
   host had heard by then, of which its lists tell.
3. A task is in the newest list of the host's own tool, in that state.
4. Checks are as `runs` has them, commits and files as `changes` has them.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from statistics import fmean
from typing import get_args

import msgspec

from ctxmgr.study.metrics import SUMMARY, Observation, stands_for_others
from ctxmgr.study.probes.precision.changes import Changes
from ctxmgr.study.probes.precision.grammar import PacketLine, Section, lines, packets
from ctxmgr.study.probes.precision.quotes import Quotes, folded, pieces, within
from ctxmgr.study.probes.precision.runs import Runs
from ctxmgr.study.probes.session import Examined

SILENT, UNTRUE = "silent", "untrue"
OUTCOMES = {True: "true", False: UNTRUE, None: "unjudged"}
SECTIONS: tuple[Section, ...] = get_args(Section)
SUMMARIES = (SUMMARY, "branchSummary")  # roles of what a host hears in the place of messages

_ITEMS = re.compile(r"; |(?<=:) ")  # of a list that a line tells, behind what it is a list of
_encode = msgspec.json.Encoder().encode


class LineCounts(msgspec.Struct, frozen=True):
    """Lines of packets: all, those that were judged, of these those that do not hold, and those of which nobody
    knows. The rest states nothing."""

    line_count: int = 0
    judged_count: int = 0
    untrue_count: int = 0
    unjudged_count: int = 0

    def __add__(self, other: "LineCounts") -> "LineCounts":
        each = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return LineCounts(*(one + two for one, two in each))


class UntrueLine(msgspec.Struct, frozen=True):
    """One line that does not hold, from this call on at so many calls."""

    call_index: int
    call_count: int
    section: Section
    text: str


class Precision(msgspec.Struct, frozen=True):
    """Of one policy, of one session or several. `packet_tokens`: mean of the calls that have a packet, None where
    none has; `tokens_a_call`: mean of all calls. `sections`: those that have a line."""

    packet_count: int
    packet_tokens: float | None
    tokens_a_call: float
    sections: dict[Section, LineCounts]
    untrue: tuple[UntrueLine, ...] = ()

    @property
    def every(self) -> LineCounts:
        return sum(self.sections.values(), LineCounts())


class _Moment(msgspec.Struct, frozen=True):
    """A call: so many messages came before, these of them stand in its list as they came; and the summaries that
    the host had heard, folded."""

    end: int
    shown: frozenset[int]
    summaries: Sequence[str]


def precision(of: Examined, sights: Sequence[Observation], weigh: Callable[[bytes], int]) -> Precision:
    """`weigh`: bytes of a message to tokens."""
    places = {one.id: place for place, one in enumerate(of.course.items)}
    judge = _Judge(of)
    summaries: dict[str, None] = {}
    counts: Counter[tuple[Section, str]] = Counter()
    untrue: dict[tuple[Section, str], list[int]] = {}
    tokens: list[int] = []
    packet_count = 0
    weighed = cache(lambda text: weigh(_encode({"role": "user", "content": text, "timestamp": 0})))
    for call, sight in enumerate(sights):
        summaries.update(
            (folded(str(one.message.get("summary", ""))), None) for one in sight.items if one.role in SUMMARIES
        )
        found = [
            text
            for one in sight.projected_messages
            if not one.same or stands_for_others(sight, one)
            for text in packets(one.raw)
        ]
        tokens.append(sum(map(weighed, found)))
        packet_count += len(found)
        if found:
            kept = (one for one in sight.projected_messages if one.same and not stands_for_others(sight, one))
            shown = frozenset(places.get(sight.items[one.index].id, -1) for one in kept)
            now = _Moment(places[sight.reply.id], shown, tuple(summaries))
            for line in (line for text in found for line in lines(text)):
                outcome = SILENT if line.form == SILENT else OUTCOMES[judge.holds(line, now)]
                counts[line.section, outcome] += 1
                if outcome == UNTRUE:
                    untrue.setdefault((line.section, line.text), []).append(call)
    return Precision(
        packet_count,
        fmean(some) if (some := [one for one in tokens if one]) else None,
        fmean(tokens) if tokens else 0.0,
        {section: one for section in SECTIONS if (one := _counts(counts, section)).line_count},
        tuple(UntrueLine(calls[0], len(calls), *key) for key, calls in untrue.items()),
    )


def _counts(counts: Counter[tuple[Section, str]], section: Section) -> LineCounts:
    good, bad, unknown, silent = (counts[section, outcome] for outcome in (*OUTCOMES.values(), SILENT))
    return LineCounts(good + bad + unknown + silent, good + bad, bad, unknown)


class _Judge:
    """Of one session."""

    def __init__(self, of: Examined) -> None:
        self._quotes, self._runs = Quotes(of.history), Runs(of.history)
        self._changes = Changes(of.history, of.cwd)
        self._tasks = [
            (one.message_index, [(folded(task.text), task) for task in one.tasks]) for one in of.history.tasks
        ]

    def holds(self, line: PacketLine, now: _Moment) -> bool | None:
        """None where nobody knows."""
        end, shown, parts = now.end, now.shown, line.parts
        match line.form:
            case "user" | "assistant":
                return self._quotes.said(line.form, parts[0]) < end
            case "answer":
                return self._quotes.answered(*parts) < end
            case "summary":
                told = [piece for item in _ITEMS.split(parts[0]) for piece in pieces(item)]
                return any(within(told, text) for text in now.summaries)
            case "task":
                return self._task_holds(parts, now)
            case "run":
                return self._runs.holds(parts, end, shown)
            case "commit":
                return self._changes.commit_holds(parts, end, shown)
            case "file":
                return self._changes.file_holds(parts, end, shown)
        return False

    def _task_holds(self, parts: Sequence[str], now: _Moment) -> bool:
        """Rule 3. `parts` of a line: what stands in its box, its text."""
        box, text = parts
        for at, tasks in reversed(self._tasks):
            if at < now.end:
                some = (task for told, task in tasks if within(pieces(text), told))
                if any(not task.done and task.active == (box == "~") for task in some):
                    return True
                if now.shown.isdisjoint((at, at - 1)):
                    break
        return False
