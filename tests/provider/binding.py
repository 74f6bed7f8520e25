"""Thinking that is bound to all that stood before it when it was made: Anthropic's "preserved thinking", of models
since Claude Fable 5.1 and Opus 5.5 (platform.claude.com).

1. Each block is remembered by its signature, with a digest of the system prompt, the tools and the messages that it
   was made behind. Cache marks are no part of that, and a lone text is the same as a string and as a block.
2. Behind anything else it is refused, unless the request asks for such blocks to be dropped, by a member and a beta
   name.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from tests.provider.rules.anthropic import blocks_of

Json = dict[str, Any]
BETA = "thinking-binding-controls-2026-08-01"


class Binding:
    """Of one provider."""

    def __init__(self) -> None:
        self._made: dict[str, str] = {}

    def made(self, body: Json, output: list[Json]) -> None:
        """An answer to this request."""
        for block in output:
            if block["type"] == "thinking":
                self._made[block["signature"]] = _behind(body, len(body["messages"]))

    def refused(self, body: Json, headers: Mapping[str, str]) -> str:
        """The sentence of the refusal, "" for none."""
        asks = (body.get("thinking") or {}).get("block_binding", {}).get("prefix_mismatch_behavior")
        if asks == "drop_block" and BETA in headers.get("anthropic-beta", ""):
            return ""
        for at, message in enumerate(body["messages"]):
            for number, block in enumerate(blocks_of(message)):
                if block["type"] == "thinking" and self._made.get(block["signature"]) != _behind(body, at):
                    return (
                        f"messages.{at}.content.{number}: Invalid `signature` in `thinking` block. The block is "
                        "bound to a different conversation. Remove the block, or set "
                        '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
                    )
        return ""


def _behind(body: Json, end: int) -> str:
    """Rule 1: a digest of what stands before this message."""
    before = [[message["role"], blocks_of(message)] for message in body["messages"][:end]]
    return sha256(json.dumps(_bare([body.get("system"), body.get("tools"), before])).encode()).hexdigest()


def _bare(value: Any) -> Any:
    if isinstance(value, list):
        return [_bare(one) for one in value]
    if isinstance(value, dict):
        return {name: _bare(one) for name, one in value.items() if name != "cache_control"}
    return value
