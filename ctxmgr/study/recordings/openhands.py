"""The recordings of OpenHands in their three shapes: events before its SDK, events of the SDK 1, model calls.

Events before the SDK (a list of actions and observations, or an evaluation's output with such a `history`):
1. An action that a model requested carries the whole response it came from; actions of one response are one reply,
   with the response's text, calls and usage. An action without one (older versions) is a reply with its own call:
   the action's name and arguments.
2. An observation answers the call that its `tool_call_metadata` names, or its `cause`. One that answers none was
   inserted by the host: a note.
3. A result failed if its exit code says so (-1: the command still runs), if the observation is an error, or if the
   editor's text begins with its error mark.
4. State changes and recalls are not context.

Events of the SDK 1 (a list, or one event per line):
5. `MessageEvent` of the user is a user message, with what the SDK added to it; of the agent a reply. `ActionEvent`s
   of one `llm_response_id` are one reply; the first has its text and thinking.
6. `ObservationEvent`, `UserRejectObservation` and `AgentErrorEvent` answer the call of their `tool_call_id`. The
   last two failed, and so did an observation that says so.

Model calls (one line per call: `new_messages`, `n_messages`, `usage`):
7. A call's list is its common part with the previous list, followed by its new messages. A list that continues from
   an earlier place is another attempt, or a rewritten history: the last list is the session, the rest is another
   branch.
8. A call's usage and time belong to its reply: the first assistant's message among the next call's new ones, or the
   call's own `assistant`. The time of a result is not recorded.
9. A result failed if its text says so: the exit code that the shell tool writes at the end, the editor's mark.

A condensation forgets any events; a pi compaction keeps the end of the list with one summary in front:
10. The kept end is what follows the newest forgotten event; a result whose reply is forgotten goes with it. What
    OpenHands keeps before that (its first messages, say) is repeated in the summary's text. Only the newest summary
    counts. Source: `View.from_events` of OpenHands 0.3x to 0.5x and of the OpenHands SDK 1.
"""

import re
from typing import Any

import msgspec

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder, retold
from ctxmgr.study.recordings.json_values import (
    Json,
    call,
    chat_reply,
    counted_usage,
    decoded,
    image,
    lines,
    objects_of,
    only,
    rows,
    seconds,
    table,
    text,
    text_block,
    words,
)
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording

EDITOR_ERROR = "ERROR:\n"  # how the editor's own failures begin
STILL_RUNNING = -1  # the exit code of a command that has not ended
_NO_CONTEXT = frozenset({"recall", "change_agent_state", "agent_state_changed", "null", "condensation_request"})
_BESIDE_ARGUMENTS = ("thought", "hidden", "blocking", "is_input", "confirmation_state", "security_risk")
_SPEAKERS = {"user": "User", "assistant": "Assistant", "toolResult": "Tool result"}
_EXIT = re.compile(r"\[(?:The command|Command)[^\]\n]* (?:with )?exit code:? (-?\d{1,9})[^\]\n]*\]\s*$")


class _EventHistory(RecordingBuilder):
    """A recording built from events: which step came from which event, and which events are forgotten."""

    responses: dict[str, RecordedStep] = {}  # the reply of each response of the model
    event_steps: list[tuple[Any, RecordedStep]] = []
    forgotten: set[Any] = set()

    def add_step(self, event_id: Any, step: RecordedStep | None) -> None:
        """The step of an event; None if it has none."""
        if step is not None:
            self.event_steps.append((event_id, step))

    def condense(self, condensation: Json, time_ms: int | None, tokens: int, id: str) -> None:
        """Rule 10. `tokens`: the last reported context. `id`: of the event."""
        ids = condensation.get("forgotten_event_ids")
        self.forgotten.update(id for id in (ids if isinstance(ids, list) else ()) if isinstance(id, str | int))
        steps = self.event_steps
        start = max(
            (place for place, (event_id, _) in enumerate(steps, 1) if event_id in self.forgotten), default=0
        )
        later = range(start, len(steps))
        start = next((place for place in later if steps[place][1].role != "toolResult"), len(steps))
        gone = [step for event_id, step in steps if event_id in self.forgotten]
        left = {step.id for step in gone} | {result.id for step in gone for result in step.results}
        kept = [step for _, step in steps[:start] if step.id not in left]
        spoken = [(_SPEAKERS.get(step.role, "Host"), words(step.blocks)) for step in kept]
        first_kept = steps[start][1].id if start < len(steps) else ""
        self.compaction(retold(spoken, text(condensation, "summary")), time_ms, tokens, first_kept, id)


# events before the SDK


