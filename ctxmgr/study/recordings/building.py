"""Turns what a host's file says, item by item, into a recording in pi's shape.

1. A result is placed right behind the reply whose call it answers, in the order results came: a model's list has it
   so, and results of parallel calls arrive between the blocks of one reply. For a repeated call id the newest call
   counts. A result without a call stays where it came.
2. Ids of entries are unique: a repeated one gets a number.
3. A change of the model between two replies is a separate entry.
4. What is not context is counted by its reason, and so is anything odd, so that a person can check that nothing is
   missing.

Knows no host.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from ctxmgr.study.recordings.json_values import Json, content
from ctxmgr.study.recordings.pi_sessions import compaction_message
from ctxmgr.study.recordings.recording import DEFAULT_WINDOW, NoConversation, RecordedEntry, Recording

_encode = msgspec.json.Encoder().encode


class RecordedStep(msgspec.Struct, eq=False):
    """One unfinished entry. `time_ms` and `end_ms` in milliseconds. A reply's `results` follow it."""

    role: str
    id: str
    time_ms: int | None
    message: Json
    end_ms: int | None = None
    model: str = ""
    results: list["RecordedStep"] = []
    pruned_ms: int | None = None
    first_kept: str = ""

    @property
    def blocks(self) -> list[Json]:
        """Of its content; none for a compaction."""
        blocks: list[Json] = self.message.get("content", [])
        return blocks


