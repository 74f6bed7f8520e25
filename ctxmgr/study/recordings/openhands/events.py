"""Turns the events of OpenHands before its SDK (a list of actions and observations, or an evaluation's output with
such a `history`) into a recording.

1. An action that a model asked for carries the whole response it came of; actions of one response are one reply,
   with the response's text, calls and usage.
2. An agent's action without such a response (older versions) is a reply with a call of its own: the action's name
   and arguments.
3. An observation answers the call that its `tool_call_metadata` names, or its `cause`. One that answers none was
   put before the model by the host: a note.
4. A result failed where its exit code says so (-1: the command still runs), where the observation is an error, or
   where the editor's text begins with its own mark of one.
5. State changes and recalls are no context; the system prompt is sent beside the list.
"""

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.blocks import call, chat_reply, image, openai_usage, text_block
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder, only
from ctxmgr.study.recordings.json_values import Json, lines, rows, table, text, whole
from ctxmgr.study.recordings.openhands.condensing import EventSteps, numbered
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording

EDITOR_ERROR = "ERROR:\n"  # how the editor's own failures begin
STILL_RUNNING = -1  # the exit code of a command that has not ended
_NO_CONTEXT = frozenset({"recall", "change_agent_state", "agent_state_changed", "null", "condensation_request"})
_BESIDE_ARGUMENTS = ("thought", "hidden", "blocking", "is_input", "confirmation_state", "security_risk")


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line, or with the number of the event."""
    document = _document(name, content)
    telling = _Telling(RecordingBuilder(name, "OpenHands"))
    for place, event in enumerate(rows(document, "history"), 1):
        if not isinstance(event.get("action", event.get("observation")), str):
            raise UnreadableRecording(f"{name}, event {place}: neither an action nor an observation")
        telling.tell(event)
    model = text(table(table(document, "metadata"), "llm_config"), "model")
    return telling.building.recording(text(document, "instance_id"), model=model)


def _document(name: str, content: bytes) -> Json:
    """The run with its `history`; a bare list is one. Several runs are no session."""
    if content.lstrip().startswith(b"["):
        return {"history": whole(name, content)}
    runs = list(lines(name, content))
    if len(runs) > 1:
        raise UnreadableRecording(f"{name}, line {runs[1][0]}: a second run; a recording is one session")
    return runs[0][1]


class _Telling:
    """The events, one after the other."""

    def __init__(self, building: RecordingBuilder) -> None:
        self.building, self.events = building, EventSteps(building)
        self.responses: dict[str, RecordedStep] = {}
        self.call_ids: dict[int, str] = {}  # of each action's event
        self.tokens = 0

    def tell(self, event: Json) -> None:
        at = milliseconds(event.get("timestamp"))
        if "action" in event:
            self._action(event, text(event, "action"), at)
        else:
            self._observation(event, text(event, "observation"), at)

    def _action(self, event: Json, kind: str, at: int | None) -> None:
        arguments, source = table(event, "args"), text(event, "source")
        words = text(arguments, "content")
        if kind == "system":
            self.building.system(words)
        elif kind in _NO_CONTEXT:
            self.building.skip(f"{kind} actions, no context")
        elif kind == "condensation":
            self._condensation(event, arguments, at)
        elif kind == "message" and source == "user":
            shown = image(arguments)
            self._placed(event, self.building.user([*only(words), *shown], at, self._id(event)))
        elif source == "user":
            command = f"{kind}: {text(arguments, 'command') or words}"
            step = self.building.note("openhands.user_action", [text_block(command)], at, self._id(event))
            self._placed(event, step)
        elif response := table(table(event, "tool_call_metadata"), "model_response"):
            self._responded(event, response, at)
        else:
            self._acted(event, kind, words, at)

    def _placed(self, event: Json, step: RecordedStep | None) -> None:
        """Remembers which step the event gave."""
        if step is not None:
            self.events.add(_number(event, "id"), step)

    def _responded(self, event: Json, response: Json, at: int | None) -> None:
        """An action that came of a model's response, the first or a later one of it (rule 1)."""
        asked = table(event, "tool_call_metadata")
        id = text(response, "id") or self._id(event)
        if id not in self.responses:
            choices = rows(response, "choices")
            message = table(choices[0], "message") if choices else {}
            blocks = chat_reply(message, self.building.odd) or only(text(table(event, "args"), "thought"))
            reply = self.building.reply(blocks, at, self._id(event), text(response, "model"))
            if usage := openai_usage(table(response, "usage")):
                reply.message["usage"] = usage
                self.tokens = usage["totalTokens"]
            self.responses[id] = reply
        reply = self.responses[id]
        call_id = self.call_ids[_number(event, "id")] = text(asked, "tool_call_id")
        if call_id not in (block.get("id") for block in reply.blocks if block["type"] == "toolCall"):
            arguments = _arguments(table(event, "args"))
            self.building.more(reply, [call(call_id, text(asked, "function_name"), arguments)], at)
        self._placed(event, reply)

    def _acted(self, event: Json, kind: str, words: str, at: int | None) -> None:
        """An agent's action of which no response is kept (rule 2)."""
        arguments = table(event, "args")
        if kind == "message":
            self._placed(event, self.building.reply(only(words), at, self._id(event)))
            return
        call_id = self.call_ids[_number(event, "id")] = f"call-{event.get('id')}"
        blocks = [*only(text(arguments, "thought")), call(call_id, kind, _arguments(arguments))]
        self._placed(event, self.building.reply(blocks, at, self._id(event)))

    def _observation(self, event: Json, kind: str, at: int | None) -> None:
        if kind in _NO_CONTEXT and kind != "recall":
            self.building.skip(f"{kind} observations, no context")
            return
        asked = table(event, "tool_call_metadata")
        cause = _number(event, "cause")
        call_id = text(asked, "tool_call_id") or (self.call_ids.get(cause, "") if cause >= 0 else "")
        blocks = only(_seen(event))
        if call_id:
            step = self.building.result(call_id, blocks, at, failed(event), id=self._id(event))
            self._placed(event, step)
        else:
            self._placed(event, self.building.note(f"openhands.{kind}", blocks, at, self._id(event)))

    def _condensation(self, event: Json, arguments: Json, at: int | None) -> None:
        forgotten = numbered(arguments)
        start, end = arguments.get("forgotten_events_start_id"), arguments.get("forgotten_events_end_id")
        if isinstance(start, int) and isinstance(end, int):
            known = {id for id, _ in self.events.by_event}
            forgotten |= {id for id in known if isinstance(id, int) and start <= id <= end}
        self.events.condense(forgotten, text(arguments, "summary"), at, self.tokens, self._id(event))

    def _id(self, event: Json) -> str:
        return f"event-{event.get('id')}"


def _number(event: Json, name: str) -> int:
    """An event's number; -1 where there is none."""
    value = event.get(name)
    return value if isinstance(value, int) else -1


def _seen(observation: Json) -> str:
    """What the model saw of an observation: a command's output stands between two remarks of the host."""
    around = table(table(observation, "extras"), "metadata")
    return text(around, "prefix") + text(observation, "content") + text(around, "suffix")


def failed(observation: Json) -> bool:
    """Rule 4."""
    extras = table(observation, "extras")
    code = table(extras, "metadata").get("exit_code", extras.get("exit_code"))
    if isinstance(code, int) and code not in (0, STILL_RUNNING):
        return True
    return text(observation, "observation") == "error" or text(observation, "content").startswith(EDITOR_ERROR)


def _arguments(arguments: Json) -> Json:
    """What the tool was asked for, without OpenHands' own fields and what was left empty."""
    return {
        name: value
        for name, value in arguments.items()
        if name not in _BESIDE_ARGUMENTS and value not in (None, "")
    }
