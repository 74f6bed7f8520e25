"""What is asked of an API, and what all share: the JSON of an event, the text of a content."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tests.provider.caching import MarkedCache, PrefixCache, Usage
from tests.provider.playing import Answer, Came, Request

Json = dict[str, Any]
PIECE_CHARS = 400  # of a text, in one event


@dataclass(frozen=True)
class Caches:
    marked: MarkedCache
    prefix: PrefixCache


class Api(Protocol):
    """One way of asking a model. `body` is a request's JSON; `output` is what an answer consists of."""

    def refused(self, body: Json, headers: Mapping[str, str]) -> str:
        """The sentence of a 400, "" for none."""
        ...

    def request(self, body: Json) -> Request: ...

    def results(self, body: Json) -> Iterator[Came]:
        """All tool results of the list."""
        ...

    def conversation(self, headers: Mapping[str, str]) -> str:
        """What tells a conversation from another one; "" where the program says nothing of it."""
        ...

    def use(self, body: Json, raw: bytes, caches: Caches) -> Usage: ...

    def output(self, answer: Answer, body: Json) -> list[Json]: ...

    def whole(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Json: ...

    def events(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Iterator[bytes]: ...

    def error(self, status: int, sentence: str) -> Json: ...

    def too_long(self, tokens: int, window_tokens: int) -> str: ...


def event(content: Json, name: str = "") -> bytes:
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(content)}\n\n".encode()


def pieces(text: str) -> Iterator[str]:
    for at in range(0, len(text), PIECE_CHARS):
        yield text[at : at + PIECE_CHARS]


def text_of(content: object) -> str:
    """Of a string, or of the parts of a content."""
    if isinstance(content, str):
        return content
    parts: Iterable[Json] = content if isinstance(content, list) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part)


def asks_summary(text: str) -> bool:
    """Is this the prompt of a program's own compaction?"""
    return "CONTEXT CHECKPOINT COMPACTION" in text or ("TEXT ONLY" in text and "Do NOT call any tools" in text)
