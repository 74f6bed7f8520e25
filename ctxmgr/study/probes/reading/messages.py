"""What probes read of a message (pi's format): who, the text, the calls, the result.

The lines of a message are what is searched: each text by its lines; a call as one line with its tool and its short
arguments, then each long argument by its lines. Of a program the string literals come again, resolved; of a list of
records each is one line.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import msgspec

from ctxmgr.study.probes.reading.calls import CODE, Did, did
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
            parts += _lines(call.arguments, call.name)
            for name, value in call.arguments.items():
                if name in CODE and isinstance(value, str):
                    parts += (line for text in literals(value) for line in text.split("\n"))
        return tuple(part for part in parts if part.strip())


def read_message(raw: bytes) -> SessionMessage:
    fields = _decode(raw)
    content = fields.get("content")
    content = content if isinstance(content, list) else [{"type": "text", "text": content}]
    blocks = [block for block in content if isinstance(block, dict)]
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    texts += [fields[name] for name in ("summary", "command", "output") if isinstance(fields.get(name), str)]
    text = "\n".join(texts)
    if '"output":"' in text:  # a result that is a record of JSON: its lines are lines
        text = text.replace("\\n", "\n").replace('"output":"', '"output":"\n')
    return SessionMessage(
        role=str(fields.get("role", "")),
        text=text,
        thinking="\n".join(block["thinking"] for block in blocks if isinstance(block.get("thinking"), str)),
        calls=tuple(_call(block) for block in blocks if block.get("type") == "toolCall"),
        call_id=str(fields.get("toolCallId", "")),
        failed=bool(fields.get("isError")),
    )


def _call(block: dict[str, Any]) -> SessionCall:
    given = block.get("arguments")
    arguments = given if isinstance(given, dict) else {}
    name = str(block.get("name", ""))
    return SessionCall(str(block.get("id", "")), name, arguments, did(name, arguments))


def _lines(value: Any, head: str = "") -> Iterator[str]:
    """A record's short values are one line, behind `head`; all else comes by its lines."""
    if isinstance(value, dict):
        short = {name: " ".join(str(part).split()) for name, part in value.items() if _is_short(part)}
        yield " ".join([head, *(f"{name} {part}" for name, part in short.items())])
        for name, part in value.items():
            if name not in short or "\n" in str(part):
                yield from _lines(part)
    elif isinstance(value, list):
        for part in value:
            yield from _lines(part)
    else:
        yield from str(value).split("\n")


def _is_short(value: Any) -> bool:
    return not isinstance(value, list | dict) and len(str(value)) <= SHORT_CHARACTERS
