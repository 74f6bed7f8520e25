"""Counts the lines of a policy's packets, and those that the recording does not confirm.

1. Every packet of every list is judged by what had been said and done before its call. Content that came since and
   is in the list itself, unchanged, does not contradict a line, since a packet stays the same for its epoch.
2. A quotation must have been said by its speaker, in these words (`packets`). The user's words exclude what a host
   inserted, and of a slash command only the user's arguments count. A quotation from the summary must be in a
   summary that the host had heard by then, according to its lists.
3. An answer must be in the result of a tool that asks, and its question in the call; a reason for a rejection, in a
   failed result.
4. A task must be in the newest list of the host's own tool, in that state.
5. Checks, commits and files as in `checks`. Nothing is classified by its wording.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import inf
from statistics import fmean
from typing import get_args

import msgspec

from ctxmgr.study.observations import SUMMARY, Observation, in_place, strings
from ctxmgr.study.probes import wording
from ctxmgr.study.probes.checks import Deeds, PacketLine, Section, folded, lines, packets, pieces, within
from ctxmgr.study.probes.history import SessionHistory
from ctxmgr.study.probes.kinds import Examined
from ctxmgr.study.probes.messages import SessionCall, name_words

SILENT, UNTRUE = "silent", "untrue"
OUTCOMES = {True: "true", False: UNTRUE, None: "unjudged"}
SUMMARIES = (SUMMARY, "branchSummary")  # roles of what a host hears in place of messages
ASKING = wording.word_set("ask question questions input")  # words in the names of tools that ask the user

_HOSTS = re.compile(
    r"<(system-reminder|local-command-\w+|command-(?:name|message|contents)|bash-std\w+|environment_context"
    r"|INSTRUCTIONS)\b[^>]*>.*?</\1>|\[Request interrupted[^\]]*\]",
    re.DOTALL,
)
_encode = msgspec.json.Encoder().encode


class LineCounts(msgspec.Struct, frozen=True):
    """Lines of packets: all, the judged ones, those of them that do not hold, and those that nobody can judge. The
    rest state nothing.
    """

    line_count: int = msgspec.field(name="lines", default=0)
    judged_count: int = msgspec.field(name="judged", default=0)
    untrue_count: int = msgspec.field(name="untrue", default=0)
    unjudged_count: int = msgspec.field(name="unjudged", default=0)

    def __add__(self, other: "LineCounts") -> "LineCounts":
        each = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return LineCounts(*map(sum, each))


class UntrueLine(msgspec.Struct, frozen=True):
    """One line that does not hold, from this call on, at this many calls."""

    call_index: int
    call_count: int
    section: Section
    text: str


class Precision(msgspec.Struct, frozen=True):
    """For one policy, over one session or several. `packet_tokens`: mean over the calls with a packet, None if
    there are none. `tokens_a_call`: mean over all calls. `sections`: those with a line.
    """

    packet_count: int
    packet_tokens: float | None
    tokens_a_call: float
    sections: dict[Section, LineCounts]
    untrue: tuple[UntrueLine, ...] = ()

    @property
    def every(self) -> LineCounts:
        return sum(self.sections.values(), LineCounts())


class _Moment(msgspec.Struct, frozen=True):
    """A call: the number of messages before it, those of them in its list unchanged, and the summaries that the
    host had heard, folded.
    """

    end: int
    shown: frozenset[int]
    summaries: Sequence[str]


def precision(of: Examined, sights: Sequence[Observation], weigh: Callable[[bytes], int]) -> Precision:
    """`weigh`: bytes of a message to tokens."""
    numbers = {item.id: number for number, item in enumerate(of.course.items)}
    judge = _Judge(of.history)
    summaries: dict[str, None] = {}
    counts: Counter[tuple[Section, str]] = Counter()
    untrue: dict[tuple[Section, str], list[int]] = {}
    tokens: list[int] = []
    packet_count = 0
    weighed = cache(lambda text: weigh(_encode({"role": "user", "content": text, "timestamp": 0})))
    for call, sight in enumerate(sights):
        heard = (item.message.get("summary", "") for item in sight.items if item.role in SUMMARIES)
        summaries |= dict.fromkeys(map(folded, map(str, heard)))
        made = (message for message in sight.projected_messages if not in_place(sight, message))
        texts = [text for message in made for text in packets(message.raw)]
        tokens.append(sum(map(weighed, texts)))
        packet_count += len(texts)
        if texts:
            kept = (
                sight.items[message.index].id for message in sight.projected_messages if in_place(sight, message)
            )
            shown = frozenset(numbers.get(id, -1) for id in kept)
            moment = _Moment(numbers[sight.reply.id], shown, tuple(summaries))
            for line in (line for text in texts for line in lines(text)):
                outcome = SILENT if line.form == SILENT else OUTCOMES[judge.holds(line, moment)]
                counts[line.section, outcome] += 1
                if outcome == UNTRUE:
                    untrue.setdefault((line.section, line.text), []).append(call)
    with_packet = list(filter(None, tokens))
    return Precision(
        packet_count,
        fmean(with_packet) if with_packet else None,
        fmean(tokens) if tokens else 0.0,
        {
            section: line_counts
            for section in get_args(Section)
            if (line_counts := _line_counts(counts, section)).line_count
        },
        tuple(UntrueLine(calls[0], len(calls), *line) for line, calls in untrue.items()),
    )


def _line_counts(counts: Counter[tuple[Section, str]], section: Section) -> LineCounts:
    true, untrue, unjudged, silent = (counts[section, outcome] for outcome in (*OUTCOMES.values(), SILENT))
    return LineCounts(true + untrue + unjudged + silent, true + untrue, untrue, unjudged)


class _Judge:
    """For one session. Answers are the number of the result, whether it failed, and the texts of call and
    result.
    """

    def __init__(self, history: SessionHistory) -> None:
        self._deeds = Deeds(history)
        self._said: dict[str, list[tuple[int, str]]] = {"user": [], "assistant": []}
        self._answers: list[tuple[int, bool, str, str]] = []
        self._task_lists = history.tasks
        calls: dict[str, SessionCall] = {}  # ids repeat
        for index, message in enumerate(history.messages):
            calls |= {call.id: call for call in message.calls}
            if message.role in self._said:
                self._said[message.role].append((index, folded(_HOSTS.sub(" ", message.text))))
            call = calls.pop(message.call_id, None)
            if call and (message.failed or ASKING & name_words(call.name)):
                asked = folded(" ".join((call.name, *strings(call.arguments))))
                self._answers.append((index, message.failed, asked, folded(message.text)))
        self._first_said = cache(self._find_said)
        self._first_answered = cache(self._find_answered)

    def holds(self, line: PacketLine, moment: _Moment) -> bool | None:
        """None: unknown."""
        end, shown, parts = moment.end, moment.shown, line.parts
        match line.form:
            case "user" | "assistant":
                return self._first_said(line.form, parts[0]) < end
            case "answer":
                return self._first_answered(*parts) < end
            case "summary":
                listed = parts[0].replace(": ", ":; ").split("; ")  # the list, behind what it is a list of
                items = [piece for item in listed for piece in pieces(item)]
                return any(within(items, text) for text in moment.summaries)
            case "task":
                return self._task_holds(parts, moment)
            case "run":
                return self._deeds.check_holds(parts, end, shown)
            case "commit":
                return self._deeds.commit_holds(parts, end)
            case "file":
                return self._deeds.file_holds(parts, end, shown)
        return False

    def _find_said(self, speaker: str, quoted: str) -> float:
        """The first message that says it, infinity for none."""
        given = quoted.partition(" ")[2] if speaker == "user" and quoted.startswith("/") else ""
        some = pieces(given or quoted)
        return next((index for index, text in self._said[speaker] if within(some, text)), inf)

    def _find_answered(self, rejected: str, question: str, answer: str) -> float:
        asked, answered = pieces(question.strip("`") if rejected else question), pieces(answer)
        indices = (
            index
            for index, failed, call, result in self._answers
            if failed == bool(rejected) and within(asked, call) and within(answered, result)
        )
        return next(indices, inf)

    def _task_holds(self, parts: Sequence[str], moment: _Moment) -> bool:
        """`parts` of a line: the content of its box, its text."""
        box, text = parts
        for index, tasks in reversed(self._task_lists):
            if index < moment.end:
                same = (task for task in tasks if within(pieces(text), folded(task.text)))
                if any(not task.done and task.active == (box == "~") for task in same):
                    return True
                if moment.shown.isdisjoint((index, index - 1)):
                    break
        return False
