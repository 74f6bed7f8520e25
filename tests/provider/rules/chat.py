"""What the chat completions API refuses of a request, the first fault that it meets.

1. There is a model and a list that is not empty, of known roles; contents are texts or parts, and only an
   assistant's with calls may lack one.
2. An assistant's calls are answered at once, each by one tool message; a tool message answers such a call.
3. Of a model whose name begins with `mistral` or `gemma` users and the assistant take turns, tool flow left out,
   and no user's message stands right behind a tool's.
"""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def refused(body: Json) -> str:
    return next(_faults(body), "")


def _faults(body: Json) -> Iterator[str]:
    messages = body.get("messages")
    if not isinstance(body.get("model"), str):
        yield "you must provide a model parameter"
    if not isinstance(messages, list):
        yield "Missing required parameter: 'messages'."
    elif not messages:
        yield "Invalid 'messages': empty array. Expected an array with minimum length 1."
    else:
        yield from _contents(messages)
        yield from _pairs(messages)
        if str(body.get("model")).startswith(("mistral", "gemma")):
            yield from _taking_turns(messages)


def _contents(messages: list[Json]) -> Iterator[str]:
    for at, one in enumerate(messages):
        if one.get("role") not in ROLES:
            yield f"Invalid value: '{one.get('role')}'. Supported values are: {', '.join(map(repr, ROLES))}."
        may_lack = one.get("role") == "assistant" and (one.get("tool_calls") or one.get("function_call"))
        if not isinstance(one.get("content"), str | list) and not (may_lack and one.get("content") is None):
            yield f"Invalid value for 'content': expected a string, got null. (messages.[{at}].content)"
        if one.get("content") == [] or one.get("tool_calls") == []:
            yield f"Invalid 'messages[{at}]': empty array. Expected an array with minimum length 1."


def _pairs(messages: list[Json]) -> Iterator[str]:
    waiting: list[str] = []
    for at, one in enumerate([*messages, {"role": ""}]):
        if one["role"] == "tool" and one.get("tool_call_id") in waiting:
            waiting.remove(one["tool_call_id"])
            continue
        if one["role"] == "tool":
            yield (
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                f"'tool_calls'. (messages.[{at}].role)"
            )
        if waiting:
            yield (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}"
            )
        waiting = [call["id"] for call in one.get("tool_calls") or []]


def _taking_turns(messages: list[Json]) -> Iterator[str]:
    speaker = "assistant"
    for before, one in zip([{}, *messages], messages, strict=False):
        role = one["role"]
        if role == "user" and before.get("role") == "tool":
            yield "Unexpected role 'user' after role 'tool'"
        if role not in ("user", "assistant") or one.get("tool_calls"):
            continue
        if role == speaker:
            yield (
                "After the optional system message, conversation roles must alternate user and assistant roles "
                "except for tool calls and results."
            )
        speaker = role
