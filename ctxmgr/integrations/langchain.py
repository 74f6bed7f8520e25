"""LangChain 1.x: a middleware that changes the list of each model call.

    from ctxmgr.integrations.langchain import ContextMiddleware
    agent = create_agent(model, tools, middleware=[ContextMiddleware({"preset": "balanced"})])

The agent's state keeps the whole conversation; only the model call gets a shorter list. A conversation is
identified by its thread, or else by the id of its first message. Messages are converted to chat completions.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.config import get_config

from ctxmgr.integrations import conversations as shared
from ctxmgr.integrations.conversations import Json

_CALLS = ("tool_use", "function_call", "tool_call")  # parts that repeat what `tool_calls` says
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")


class ContextMiddleware(AgentMiddleware[Any, Any]):
    """Arguments as in `FrameworkSessions`, without the format."""

    def __init__(self, policy: Any = None, **more: Any) -> None:
        super().__init__()
        self.conversations = shared.FrameworkSessions("openai", policy, **more)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        name = _conversation(request)
        answer = handler(self._fitted(name, request))
        self._heard(name, answer)
        return answer

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        name = _conversation(request)
        answer = await handler(await asyncio.to_thread(self._fitted, name, request))
        await asyncio.to_thread(self._heard, name, answer)
        return answer

    def close(self) -> None:
        """The sidecar saves and ends."""
        self.conversations.close()

    def _fitted(self, name: str, request: ModelRequest[Any]) -> ModelRequest[Any]:
        def make() -> ModelRequest[Any]:
            given = [shared.placed(as_chat(message), index) for index, message in enumerate(request.messages)]
            sent = self.conversations.sent(name, _model(request), given)
            if sent == given:
                return request
            return request.override(messages=[_back(chat, given, request.messages) for chat in sent])

        return shared.guarded(request, make)

    def _heard(self, name: str, answer: ModelResponse[Any]) -> None:
        def make() -> None:
            message = next(message for message in answer.result if isinstance(message, AIMessage))
            usage: Any = message.usage_metadata
            held = usage.get("input_token_details") or {}
            cached = held.get("cache_read") or 0, held.get("cache_creation") or 0
            self.conversations.ended(
                name, as_chat(message), shared.used(usage["input_tokens"], usage["output_tokens"], *cached)
            )

        shared.guarded(None, make)  # without usage nothing is reported


def as_chat(message: AnyMessage) -> Json:
    """The message in the format of chat completions."""
    if isinstance(message, ToolMessage):
        return shared.result_of(message.tool_call_id, message.name or "", _content(message.content))
    if not isinstance(message, AIMessage):
        role = "system" if isinstance(message, SystemMessage) else "user"
        return {"role": role, "content": _content(message.content)}
    parts = message.content if isinstance(message.content, list) else [message.content] if message.content else []
    thoughts = [part for part in parts if isinstance(part, dict) and part.get("type") in _THOUGHTS]
    known = (*_CALLS, *_THOUGHTS)
    shown = [part for part in parts if not (isinstance(part, dict) and part.get("type") in known)]
    calls = [(call["id"] or "", call["name"], json.dumps(call["args"])) for call in message.tool_calls]
    return shared.answer_of(_content(shown) or None, thoughts, calls)


def _content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [{"type": "text", "text": part} if isinstance(part, str) else _part(part) for part in content]


def _part(part: Json) -> Json:
    if part.get("type") == "image" and isinstance(part.get("base64"), str):
        url = f"data:{part.get('mime_type') or 'image/png'};base64,{part['base64']}"
        return {"type": "image_url", "image_url": {"url": url}}
    return part


def _back(sent: Json, given: Sequence[Json], messages: Sequence[AnyMessage]) -> AnyMessage:
    index = sent.get(shared.PLACE)
    if index is None:
        return HumanMessage(sent["content"])
    before, message = given[index], messages[index]
    if sent is before or sent == before:
        return message
    if isinstance(message, AIMessage):
        return _shortened(sent, before, message)
    parts = message.content if isinstance(message.content, list) else []
    return message.model_copy(update={"content": shared.content_of(sent, before, parts)})


def _shortened(sent: Json, before: Json, message: AIMessage) -> AIMessage:
    """The message with the calls that remain and their current arguments, wherever they occur in it."""
    now, content = shared.arguments_of(sent), message.content
    calls = [{**call, "args": now[call["id"]]} for call in message.tool_calls if call["id"] in now]
    if isinstance(content, list):
        kept = {part.get(shared.PLACE) for part in sent.get("content") or () if isinstance(part, dict)}
        shown = iter(range(len(content)))
        content = [new for part in content for new in _now(part, now, kept, shown)]
    extra = {name: value for name, value in message.additional_kwargs.items() if name != "tool_calls"}
    return message.model_copy(update={"content": content, "tool_calls": calls, "additional_kwargs": extra})


def _now(part: Any, now: dict[str, Any], kept: set[Any], shown: Iterator[int]) -> list[Any]:
    kind = part.get("type") if isinstance(part, dict) else ""
    if kind in _THOUGHTS:
        return [part]
    if kind not in _CALLS:
        return [part] if next(shown) in kept else []
    id = part.get("call_id") or part.get("id")
    field = next(name for name in ("input", "arguments", "args") if name in part)
    arguments = json.dumps(now.get(id)) if isinstance(part[field], str) else now.get(id)
    return [{**part, field: arguments}] if id in now else []


def _conversation(request: ModelRequest[Any]) -> str:
    thread = shared.guarded(None, lambda: (get_config().get("configurable") or {}).get("thread_id"))
    first = request.messages[0].id if request.messages else None
    return str(thread or first or "conversation")


def _model(request: ModelRequest[Any]) -> str:
    return str(getattr(request.model, "model_name", None) or getattr(request.model, "model", "unknown"))
