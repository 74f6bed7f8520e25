"""Turns the bytes of a message (pi's format) into what probes read of it: who, the text, the calls, the result.

The lines of a message are what is searched: each text by its lines; a call as one line with its tool and its short
arguments, then each long argument by its lines. Of a program the string literals come again, resolved; of a list of
records each is one line.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import msgspec

from ctxmgr.study.probes.reading.calls import PROGRAMS, Did, did
from ctxmgr.study.probes.reading.patches import literals

SHORT_CHARACTERS = 400  # of an argument that stands on the line of its call

_decode = msgspec.json.Decoder().decode


class SessionCall(msgspec.Struct, frozen=True):
    id: str
    name: str
    arguments: dict[str, Any]
    did: Did


class SessionMessage(msgspec.Struct, frozen=True, dict=True):
    """One message. `text` without thinking; `call_id` of a result; `failed`: as the host flagged it."""

    role: str
    text: str
    thinking: str = ""
    calls: tuple[SessionCall, ...] = ()
    call_id: str = ""
    failed: bool = False

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """All that a model reads of it."""
        parts = [*self.text.split("\n"), *self.thinking.split("\n")]
        for call in self.calls:
            parts += _call_lines(call)
        return tuple(part for part in parts if part.strip())


def turn(raw: bytes) -> SessionMessage:
    message = _decode(raw)
    role = str(message.get("role", ""))
    blocks = message.get("content")
    blocks = blocks if isinstance(blocks, list) else [{"type": "text", "text": blocks}]
    texts = [one["text"] for one in blocks if isinstance(one, dict) and isinstance(one.get("text"), str)]
    texts += [message[name] for name in ("summary", "command", "output") if isinstance(message.get(name), str)]
    text = "\n".join(texts)
    if '"output":"' in text:  # a result that is a record of JSON: its lines are lines
        text = text.replace("\\n", "\n").replace('"output":"', '"output":"\n')
    return SessionMessage(
        role=role,
        text=text,
        thinking="\n".join(
            one["thinking"] for one in blocks if isinstance(one, dict) and isinstance(one.get("thinking"), str)
        ),
        calls=tuple(_call(one) for one in blocks if isinstance(one, dict) and one.get("type") == "toolCall"),
        call_id=str(message.get("toolCallId", "")),
        failed=bool(message.get("isError")),
    )


def _call(block: dict[str, Any]) -> SessionCall:
    given = block.get("arguments")
    arguments = given if isinstance(given, dict) else {}
    name = str(block.get("name", ""))
    return SessionCall(str(block.get("id", "")), name, arguments, did(name, arguments))


def _call_lines(call: SessionCall) -> Iterator[str]:
    head = [call.name]
    rest: list[str] = []
    for name, value in call.arguments.items():
        if isinstance(value, list | dict):
            rest += _records(value)
        elif isinstance(value, str) and ("\n" in value or len(value) > SHORT_CHARACTERS):
            rest += value.split("\n")
        else:
            head.append(f"{name} {value}")
        if name in PROGRAMS and isinstance(value, str):
            rest += (line for text in literals(value) for line in text.split("\n"))
    yield " ".join(head)
    yield from rest


def _records(value: Any) -> Iterator[str]:
    """A record's plain values are one line, and a text of several lines comes again by its lines."""
    if isinstance(value, dict):
        flat = {name: str(part) for name, part in value.items() if not isinstance(part, list | dict)}
        if flat:
            yield " ".join(f"{name} {' '.join(part.split())}" for name, part in flat.items())
        for part in flat.values():
            if "\n" in part:
                yield from part.split("\n")
        for part in value.values():
            if isinstance(part, list | dict):
                yield from _records(part)
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, list | dict):
                yield from _records(part)
            else:
                yield from str(part).split("\n")