def read_events(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line, or with the number of the event."""
    if content.lstrip().startswith(b"["):
        document: Json = {"history": decoded(content, name)}
    else:
        (_, document), *more = lines(name, content)
        if more:
            raise UnreadableRecording(f"{name}, line {more[0][0]}: a second run; a recording is one session")
    history = _Events(name, "OpenHands")
    for number, event in enumerate(rows(document, "history"), 1):
        if not isinstance(event.get("action", event.get("observation")), str):
            raise UnreadableRecording(f"{name}, event {number}: neither an action nor an observation")
        history.read(event)
    model = text(table(table(document, "metadata"), "llm_config"), "model")
    return history.recording(text(document, "instance_id"), model=model)


class _Events(_EventHistory):
    call_ids: dict[int, str] = {}  # of each action's event
    tokens: int = 0

    def read(self, event: Json) -> None:
        read = self._action if "action" in event else self._observation
        self.add_step(
            _number(event, "id"), read(event, milliseconds(event.get("timestamp")), f"event-{event.get('id')}")
        )

    def _action(self, event: Json, time_ms: int | None, id: str) -> RecordedStep | None:
        kind, arguments, is_user = text(event, "action"), table(event, "args"), text(event, "source") == "user"
        spoken = text(arguments, "content")
        match kind:
            case "system":
                self.system(spoken)
            case _ if kind in _NO_CONTEXT:
                self.skip(f"{kind} actions, no context")
            case "condensation":
                start = arguments.get("forgotten_events_start_id")
                end = arguments.get("forgotten_events_end_id")
                if isinstance(start, int) and isinstance(end, int):
                    self.forgotten.update(number for number, _ in self.event_steps if start <= number <= end)
                self.condense(arguments, time_ms, self.tokens, id)
            case "message" if is_user:
                return self.said([*only(spoken), *image(arguments)], time_ms, id)
            case _ if is_user:
                command = f"{kind}: {text(arguments, 'command') or spoken}"
                return self.said([text_block(command)], time_ms, id, "openhands.user_action")
            case _ if response := table(table(event, "tool_call_metadata"), "model_response"):
                return self._responded(event, response, time_ms, id)
            case "message":
                return self.reply(only(spoken), time_ms, id)
            case _:
                call_id = self.call_ids[_number(event, "id")] = f"call-{event.get('id')}"
                blocks = [*only(text(arguments, "thought")), call(call_id, kind, _arguments(arguments))]
                return self.reply(blocks, time_ms, id)
        return None

    def _responded(self, event: Json, response: Json, time_ms: int | None, id: str) -> RecordedStep:
        """An action from a model's response, the first or a later one of it (rule 1)."""
        asked = table(event, "tool_call_metadata")
        response_id = text(response, "id") or id
        if response_id not in self.responses:
            message = next((table(choice, "message") for choice in rows(response, "choices")), {})
            blocks = chat_reply(message, self.odd) or only(text(table(event, "args"), "thought"))
            usage = counted_usage(table(response, "usage"))
            self.tokens = usage["totalTokens"] if usage else self.tokens
            self.responses[response_id] = self.reply(blocks, time_ms, id, text(response, "model"), usage)
        reply = self.responses[response_id]
        call_id = self.call_ids[_number(event, "id")] = text(asked, "tool_call_id")
        if call_id not in (block.get("id") for block in reply.blocks if block["type"] == "toolCall"):
            arguments = _arguments(table(event, "args"))
            self.more(reply, [call(call_id, text(asked, "function_name"), arguments)], time_ms)
        return reply

    def _observation(self, event: Json, time_ms: int | None, id: str) -> RecordedStep | None:
        kind = text(event, "observation")
        if kind in _NO_CONTEXT and kind != "recall":
            self.skip(f"{kind} observations, no context")
            return None
        asked, extras = table(event, "tool_call_metadata"), table(event, "extras")
        call_id = text(asked, "tool_call_id") or self.call_ids.get(_number(event, "cause"), "")
        output, around = text(event, "content"), table(extras, "metadata")
        blocks = only(text(around, "prefix") + output + text(around, "suffix"))  # two remarks of the host
        if not call_id:
            return self.said(blocks, time_ms, id, f"openhands.{kind}")
        code = around.get("exit_code", extras.get("exit_code"))
        is_bad_code = isinstance(code, int) and code not in (0, STILL_RUNNING)
        failed = is_bad_code or kind == "error" or output.startswith(EDITOR_ERROR)
        return self.result(call_id, blocks, time_ms, failed, id=id)


def _number(event: Json, name: str) -> int:
    """An event's number; -1 if there is none."""
    value = event.get(name)
    return value if isinstance(value, int) else -1


def _arguments(arguments: Json) -> Json:
    """The arguments of the tool, without OpenHands' own fields and empty values."""
    return {
        name: value
        for name, value in arguments.items()
        if name not in _BESIDE_ARGUMENTS and value not in (None, "")
    }


# events of the SDK


def read_sdk(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line, or with the number of the event."""
    where = "event" if content.lstrip().startswith(b"[") else "line"
    events = lines(name, content) if where == "line" else enumerate(objects_of(decoded(content, name)), 1)
    history = _SdkEvents(name, "OpenHands SDK")
    for number, event in list(events):
        if not text(event, "kind"):
            raise UnreadableRecording(f"{name}, {where} {number}: an event without a kind")
        history.read(event)
    return history.recording("")


class _SdkEvents(_EventHistory):
    def read(self, event: Json) -> None:
        kind, id = text(event, "kind"), text(event, "id")
        time_ms = milliseconds(event.get("timestamp"))
        match kind:
            case "MessageEvent":
                self.add_step(id, self._message(event, id, time_ms))
            case "ActionEvent":
                self.add_step(id, self._action(event, id, time_ms))
            case "ObservationEvent" | "UserRejectObservation" | "AgentErrorEvent":
                self.add_step(id, self._result(event, id, time_ms))
            case "Condensation":
                self.condense(event, time_ms, 0, id)
            case "SystemPromptEvent" | "SystemPromptUpdateEvent":
                self.system(text(table(event, "system_prompt"), "text"))
            case _:
                self.skip(f"events of kind {kind}, no context")

    def _message(self, event: Json, id: str, time_ms: int | None) -> RecordedStep | None:
        message = table(event, "llm_message")
        if text(message, "role") == "assistant":
            return self.reply(chat_reply(message, self.odd), time_ms, id)
        blocks = self.content(message.get("content")) + self.content(event.get("extended_content"))
        note = "" if text(event, "source") == "user" else "openhands.message"
        return self.said(blocks, time_ms, id, note)

    def _action(self, event: Json, id: str, time_ms: int | None) -> RecordedStep:
        asked = table(event, "tool_call")
        function = table(asked, "function") or asked
        call_id = text(event, "tool_call_id") or text(asked, "id")
        arguments = function.get("arguments", event.get("action"))
        made = call(call_id, text(event, "tool_name") or text(function, "name"), arguments)
        response = text(event, "llm_response_id") or id
        if response in self.responses:
            self.more(self.responses[response], [made], time_ms)
        else:
            spoken = chat_reply({**event, "content": event.get("thought")}, self.odd)
            self.responses[response] = self.reply([*spoken, made], time_ms, id)
        return self.responses[response]

    def _result(self, event: Json, id: str, time_ms: int | None) -> RecordedStep:
        seen = table(event, "observation")
        blocks = self.content(seen.get("content"))
        blocks = blocks or only(text(seen, "output") or text(event, "error") or text(event, "rejection_reason"))
        bad = text(event, "kind") != "ObservationEvent" or seen.get("is_error") is True
        bad = bad or seen.get("error") not in (None, False, "")
        return self.result(text(event, "tool_call_id"), blocks, time_ms, bad, text(event, "tool_name"), id)


# model calls


class CompletionMessage(msgspec.Struct, eq=False):
    """One message of a list; for a reply the line of its call."""

    message: Json
    call: Json = {}

    @property
    def role(self) -> str:
        return text(self.message, "role")


def read_completions(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line."""
    reader = _Completions(name, "OpenHands completions")
    header: Json = {}
    for line, fields in lines(name, content):
        if fields.get("header"):
            header = fields
        elif isinstance(fields.get("new_messages"), list):
            reader.read(fields)
        else:
            raise UnreadableRecording(f"{name}, line {line}: a call without new_messages")
    if final := table(reader.last_call, "assistant"):
        reader.messages.append(CompletionMessage({"role": "assistant", **final}, reader.last_call))
    for message in reader.messages:
        reader.tell(message)
    # other names are a router's choice, not the host's: no change of the model
    models = [model for message in reader.messages if (model := text(message.call, "model"))]
    if others := sum(model != models[0] for model in models):
        reader.skip(f"replies by a model that its router calls something else than {models[0]}", others)
    return reader.recording(text(header, "instance"), model=models[0] if models else "")


class _Completions(RecordingBuilder):
    messages: list[CompletionMessage] = []  # of the last call's list
    last_call: Json = {}

    def read(self, call: Json) -> None:
        """Rules 7 and 8."""
        new = [CompletionMessage(message) for message in rows(call, "new_messages")]
        reply = next((message for message in new if message.role == "assistant"), None)
        total, count = call.get("n_messages"), len(self.messages)
        kept = min(max(total - len(new), 0), count) if isinstance(total, int) else count
        if kept < count:
            gone = sum(message.role != "system" for message in self.messages[kept:])
            self.skip("messages of an earlier attempt, or that were written anew", gone)
        elif reply is not None:
            reply.call = self.last_call
        self.messages, self.last_call = self.messages[:kept] + new, call

    def tell(self, completion: CompletionMessage) -> None:
        message = completion.message
        spoken = message.get("content")
        match completion.role:
            case "system":
                self.system(words(spoken))
            case "assistant":
                usage, time_ms = table(completion.call, "usage"), seconds(completion.call.get("timestamp"))
                self.reply(chat_reply(message, self.odd), time_ms, usage=counted_usage(usage))
            case "tool":
                blocks = self.content(spoken)
                output = words(blocks)
                code = _EXIT.search(output[-400:])
                bad_code = code is not None and int(code[1]) not in (0, STILL_RUNNING)
                failed = output.startswith(EDITOR_ERROR) or bad_code
                self.result(text(message, "tool_call_id"), blocks, None, failed, text(message, "name"))
            case _:
                self.said(self.content(spoken), None)
