"""Turns OpenHands' condensations, which forget any events they like, into compactions as pi knows them.

1. A pi compaction keeps the end of the list and puts one summary in front of it. The kept end is what follows the
   newest forgotten event; a result whose reply is forgotten goes with it.
2. What OpenHands keeps before that (its first messages, say) is told again in the summary's text.
3. Only the newest summary counts, as in OpenHands' own view of its events.

Source: `View.from_events` of OpenHands 0.3x to 0.5x and of the OpenHands SDK 1.
"""

from collections.abc import Set
from typing import Any

from ctxmgr.study.recordings.blocks import words
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder, retold
from ctxmgr.study.recordings.json_values import Json

_WHO = {"user": "User", "assistant": "Assistant", "toolResult": "Tool result"}


def numbered(condensation: Json) -> set[Any]:
    """The ids of the events that it forgets, where they are listed."""
    ids = condensation.get("forgotten_event_ids")
    return {id for id in ids if isinstance(id, str | int)} if isinstance(ids, list) else set()


class EventSteps:
    """Which step came of which event, and which events are forgotten."""

    def __init__(self, building: RecordingBuilder) -> None:
        self.building = building
        self.by_event: list[tuple[Any, RecordedStep]] = []
        self.forgotten: set[Any] = set()

    def add(self, id: Any, step: RecordedStep) -> None:
        self.by_event.append((id, step))

    def condense(self, forgotten: Set[Any], summary: str, at: int | None, tokens: int, id: str) -> None:
        """`tokens`: the context reported last; `id`: of the event."""
        self.forgotten |= forgotten
        start = len(self.by_event)
        while start and self.by_event[start - 1][0] not in self.forgotten:
            start -= 1
        while start < len(self.by_event) and self.by_event[start][1].role == "toolResult":
            start += 1
        gone = [step for id, step in self.by_event if id in self.forgotten]
        left = {step.id for step in gone} | {result.id for step in gone for result in step.results}
        kept = [step for _, step in self.by_event[:start] if step.id not in left]
        told = [(_WHO.get(step.role, "Host"), words(step.blocks or step.message["content"])) for step in kept]
        first_kept = self.by_event[start][1].id if start < len(self.by_event) else ""
        self.building.compaction(retold(told, summary), at, tokens, first_kept, id)
