"""Turns a framework's conversations into sessions of one client. All integrations use it.

Rules:
1. Each message sent to ctxmgr carries its index in the framework's list (`PLACE`), and keeps it when ctxmgr
   shortens the message. So the original of a changed message is known, and a message without one is new (a packet).
2. Nothing here makes a model call fail, or delays it longer than the client waits: after any fault the original
   list is sent.
3. The newest `MOST` conversations stay open. Others are closed, and continue from their snapshots when they return.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, TypeVar

from ctxmgr.client import Client, ClientSession, Host, InProcessSidecar, SpawnedSidecar
from ctxmgr.model import Policy
from ctxmgr.model.api import GivenTools

PLACE = "ctxmgr"  # a member that is never sent to a provider
MOST = 100
WINDOW = 200_000  # tokens, if the model's window is unknown
Given = TypeVar("Given")
Json = dict[str, Any]


class FrameworkSessions:
    """`policy`, `tools` and `sidecar` as in `ctxmgr.Client`. `window`: of the model, in tokens. A context manager.
    Thread-safe.
    """

    def __init__(
        self,
        format: str,
        policy: Policy | Mapping[str, Any] | None = None,
        *,
        window: int = WINDOW,
        tools: GivenTools | None = None,
        sidecar: SpawnedSidecar | InProcessSidecar | None = None,
    ) -> None:
        host = Host(deliver=None, name="ctxmgr-integrations")  # a framework cannot compact on request
        self.client = Client(policy, format=format, tools=tools, sidecar=sidecar, host=host)
        self.window = window
        self._open: OrderedDict[str, tuple[ClientSession, str]] = OrderedDict()
        self._lock = Lock()

    def __enter__(self) -> "FrameworkSessions":
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the client; the sidecar saves and ends. Lists are sent unchanged from then on."""
        self.client.close()

    def sent(self, name: str, model: str, messages: Sequence[Json]) -> list[Json]:
        """The list to send instead of the `messages` of the conversation `name`. The caller applies rule 1. Raises
        if the client is closed.
        """
        return self._session(name, model).context(messages)

    def ended(self, name: str, message: Json, usage: Mapping[str, Any] | None) -> None:
        """Records the model's answer. `usage`: the provider's, with any of the names that `turn_end` takes."""
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
    """The result of `make`, or `given` if it raises (rule 2)."""
    try:
        return make()
    except Exception:  # noqa: BLE001  rule 2
        return given


def placed(message: Json, index: int) -> Json:
    """The message with its index, and its parts with theirs (rule 1)."""
    content = message.get("content")
    if isinstance(content, list):
        message = {**message, "content": [{**part, PLACE: number} for number, part in enumerate(content)]}
    return {**message, PLACE: index}


def content_of(sent: Json, given: Json, parts: Sequence[Any]) -> Any:
    """The content of a changed message, in the framework's parts: unchanged parts are the original objects, new
    ones are `{"type": "text"}`.
    """
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
    """An assistant message of chat completions. `calls`: (id, tool, arguments as JSON) each. Thoughts count as
    signed, so that nothing beside them is changed.
    """
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
    """Arguments of the message's calls, by call id."""
    return {call["id"]: json.loads(call["function"]["arguments"]) for call in sent.get("tool_calls") or ()}


def used(input: int, output: int, read: int, written: int) -> dict[str, int]:
    """Usage with the names of `turn_end`. `input`: tokens including those read from a cache."""
    fresh = max(0, input - read - written)
    return {
        "input": fresh,
        "output": output,
        "cacheRead": read,
        "cacheWrite": written,
        "totalTokens": input + output,
    }
