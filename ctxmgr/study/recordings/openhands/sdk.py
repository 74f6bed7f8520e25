"""Turns the events of the OpenHands SDK 1 (a list, or one event a line) into a recording.

1. `MessageEvent` of the user is a user message, with what the SDK added to it; of the agent a reply.
2. `ActionEvent`s of one `llm_response_id` are one reply; the first has its text and thinking.
3. `ObservationEvent`, `UserRejectObservation` and `AgentErrorEvent` answer the call of their `tool_call_id`. The
   last two failed, and an observation that says so.
4. `Condensation` is a compaction. System prompts are sent beside the list; other kinds are no context.
"""

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.blocks import call, chat_reply, content, thought
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder, only
from ctxmgr.study.recordings.json_values import Json, decoded, lines, objects_of, rows, table, text
from ctxmgr.study.recordings.openhands.condensing import EventSteps, numbered
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line, or with the number of the event."""
    telling = _Telling(RecordingBuilder(name, "OpenHands SDK"))
    for where, event in _events(name, content):
        if not text(event, "kind"):
            raise UnreadableRecording(f"{name}, {where}: an event without a kind")
        telling.tell(event)
    return telling.building.recording("")


def _events(name: str, content: bytes) -> list[tuple[str, Json]]:
    """Each event with its place."""
    if content.lstrip().startswith(b"["):
        events = objects_of(decoded(content, name, 0))
        return [(f"event {place}", event) for place, event in enumerate(events, 1)]
    return [(f"line {line}", event) for line, event in lines(name, content)]


class _Telling:
    """The events, one after the other."""

    def __init__(self, building: RecordingBuilder) -> None:
        self.building, self.events = building, EventSteps(building)
        self.responses: dict[str, RecordedStep] = {}

    def tell(self, event: Json) -> None:
        kind, id = text(event, "kind"), text(event, "id")
        at = milliseconds(event.get("timestamp"))
        step: RecordedStep | None = None
        if kind == "MessageEvent":
            step = self._message(event, id, at)
        elif kind == "ActionEvent":
            step = self._action(event, id, at)
        elif kind in ("ObservationEvent", "UserRejectObservation", "AgentErrorEvent"):
            step = self._result(event, id, at)
        elif kind == "Condensation":
            self.events.condense(numbered(event), text(event, "summary"), at, 0, id)
        elif kind in ("SystemPromptEvent", "SystemPromptUpdateEvent"):
            self.building.system(text(table(event, "system_prompt"), "text"))
        else:
            self.building.skip(f"events of kind {kind}, no context")
        if step is not None:
            self.events.add(id, step)

    def _message(self, event: Json, id: str, at: int | None) -> RecordedStep | None:
        message = table(event, "llm_message")
        if text(message, "role") == "assistant":
            return self.building.reply(chat_reply(message, self.building.odd), at, id)
        blocks = content(message.get("content"), self.building.odd)
        blocks += content(event.get("extended_content"), self.building.odd)
        if text(event, "source") == "user":
            return self.building.user(blocks, at, id)
        return self.building.note("openhands.message", blocks, at, id)

    def _action(self, event: Json, id: str, at: int | None) -> RecordedStep:
        asked = table(event, "tool_call")
        function = table(asked, "function") or asked
        call_id = text(event, "tool_call_id") or text(asked, "id")
        arguments = function.get("arguments", event.get("action"))
        made = call(call_id, text(event, "tool_name") or text(function, "name"), arguments)
        response = text(event, "llm_response_id") or id
        if response in self.responses:
            self.building.more(self.responses[response], [made], at)
        else:
            thinking = chat_reply({**event, "content": event.get("thought")}, self.building.odd)
            if not rows(event, "thinking_blocks") and (words := text(event, "reasoning_content")):
                thinking = [thought(words), *(one for one in thinking if one["type"] != "thinking")]
            self.responses[response] = self.building.reply([*thinking, made], at, id)
        return self.responses[response]

    def _result(self, event: Json, id: str, at: int | None) -> RecordedStep:
        seen = table(event, "observation")
        blocks = content(seen.get("content"), self.building.odd)
        blocks = blocks or only(text(seen, "output") or text(event, "error") or text(event, "rejection_reason"))
        bad = text(event, "kind") != "ObservationEvent" or seen.get("is_error") is True
        bad = bad or seen.get("error") not in (None, False, "")
        return self.building.result(text(event, "tool_call_id"), blocks, at, bad, text(event, "tool_name"), id)
