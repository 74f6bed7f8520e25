"""What the Responses API refuses of a request, the first fault that it meets.

1. There is a model and an input that is not empty; no earlier answer is stored here. Items are of known types,
   their ids used once.
2. Each call has an output after it, each output a call before it; an id is asked with and answered once.
3. Reasoning is followed by an item of the same answer, or by nothing, where that answer was cut; and a call that
   came with reasoning is sent back with it.
4. What was encrypted comes back as it was sent.
"""

import re
from collections.abc import Iterator
from typing import Any

from tests.provider.seals import opened

Json = dict[str, Any]
CALLS = ("function_call", "custom_tool_call", "tool_search_call", "local_shell_call")
OUTPUTS = tuple(f"{kind}_output" for kind in CALLS)
SEALED = ("reasoning", "compaction")
BESIDE = ("additional_tools", "compaction_trigger", "web_search_call", "item_reference")
TYPES = ("message", *CALLS, *OUTPUTS, *SEALED, *BESIDE)
_CAME_WITH = re.compile(r"_(p\d+s\d+\w*)n\d+$")  # an item's id names the answer it came in


def refused(body: Json) -> str:
    return next(_faults(body), "")


def items_of(body: Json) -> list[Json]:
    given = body.get("input")
    return [{"type": "message", "role": "user", "content": given}] if isinstance(given, str) else list(given or [])


def kind_of(item: Json) -> str:
    return str(item.get("type", "message"))


def _faults(body: Json) -> Iterator[str]:
    if not isinstance(body.get("model"), str):
        yield "Missing required parameter: 'model'."
    if body.get("previous_response_id"):
        yield f"Previous response with id '{body['previous_response_id']}' not found."
    items = items_of(body)
    if not items:
        yield "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided."
    yield from _shapes(items)
    yield from _pairs(items)
    yield from _reasoning(items)


def _shapes(items: list[Json]) -> Iterator[str]:
    used: set[str] = set()
    for at, one in enumerate(items):
        if kind_of(one) not in TYPES:
            yield f"Invalid value: '{one.get('type')}'. Supported values are: {', '.join(map(repr, TYPES))}."
        if kind_of(one) == "message" and one.get("role") not in ("user", "assistant", "system", "developer"):
            yield f"Invalid value: '{one.get('role')}'. (input[{at}].role)"
        if kind_of(one) == "message" and not one.get("content"):
            yield f"Missing required parameter: 'input[{at}].content'."
        if one.get("id") and one["id"] in used:
            yield f"Duplicate item found with id {one['id']}. Remove duplicate items from your input and try again."
        used.add(str(one.get("id") or ""))
        if kind_of(one) in SEALED and one.get("encrypted_content") and opened(one["encrypted_content"]) is None:
            yield "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted."


def _pairs(items: list[Json]) -> Iterator[str]:
    asked: set[str] = set()
    answered: set[str] = set()
    for one in items:
        id = str(one.get("call_id"))
        if kind_of(one) in OUTPUTS:
            if id not in asked or id in answered:
                yield f"No tool call found for function call output with call_id {id}."
            answered.add(id)
        elif kind_of(one) in CALLS:
            if id in asked:
                yield f"Duplicate call_id found: {id}."
            asked.add(id)
    for id in sorted(asked - answered):
        yield f"No tool output found for function call {id}."


def _reasoning(items: list[Json]) -> Iterator[str]:
    there = {str(one.get("id")) for one in items if kind_of(one) == "reasoning"}
    for at, one in enumerate(items):
        if kind_of(one) == "reasoning":
            after = items[at + 1] if at + 1 < len(items) else {"role": "assistant"}
            if not (kind_of(after) in (*CALLS, "reasoning") or after.get("role") == "assistant"):
                yield (
                    f"Item '{one.get('id')}' of type 'reasoning' was provided without its required following item."
                )
        came_with = _CAME_WITH.search(str(one.get("id"))) if kind_of(one) in CALLS else None
        if came_with and f"rs_{came_with[1]}" not in there:
            yield (
                f"Item '{one['id']}' of type '{one['type']}' was provided without its required 'reasoning' item: "
                f"'rs_{came_with[1]}'."
            )