class RecordingBuilder(msgspec.Struct, eq=False):
    """A growing recording; a reader of a host's files knows what they say. Times in milliseconds since the epoch,
    None if unknown.
    """

    name: str
    host: str
    recorded_steps: list[RecordedStep] = []
    counts: Counter[str] = msgspec.field(default_factory=Counter)
    prompts: list[str] = []
    system_prompt: str = ""
    calls: dict[str, tuple[RecordedStep, str]] = {}  # the newest reply and tool by call id
    id_counts: Counter[str] = msgspec.field(default_factory=Counter)

    def skip(self, what: str, count: int = 1) -> None:
        """Counts what is omitted, by what it is and why."""
        self.counts[what] += count

    def system(self, prompt: str) -> None:
        """A system prompt, which the host sends beside the list that ctxmgr sees."""
        self.system_prompt = self.system_prompt or prompt.strip()
        self.prompts.append(f"a system prompt of {len(prompt):,} characters, sent beside the list")

    def content(self, value: Any) -> list[Json]:
        """Any provider's content in pi's blocks; blocks without a place in pi's messages are counted."""
        return content(value, self.odd)

    def odd(self, kind: str) -> None:
        self.skip(f"blocks of kind {kind}, which pi does not have")

    def said(
        self, blocks: Sequence[Json], time_ms: int | None, id: str = "", note: str = ""
    ) -> RecordedStep | None:
        """The user's words; with `note`, which says what it is, what the host itself gave the model. None if it is
        empty.
        """
        if not blocks:
            self.skip(f"{'host' if note else 'user'} messages without text or image")
            return None
        if note:
            message = {"role": "custom", "customType": note, "content": [*blocks], "display": False}
            return self._add("custom", message, time_ms, id)
        return self._add("user", {"role": "user", "content": [*blocks]}, time_ms, id)

    def reply(
        self, blocks: Sequence[Json], time_ms: int | None, id: str = "", model: str = "", usage: Json | None = None
    ) -> RecordedStep:
        """An assistant's message; `more` may add blocks later."""
        message: Json = {"role": "assistant", "content": [], **({"usage": usage} if usage else {})}
        step = self._add("assistant", message, time_ms, id)
        step.model = model
        self.more(step, blocks)
        return step

    def more(self, step: RecordedStep, blocks: Sequence[Json], time_ms: int | None = None) -> None:
        """More blocks of a reply, the last at `time_ms`."""
        step.blocks.extend(blocks)
        step.end_ms = step.end_ms if time_ms is None else time_ms
        for block in blocks:
            if block["type"] == "toolCall":
                if block["id"] in self.calls:
                    self.skip("tool-call ids that come again, kept as they are")
                self.calls[block["id"]] = step, block["name"]

    def result(
        self,
        call_id: str,
        blocks: Sequence[Json],
        time_ms: int | None,
        is_error: bool = False,
        tool: str = "",
        id: str = "",
    ) -> RecordedStep:
        """The result of a call (rule 1)."""
        reply, name = self.calls.get(call_id, (None, ""))
        message = {
            "role": "toolResult",
            "toolCallId": call_id,
            "toolName": tool or name,
            "content": [*blocks],
            "isError": is_error,
        }
        if reply is None:
            self.skip("results without a call in the file")
        into = self.recorded_steps if reply is None else reply.results
        return self._add("toolResult", message, time_ms, id or f"{call_id}-result", into)

    def compaction(
        self, summary: str, time_ms: int | None, tokens_before: int, first_kept: str = "", id: str = ""
    ) -> None:
        """The host's own; `summary` stands for everything before `first_kept`, an entry's id ("": everything)."""
        message = {"role": "compactionSummary", "summary": summary, "tokensBefore": tokens_before}
        self._add("compactionSummary", message, time_ms, id).first_kept = first_kept

    def rolled_back(self, turns: int) -> None:
        """The host took back the last `turns` turns."""
        for _ in range(turns):
            places = [index for index, step in enumerate(self.recorded_steps) if step.role == "user"]
            gone = self.recorded_steps[places[-1] if places else 0 :]
            self.skip("messages that were taken back", sum(1 + len(step.results) for step in gone))
            del self.recorded_steps[len(self.recorded_steps) - len(gone) :]

    def recording(self, session_id: str, cwd: str = "", window: int = 0, model: str = "") -> Recording:
        """Raises NoConversation if there is no message. `model`: if no reply names one."""
        if not any(step.role != "compactionSummary" for step in self.recorded_steps):
            raise NoConversation(f"{self.name}: no messages in this recording of {self.host}")
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
            system_prompt=self.system_prompt,
            notes=(*self.prompts, *(f"{what}: {count:,}" for what, count in self.counts.items())),
        )

    def _add(
        self, role: str, message: Json, time_ms: int | None, id: str, into: list[RecordedStep] | None = None
    ) -> RecordedStep:
        """At the end of the session, or of `into`."""
        into = self.recorded_steps if into is None else into
        step = RecordedStep(role, self._unique(id or f"{self.host}-{len(into) + 1}"), time_ms, message, time_ms)
        into.append(step)
        return step

    def _unique(self, id: str) -> str:
        self.id_counts[id] += 1
        return id if self.id_counts[id] == 1 else self._unique(f"{id}#{self.id_counts[id]}")

    def _count_oddities(self, entries: Sequence[RecordedEntry]) -> None:
        calls = sum(block["type"] == "toolCall" for step in self.recorded_steps for block in step.blocks)
        answered = sum(len(step.results) for step in self.recorded_steps)
        times = [entry.time_ms for entry in entries if entry.time_ms is not None]
        back = sum(later < earlier for earlier, later in pairwise(times))
        for what, count in (("calls without a result", calls - answered), ("times that go backwards", back)):
            if count > 0:
                self.skip(what, count)


def _entry(step: RecordedStep) -> RecordedEntry:
    message = step.message
    if step.role == "compactionSummary":
        raw = compaction_message(message["summary"], message["tokensBefore"], step.time_ms or 0)
        return RecordedEntry(
            "compaction", step.id, step.time_ms, raw, step.role, message["summary"], step.first_kept
        )
    if step.role == "assistant":
        calls = any(block["type"] == "toolCall" for block in step.blocks)
        model = {"model": step.model} if step.model else {}
        message = {"role": "", "content": [], **model, "stopReason": "toolUse" if calls else "stop", **message}
    if step.time_ms is not None:
        message = {**message, "timestamp": step.time_ms}
    # a reply was written before its first result, which may have come before its last block
    times = [time for time in (step.end_ms, *(result.time_ms for result in step.results[:1])) if time is not None]
    raw = _encode(message)
    return RecordedEntry("message", step.id, min(times, default=None), raw, step.role, pruned_ms=step.pruned_ms)


def retold(kept: Sequence[tuple[str, str]], summary: str) -> str:
    """A compaction's text if the host kept messages in front of its summary: (who, text) of each, then the
    summary.
    """
    return "\n\n".join([*(f"[{who}]: {words}" for who, words in kept), summary]).strip()
