"""What the Messages API refuses of a request, the first fault that it meets.

1. There is a model, a number of tokens to write, and a list; roles are `user` and `assistant`, and `system` where a
   beta lets it stand in the list; the first is a user's, the last no assistant's.
   A `system` one follows a user's, or an answer that waits for a tool of the provider's, and precedes an answer or
   the end.
2. No message but a `system` one is empty, and no text; nor is one white space. Blocks have the members that
   `BLOCKS` names, and no other.
3. Consecutive messages of one role are one turn. Each call is answered once, in the turn right after it, before all
   else in that turn; and each result answers such a call. Ids are used once.
4. There are four cache marks at most, none on thinking.
5. Thinking comes back as it was sent, with its signature. Where thinking is on, the last answer with calls begins
   with it.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from tests.provider.seals import opened

Json = dict[str, Any]
MARKS = 4
SYSTEM_BETAS = ("per-turn-control", "mid-conversation-tool-changes")
BLOCKS: dict[Any, tuple[set[str], set[str]]] = {  # what each must have, and what it may
    "text": ({"text"}, {"citations", "cache_control"}),
    "image": ({"source"}, {"cache_control"}),
    "document": ({"source"}, {"title", "context", "citations", "cache_control"}),
    "thinking": ({"thinking", "signature"}, set()),
    "redacted_thinking": ({"data"}, set()),
    "tool_use": ({"id", "name", "input"}, {"caller", "cache_control"}),
    "tool_result": ({"tool_use_id"}, {"content", "is_error", "cache_control"}),
    "tool_reference": ({"tool_name"}, {"cache_control"}),
}
THINKING = ("thinking", "redacted_thinking")


def refused(body: Json, betas: str = "") -> str:
    """The sentence of the refusal, "" for none. `betas` is the header that asks for them."""
    return next((fault for rule in RULES for fault in rule(body, betas)), "")


def blocks_of(message: Json) -> list[Json]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])


def _fields(body: Json, betas: str) -> Iterator[str]:
    if not isinstance(body.get("model"), str):
        yield "model: Field required"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: Field required"
    if not isinstance(body.get("messages"), list):
        yield "messages: Field required"
    elif not body["messages"]:
        yield "messages: at least one message is required"


def _roles(body: Json, betas: str) -> Iterator[str]:
    roles = [one.get("role") for one in body["messages"]]
    known = (
        ("user", "assistant", "system") if any(name in betas for name in SYSTEM_BETAS) else ("user", "assistant")
    )
    for at, role in enumerate(roles):
        if role not in known:
            yield f"messages.{at}.role: Input should be 'user' or 'assistant'"
    for at, (before, role, after) in enumerate(zip(["", *roles], roles, [*roles[1:], "assistant"], strict=False)):
        waits = before == "assistant" and blocks_of(body["messages"][at - 1])[-1].get("type") == "server_tool_use"
        if role == "system" and not ((before == "user" or waits) and after == "assistant"):
            yield f"messages.{at}: `system` must follow a user turn, and precede an assistant turn or the end"
    if roles[0] != "user":
        yield 'messages: first message must use the "user" role'
    if [role for role in roles if role != "system"][-1] == "assistant":
        yield (
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )


def _contents(body: Json, betas: str) -> Iterator[str]:
    if isinstance(body.get("system"), list):
        yield from _texts("system", body["system"])
    for at, message in enumerate(body["messages"]):
        where = f"messages.{at}"
        if (
            extra := message.keys()
            - {"role", "content"}
            - ({"output_config"} if message["role"] == "system" else set())
        ):
            yield f"{where}.{min(extra)}: Extra inputs are not permitted"
        if not isinstance(message.get("content"), str | list):
            yield f"{where}.content: Input should be a valid list"
            continue
        if not message["content"] and message["role"] != "system":
            yield (
                f"{where}: all messages must have non-empty content except for the optional final assistant message"
            )
        yield from _blocks(where, blocks_of(message))


def _blocks(where: str, blocks: list[Json]) -> Iterator[str]:
    for at, block in enumerate(blocks):
        kind = block.get("type")
        if kind not in BLOCKS:
            found = f"Input tag '{kind}' found using 'type'"
            yield f"{where}.content.{at}: {found} does not match any of the expected tags"
            continue
        must, may = BLOCKS[kind]
        if missing := must - block.keys():
            yield f"{where}.content.{at}.{kind}.{min(missing)}: Field required"
        if extra := block.keys() - must - may - {"type"}:
            yield f"{where}.content.{at}.{kind}.{min(extra)}: Extra inputs are not permitted"
        if kind == "tool_result" and isinstance(block.get("content"), list):
            yield from _blocks(f"{where}.content.{at}.tool_result", block["content"])
    yield from _texts(where, blocks)


def _texts(where: str, blocks: list[Json]) -> Iterator[str]:
    for block in blocks:
        if block.get("type") == "text" and not block.get("text"):
            yield f"{where}: text content blocks must be non-empty"
        elif block.get("type") == "text" and not block["text"].strip():
            yield f"{where}: text content blocks must contain non-whitespace text"


def _turns(body: Json) -> Iterator[tuple[str, list[tuple[int, Json]]]]:
    """Role, and blocks with the number of their message."""
    for role, run in groupby(enumerate(body["messages"]), lambda one: str(one[1]["role"])):
        yield role, [(at, block) for at, message in run for block in blocks_of(message)]


def _pairs(body: Json, betas: str) -> Iterator[str]:
    asked: dict[str, int] = {}
    used: set[str] = set()
    for role, blocks in _turns(body):
        first = next((at for at, block in enumerate(blocks) if block[1]["type"] != "tool_result"), len(blocks))
        answered = [block["tool_use_id"] for _, block in blocks[:first]]
        if missing := [id for id in asked if id not in answered]:
            yield (
                f"messages.{asked[missing[0]]}: `tool_use` ids were found without `tool_result` blocks immediately "
                f"after: {', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block "
                "in the next message."
            )
        for number, (at, block) in enumerate(blocks):
            if block["type"] == "tool_result" and block["tool_use_id"] not in asked:
                yield (
                    f"messages.{at}.content.{number}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block "
                    "in the previous message."
                )
        if twice := [id for id in answered if answered.count(id) > 1]:
            yield (
                f"each tool_use must have a single result. Found multiple `tool_result` blocks with id: {twice[0]}"
            )
        calls = [(at, block["id"]) for at, block in blocks if block["type"] == "tool_use"]
        for at, id in calls:
            if id in used or role != "assistant":
                yield f"messages.{at}: `tool_use` ids must be unique"
            used.add(id)
        asked = {id: at for at, id in calls}


def _marks(body: Json, betas: str) -> Iterator[str]:
    every = [*body.get("tools", []), *_system(body), *_every_block(body)]
    marked = [block for block in every if block.get("cache_control")]
    if len(marked) > MARKS:
        yield f"A maximum of {MARKS} blocks with cache_control may be provided. Found {len(marked)}."


def _system(body: Json) -> list[Json]:
    system = body.get("system", [])
    return [{"type": "text", "text": system}] if isinstance(system, str) else list(system)


def _every_block(body: Json) -> Iterator[Json]:
    for message in body["messages"]:
        for block in blocks_of(message):
            yield block
            if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
                yield from block["content"]


def _thinking(body: Json, betas: str) -> Iterator[str]:
    for at, message in enumerate(body["messages"]):
        for number, block in enumerate(blocks_of(message)):
            if block["type"] == "thinking" and opened(block.get("signature"), block.get("thinking", "")) is None:
                yield f"messages.{at}.content.{number}: Invalid `signature` in `thinking` block"
    if body.get("thinking", {}).get("type", "disabled") == "disabled":
        return
    answers = [blocks for role, blocks in _turns(body) if role == "assistant"]
    with_calls = [blocks for blocks in answers if any(block["type"] == "tool_use" for _, block in blocks)]
    if with_calls and with_calls[-1] is answers[-1] and answers[-1][0][1]["type"] not in THINKING:
        at, block = answers[-1][0]
        yield (
            f"messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
            f"`{block['type']}`. When `thinking` is enabled, a final `assistant` message must start with a "
            "thinking block"
        )


RULES: tuple[Callable[[Json, str], Iterator[str]], ...] = (_fields, _roles, _contents, _pairs, _marks, _thinking)
