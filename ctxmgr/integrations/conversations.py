"""Turns a framework's conversations into sessions of one client: what the integrations share.

Rules:
1. Each message that is sent bears its place in the framework's list (`PLACE`), which stays in what ctxmgr shortens:
   so the original of a changed one is known, and what has none is new (a packet).
2. No call of a model fails, and none is held up for longer than the client waits, because of what is here: on any
   fault the list goes out as it came.
3. The newest `MOST` conversations are held open; others end, and go on from their snapshots when they come again.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, TypeVar

from ctxmgr.client import Client, ClientSession, Host, InProcessSidecar, SpawnedSidecar
from ctxmgr.model import Policy
from ctxmgr.model.api import GivenTools

PLACE = "ctxmgr"  # a member that no provider is ever sent
MOST = 100
WINDOW = 200_000  # tokens, where nobody tells the model's
Given = TypeVar("Given")
Json = dict[str, Any]


class FrameworkSessions:
    """`policy`, `tools` and `sidecar` as `ctxmgr.Client` takes them; `window` of the model in tokens. A context
    manager; may be used from any thread."""

    def __init__(
        self,
        format: str,
        policy: Policy | Mapping[str, Any] | None = None,
        *,
        window: int = WINDOW,
        tools: GivenTools | None = None,
        sidecar: SpawnedSidecar | InProcessSidecar | None = None,
    ) -> None:
        host = Host(deliver=None, name="ctxmgr-integrations")  # a framework has no way to compact on request
        self.client = Client(policy, format=format, tools=tools, sidecar=sidecar, host=host)
        self.window = window
        self._open: OrderedDict[str, tuple[ClientSession, str]] = OrderedDict()
        self._lock = Lock()

    def __enter__(self) -> "FrameworkSessions":
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """The sidecar saves and ends. From then on lists go out as they come."""
        self.client.close()

    def sent(self, name: str, model: str, messages: Sequence[Json]) -> list[Json]:
        """The list to send in the place of `messages` of the conversation of this name; rule 1 is the caller's.
        Raises where the client is closed."""
        return self._session(name, model).context(messages)

    def ended(self, name: str, message: Json, usage: Mapping[str, Any] | None) -> None:
        """The model answered. `usage`: what the provider counted, in any of the words that `turn_end` takes."""
        entry = self._open.get(name)
        if entry is not None:
            entry[0].turn_end(message, usage=usage)

    def _session(self, name: str, model: str) -> ClientSession:
        with self._lock:
            session, before = self._open.pop(name, (None, model))
            spec = {"id": model, "contextWindow": self.window}
            if session is None:
                session = self.client.session(name, spec)
            elif before != model:
                session.model_select(spec)
            self._open[name] = session, model
            while len(self._open) > MOST:
                _, (oldest, _) = self._open.popitem(last=False)
                oldest.end()
            return session


def guarded(given: Given, make: Callable[[], Given]) -> Given:
    """What is made, or what was given where that fails (rule 2)."""
    try:
        return make()
    except Exception:  # noqa: BLE001  rule 2
        return given


def placed(message: Json, index: int) -> Json:
    """The message with its place, and its parts with theirs."""
    content = message.get("content")
    if isinstance(content, list):
        message = {**message, "content": [{**part, PLACE: number} for number, part in enumerate(content)]}
    return {**message, PLACE: index}


def content_of(sent: Json, given: Json, parts: Sequence[Any]) -> Any:
    """The content of a message that came back changed, in the framework's parts: those that were left alone are
    the very ones; what was put is `{"type": "text"}`."""
    content = sent.get("content")
    if not isinstance(content, list) or not isinstance(given.get("content"), list):
        return content
    before = {part[PLACE]: part for part in given["content"]}
    return [
        parts[part[PLACE]]
        if part == before.get(part.get(PLACE))
        else {"type": "text", "text": part.get("text", "")}
        for part in content
    ]


def answer_of(content: Any, thoughts: Sequence[Any], calls: Iterable[tuple[str, str, str]]) -> Json:
    """An assistant's message of chat completions; `calls`: (id, tool, arguments as JSON) each. Thoughts count as
    signed, so that nothing beside them is changed."""
    made = [
        {"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}}
        for id, tool, arguments in calls
    ]
    return {
        "role": "assistant",
        "content": content,
        **({"reasoning_details": list(thoughts)} if thoughts else {}),
        **({"tool_calls": made} if made else {}),
    }


def result_of(id: str, tool: str, content: Any) -> Json:
    return {"role": "tool", "tool_call_id": id, "name": tool, "content": content}


def arguments_of(sent: Json) -> dict[str, Any]:
    """By the ids of its calls."""
    return {call["id"]: json.loads(call["function"]["arguments"]) for call in sent.get("tool_calls") or ()}


def used(input: int, output: int, read: int, written: int) -> dict[str, int]:
    """Usage in the words of `turn_end`; `input` in tokens with those that a cache held."""
    fresh = max(0, input - read - written)
    return {
        "input": fresh,
        "output": output,
        "cacheRead": read,
        "cacheWrite": written,
        "totalTokens": input + output,
    }
