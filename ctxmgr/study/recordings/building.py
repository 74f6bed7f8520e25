"""Turns what a host's file says, told one thing after the other, into a recording in pi's shape.

1. A result stands right behind the reply whose call it answers, in the order results came: so a model's list has
   it, and results of parallel calls arrive between the blocks of one reply. Of a call id that comes again the
   newest call counts. A result without a call stays where it came.
2. Ids of entries are unique: one that comes again gets a number.
3. A change of the model between two replies is an entry of its own.
4. What is no context is counted by its reason, and what is odd as well: a person can check that nothing is missing.

Knows no host.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from ctxmgr.study.recordings.blocks import text_block
from ctxmgr.study.recordings.json_values import Json
from ctxmgr.study.recordings.pi_sessions import compaction_message
from ctxmgr.study.recordings.recording import DEFAULT_WINDOW, RecordedEntry, Recording, UnreadableRecording

_encode = msgspec.json.Encoder().encode


class RecordedStep(msgspec.Struct, eq=False):
    """One entry before it is finished. `time_ms` and `end_ms` in milliseconds; a reply's `results` stand behind
    it."""

    role: str
    id: str
    time_ms: int | None
    message: Json
    end_ms: int | None = None
    model: str = ""
    blocks: list[Json] = []
    results: list["RecordedStep"] = []
    pruned_ms: int | None = None
    first_kept: str = ""


class RecordingBuilder:
    """A recording as it grows. Times in milliseconds since the epoch, None when unknown."""

    def __init__(self, name: str, host: str) -> None:
        self.name, self.host = name, host
        self.recorded_steps: list[RecordedStep] = []
        self.counts: Counter[str] = Counter()
        self._prompts: list[str] = []
        self._calls: dict[str, tuple[RecordedStep, str]] = {}  # the newest reply and tool by call id
        self._id_counts: dict[str, int] = {}

    def skip(self, what: str, count: int = 1) -> None:
        """Counts what is left out, by what it is and why."""
        self.counts[what] += count

    def system(self, prompt: str) -> None:
        """A system prompt: the host sends it beside the list that ctxmgr sees."""
        self._prompts.append(f"a system prompt of {len(prompt):,} characters, sent beside the list")

    def odd(self, kind: str) -> None:
        """A block that has no place in pi's messages."""
        self.skip(f"blocks of kind {kind}, which pi does not have")

    def user(self, blocks: Sequence[Json], time_ms: int | None, id: str = "") -> RecordedStep | None:
        """None where there is nothing in it."""
        if not blocks:
            self.skip("user messages without text or image")
            return None
        return self._add("user", {"role": "user", "content": [*blocks]}, time_ms, id)

    def note(self, kind: str, blocks: Sequence[Json], time_ms: int | None, id: str = "") -> RecordedStep | None:
        """What the host itself put before the model; `kind` says what it is. None where there is nothing in it."""
        if not blocks:
            self.skip("host messages without text or image")
            return None
        message = {"role": "custom", "customType": kind, "content": [*blocks], "display": False}
        return self._add("custom", message, time_ms, id)

    def reply(
        self, blocks: Sequence[Json], time_ms: int | None, id: str = "", model: str = "", usage: Json | None = None
    ) -> RecordedStep:
        """An assistant's message; blocks may be added to it later, with `more`."""
        message: Json = {"role": "assistant", "content": [], **({"usage": usage} if usage else {})}
        step = self._add("assistant", message, time_ms, id)
        step.model, step.blocks, step.end_ms = model, [], time_ms
        self.more(step, blocks)
        return step

    def more(self, step: RecordedStep, blocks: Sequence[Json], time_ms: int | None = None) -> None:
        """Further blocks of a reply, the last at `time_ms`."""
        step.blocks += blocks
        step.end_ms = step.end_ms if time_ms is None else time_ms
        for block in blocks:
            if block["type"] == "toolCall":
                if block["id"] in self._calls:
                    self.skip("tool-call ids that come again, kept as they are")
                self._calls[block["id"]] = step, block["name"]

    def result(
        self,
        call_id: str,
        blocks: Sequence[Json],
        time_ms: int | None,
        is_error: bool = False,
        tool: str = "",
        id: str = "",
    ) -> RecordedStep:
        """What a call gave (rule 1)."""
        reply, name = self._calls.get(call_id, (None, ""))
        message = {
            "role": "toolResult",
            "toolCallId": call_id,
            "toolName": tool or name,
            "content": [*blocks],
            "isError": is_error,
        }
        step = RecordedStep("toolResult", self._unique(id or f"{call_id}-result"), time_ms, message, time_ms)
        if reply is None:
            self.skip("results without a call in the file")
            self.recorded_steps.append(step)
        else:
            reply.results.append(step)
        return step

    def pruned(self, result: RecordedStep, time_ms: int | None) -> None:
        """When the host took a result's content out of its list; None: it did not."""
        if time_ms is not None:
            self.skip("results that the host itself pruned later, kept whole here")
            result.pruned_ms = time_ms

    def compaction(
        self, summary: str, time_ms: int | None, tokens_before: int, first_kept: str = "", id: str = ""
    ) -> None:
        """The host's own; `summary` stands for all before `first_kept`, an entry's id ("": for everything)."""
        message = {"role": "compactionSummary", "summary": summary, "tokensBefore": tokens_before}
        self._add("compactionSummary", message, time_ms, id).first_kept = first_kept

    def rolled_back(self, turns: int) -> None:
        """The host took back the last so many turns."""
        for _ in range(turns):
            places = [index for index, step in enumerate(self.recorded_steps) if step.role == "user"]
            gone = self.recorded_steps[places[-1] if places else 0 :]
            self.skip("messages that were taken back", sum(1 + len(step.results) for step in gone))
            del self.recorded_steps[len(self.recorded_steps) - len(gone) :]

    def recording(self, session_id: str, cwd: str = "", window: int = 0, model: str = "") -> Recording:
        """Raises UnreadableRecording where there is no message. `model`: where no reply names one."""
        if not any(step.role != "compactionSummary" for step in self.recorded_steps):
            raise UnreadableRecording(f"{self.name}: no messages in this recording of {self.host}")
        named = next((step.model for step in self.recorded_steps if step.model), "") or model or "unknown"
        entries: list[RecordedEntry] = []
        now = named
        for step in self.recorded_steps:
            if step.model and step.model != now:
                now = step.model
                entries.append(RecordedEntry("model", self._unique(f"{step.id}-model"), step.time_ms, model=now))
            entries.append(_entry(step))
            entries += [_entry(result) for result in step.results]
        self._count_oddities(entries)
        return Recording(
            name=self.name,
            session_id=session_id or self.name,
            model=named,
            entries=tuple(entries),
            cwd=cwd,
            window=window or DEFAULT_WINDOW,
            says_window=bool(window),
            host=self.host,
            notes=(*self._prompts, *(f"{what}: {count:,}" for what, count in self.counts.items())),
        )

    def _add(self, role: str, message: Json, time_ms: int | None, id: str) -> RecordedStep:
        step = RecordedStep(
            role, self._unique(id or f"{self.host}-{len(self.recorded_steps) + 1}"), time_ms, message, time_ms
        )
        self.recorded_steps.append(step)
        return step

    def _unique(self, id: str) -> str:
        times = self._id_counts[id] = self._id_counts.get(id, 0) + 1
        return id if times == 1 else self._unique(f"{id}#{times}")

    def _count_oddities(self, entries: Sequence[RecordedEntry]) -> None:
        calls = sum(block["type"] == "toolCall" for step in self.recorded_steps for block in step.blocks)
        answered = sum(len(step.results) for step in self.recorded_steps)
        times = [entry.time_ms for entry in entries if entry.time_ms is not None]
        back = sum(later < earlier for earlier, later in pairwise(times))
        for what, count in (("calls without a result", calls - answered), ("times that go backwards", back)):
            if count > 0:
                self.skip(what, count)


