"""Turns what hosts and providers call content, tool calls and usage into pi's blocks and pi's usage.

1. Content is a string or a list of blocks. Text and images have a place in pi; other kinds are handed to `odd`,
   which counts them.
2. Arguments of a call are an object. Where a provider has them as JSON text they are decoded; text that is no
   object stands under `input`.
3. pi's `input` holds no cached tokens: Anthropic counts so, OpenAI's prompt tokens include what was read from the
   cache (and, as LiteLLM reports Anthropic, what was written to it).
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.study.recordings.json_values import Json, number, objects_of, rows, table, text

Odd = Callable[[str], None]

_decode = msgspec.json.Decoder().decode
_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})


def text_block(words: str) -> Json:
    return {"type": "text", "text": words}


def only(words: str) -> list[Json]:
    """One text block; none for an empty text."""
    return [text_block(words)] if words else []


def thought(words: str, signature: str = "", redacted: bool = False) -> Json:
    block: Json = {"type": "thinking", "thinking": words}
    if signature:
        block["thinkingSignature"] = signature
    return {**block, "redacted": True} if redacted else block


def call(id: str, name: str, arguments: Any) -> Json:
    return {"type": "toolCall", "id": id, "name": name, "arguments": given(arguments)}


def given(arguments: Any) -> Json:
    """The arguments of a call as an object (rule 2)."""
    if isinstance(arguments, str):
        try:
            value = _decode(arguments)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            value = None
        arguments = value if isinstance(value, dict) else {"input": arguments} if arguments else {}
    return arguments if isinstance(arguments, dict) else {}


def content(value: Any, odd: Odd) -> list[Json]:
    """Text and images of any provider's content, in pi's blocks; empty texts are none (rule 1)."""
    if isinstance(value, str):
        return only(value)
    out = []
    for block in objects_of(value):
        kind = text(block, "type")
        if kind in _TEXTS:
            out += only(text(block, "text"))
        elif shown := image(block):
            out += shown
        else:
            odd(kind or "unnamed")
    return out


def image(block: Json) -> list[Json]:
    """pi's image from Anthropic's, OpenAI's or the OpenHands SDK's; none where the block is no image or only an
    address."""
    source = table(block, "source")
    if text(block, "type") == "image" and text(source, "data"):
        return [{"type": "image", "data": text(source, "data"), "mimeType": text(source, "media_type")}]
    address = table(block, "image_url").get("url") or block.get("image_url")
    many = block.get("image_urls")
    addresses = many if isinstance(many, list) else [address]
    return [shown for value in addresses if isinstance(value, str) for shown in from_address(value)]


def from_address(address: str) -> list[Json]:
    """The image that a `data:` address holds."""
    kind, _, rest = address.removeprefix("data:").partition(";base64,")
    if not address.startswith("data:image/") or not rest:
        return []
    return [{"type": "image", "data": rest, "mimeType": kind}]


def words(value: Any) -> str:
    """The texts alone, a line each."""
    return "\n".join(text(block, "text") for block in content(value, lambda kind: None) if "text" in block)


def chat_calls(message: Json) -> list[Json]:
    """The tool calls of an OpenAI chat message."""
    functions = [(row, table(row, "function") or row) for row in rows(message, "tool_calls")]
    return [call(text(row, "id"), text(of, "name"), of.get("arguments")) for row, of in functions]


def chat_reply(message: Json, odd: Odd) -> list[Json]:
    """Thinking, text and calls of an assistant's chat message."""
    out = list(map(thinking, rows(message, "thinking_blocks")))
    if not out and (reasoning := text(message, "reasoning_content")):
        out = [thought(reasoning)]
    return [*out, *content(message.get("content"), odd), *chat_calls(message)]


def thinking(block: Json) -> Json:
    """From Anthropic's."""
    if text(block, "type") == "redacted_thinking":
        return thought("", text(block, "data"), redacted=True)
    return thought(text(block, "thinking"), text(block, "signature"))


def anthropic_usage(usage: Json) -> Json | None:
    """From Anthropic's; None where it counts nothing."""
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return exclusive_usage(*(number(usage, name) for name in names))


def openai_usage(usage: Json) -> Json | None:
    """From OpenAI's, of either API; None where it counts nothing (rule 3)."""
    details = table(usage, "prompt_tokens_details") or table(usage, "input_tokens_details")
    read = number(usage, "cached_input_tokens", "cache_read_input_tokens") or number(details, "cached_tokens")
    written = number(usage, "cache_creation_input_tokens")
    prompt = number(usage, "prompt_tokens", "input_tokens")
    output = number(usage, "completion_tokens", "output_tokens")
    return exclusive_usage(max(0, prompt - read - written), output, read, written)


def exclusive_usage(input: int, output: int, read: int, written: int, total: int = 0) -> Json | None:
    """From counts that hold no token twice; None where they count nothing."""
    total = total or input + output + read + written
    counts = {"input": input, "output": output, "cacheRead": read, "cacheWrite": written, "totalTokens": total}
    return counts if total else None
