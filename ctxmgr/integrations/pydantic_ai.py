"""pydantic-ai: a capability that changes the list of each model request.

    from ctxmgr.integrations.pydantic_ai import ContextCapability
    agent = Agent(model, capabilities=[ContextCapability({"preset": "balanced"})])

The history keeps the whole conversation; only the request gets a shorter list. A conversation is identified by its
`conversation_id`. Each part of a request becomes a message of chat completions, and each response becomes one
message.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from pydantic_ai import ModelMessage, ModelRequest, ModelResponse, RunContext
from pydantic_ai import messages as own
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models import ModelRequestContext

from ctxmgr.integrations import conversations as shared
from ctxmgr.integrations.conversations import Json
from ctxmgr.model import Policy

Position = tuple[int, int]  # index of a message, index of a part in it (-1: a whole response)


class ContextCapability(AbstractCapability[Any]):
    """Arguments as in `FrameworkSessions`, without the format."""

    def __init__(self, policy: Policy | Mapping[str, Any] | None = None, **more: Any) -> None:
        self.conversations = shared.FrameworkSessions("openai", policy, **more)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        def make() -> ModelRequestContext:
            messages = request_context.messages
            positions = list(_positions(messages))
            chats = (_chat_message(messages, position) for position in positions)
            given = [shared.placed(chat, index) for index, chat in enumerate(chats)]
            sent = self.conversations.sent(_name(ctx), request_context.model.model_name, given)
            if sent == given:
                return request_context
            return replace(request_context, messages=_back(sent, given, positions, messages))

        return await asyncio.to_thread(shared.guarded, request_context, make)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        def make() -> None:
            of = response.usage
            usage = shared.used(of.input_tokens, of.output_tokens, of.cache_read_tokens, of.cache_write_tokens)
            self.conversations.ended(_name(ctx), _response(response), usage)

        if response.usage.input_tokens:
            await asyncio.to_thread(shared.guarded, None, make)
        return response

    def close(self) -> None:
        """The sidecar saves and ends."""
        self.conversations.close()


def _name(ctx: RunContext[Any]) -> str:
    return str(ctx.conversation_id or ctx.run_id)


def _positions(messages: Sequence[ModelMessage]) -> Iterable[Position]:
    for index, message in enumerate(messages):
        if isinstance(message, ModelResponse) or not message.parts:
            yield index, -1
        else:
            yield from ((index, number) for number in range(len(message.parts)))


def _chat_message(messages: Sequence[ModelMessage], position: Position) -> Json:
    message, number = messages[position[0]], position[1]
    if isinstance(message, ModelResponse):
        return _response(message)
    part = message.parts[number] if number >= 0 else None
    if isinstance(part, own.UserPromptPart):
        content = part.content
        return {"role": "user", "content": content if isinstance(content, str) else list(map(_shown, content))}
    if isinstance(part, own.ToolReturnPart):
        return shared.result_of(part.tool_call_id, part.tool_name, part.model_response_str())
    if isinstance(part, own.RetryPromptPart) and part.tool_name is not None:
        return shared.result_of(part.tool_call_id, part.tool_name, f"Error: {part.model_response()}")
    text = part.content if isinstance(part, own.SystemPromptPart) else repr(part)
    return {"role": "system", "content": text}  # parts of unknown kinds stay, as prompts do


def _shown(content: Any) -> Json:
    if isinstance(content, str):
        return {"type": "text", "text": content}
    if isinstance(content, own.BinaryContent) and content.is_image:
        return {"type": "image_url", "image_url": {"url": content.data_uri}}
    if isinstance(content, own.ImageUrl):
        return {"type": "image_url", "image_url": {"url": content.url}}
    return {"type": "other", "text": repr(content)[:200]}


def _response(message: ModelResponse) -> Json:
    text = "".join(part.content for part in message.parts if isinstance(part, own.TextPart))
    thoughts = [{"text": part.content} for part in message.parts if isinstance(part, own.ThinkingPart)]
    made = (part for part in message.parts if isinstance(part, own.ToolCallPart))
    calls = [(part.tool_call_id, part.tool_name, part.args_as_json_str()) for part in made]
    return shared.answer_of(text or None, thoughts, calls)


def _back(
    sent: Sequence[Json], given: Sequence[Json], positions: Sequence[Position], messages: Sequence[ModelMessage]
) -> list[ModelMessage]:
    """Converts messages back. Parts that were in one message and are still adjacent are merged again."""
    out: list[ModelMessage] = []
    where = ((positions[chat[shared.PLACE]][0] if shared.PLACE in chat else -1, chat) for chat in sent)
    for index, group in groupby(where, key=lambda pair: pair[0]):
        several = [chat for _, chat in group]
        if index < 0:
            out += [ModelRequest(parts=[own.UserPromptPart(chat["content"])]) for chat in several]
            continue
        message, before = messages[index], [given[chat[shared.PLACE]] for chat in several]
        if several == before and (isinstance(message, ModelResponse) or len(several) == max(1, len(message.parts))):
            out.append(message)
        elif isinstance(message, ModelResponse):
            out.append(_shortened(message, several[0]))
        else:
            numbers = [positions[chat[shared.PLACE]][1] for chat in several]
            parts = [
                _part(message.parts[number], *pair) for number, *pair in zip(numbers, several, before, strict=True)
            ]
            out.append(replace(message, parts=parts))
    return out


def _part(part: Any, sent: Json, given: Json) -> Any:
    if sent == given:
        return part
    content = shared.content_of(sent, given, part.content if isinstance(part.content, list) else [])
    if isinstance(content, list):
        content = [item["text"] if isinstance(item, dict) else item for item in content]
    return replace(part, content=content)


def _shortened(message: ModelResponse, sent: Json) -> ModelResponse:
    now = shared.arguments_of(sent)
    parts = [
        replace(part, args=now[part.tool_call_id]) if isinstance(part, own.ToolCallPart) else part
        for part in message.parts
        if not isinstance(part, own.ToolCallPart) or part.tool_call_id in now
    ]
    return replace(message, parts=parts)