def _entry(step: RecordedStep) -> RecordedEntry:
    message: dict[str, Any] = step.message
    if step.role == "compactionSummary":
        raw = compaction_message(message["summary"], message["tokensBefore"], step.time_ms or 0)
        return RecordedEntry(
            "compaction", step.id, step.time_ms, raw, step.role, message["summary"], step.first_kept
        )
    if step.role == "assistant":
        calls = any(block["type"] == "toolCall" for block in step.blocks)
        stop = {"stopReason": "toolUse" if calls else "stop"}
        model = {"model": step.model} if step.model else {}
        message = {"role": "assistant", "content": step.blocks, **model, **stop, **_without(message)}
    if step.time_ms is not None:
        message = {**message, "timestamp": step.time_ms}
    return RecordedEntry("message", step.id, _written(step), _encode(message), step.role, pruned_ms=step.pruned_ms)


def _written(step: RecordedStep) -> int | None:
    """When the entry was written: a reply before its first result, which may have come before its last block."""
    times = [step.end_ms, *(result.time_ms for result in step.results[:1])]
    return min((time for time in times if time is not None), default=None)


def _without(message: Json) -> Json:
    return {name: value for name, value in message.items() if name not in ("role", "content")}


def retold(kept: Sequence[tuple[str, str]], summary: str) -> str:
    """A compaction's text where the host kept messages in front of its summary: (who, text) of each, then it."""
    return "\n\n".join([*(f"[{who}]: {words}" for who, words in kept), summary]).strip()


def only(words: str) -> list[Json]:
    """One text block; none for an empty text."""
    return [text_block(words)] if words else []
