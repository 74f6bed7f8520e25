"""Turns the bytes of another host's file into plain JSON values, and asks of a value what it should be.

Recordings of other hosts are read for what they say, not byte for byte: their messages are written anew in pi's
shape. Knows no host. A member that is missing or of another type is the empty value of the type that was asked for.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ctxmgr.study.recordings.json_lines import objects
from ctxmgr.study.recordings.recording import UnreadableRecording
from ctxmgr.wire import surrogates

Json = dict[str, Any]

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
MILLISECONDS = 1000  # in a second: hosts in Python count in seconds

_decode = msgspec.json.Decoder().decode
_BYTE = re.compile(r"\(byte (\d+)\)")


def lines(name: str, content: bytes) -> Iterator[tuple[int, Json]]:
    """(line, object) of each. Raises UnreadableRecording, with the line."""
    for line, piece in objects(content, name):
        value = decoded(piece, name, line)
        if not isinstance(value, dict):
            raise UnreadableRecording(f"{name}, line {line}: no JSON object")
        yield line, value


def whole(name: str, content: bytes) -> Any:
    """The one value that the file is. Raises UnreadableRecording, with the line."""
    return decoded(content, name, 0)


def decoded(piece: bytes, name: str, line: int) -> Any:
    """One value; an unpaired surrogate is mended. `line` 0: the piece is the file, the line is counted in it."""
    try:
        return _decode(piece)
    except UNREADABLE as fault:
        mended = surrogates.mend(piece)
        if mended is not None:
            return decoded(mended[0], name, line)
        where = line or _line(piece, str(fault))
        raise UnreadableRecording(f"{name}, line {where}: no JSON ({fault})") from None


def _line(content: bytes, fault: str) -> int:
    """The line of a fault by the byte that its text names; the last one where it names none."""
    found = _BYTE.search(fault)
    return content.count(b"\n", 0, int(found[1]) if found else len(content.rstrip())) + 1


def table(fields: Json, name: str) -> Json:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def rows(fields: Json, name: str) -> list[Json]:
    """The objects in a list; what else is in it is left out."""
    return objects_of(fields.get(name))


def objects_of(value: Any) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text(fields: Json, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def number(fields: Json, *names: str) -> int:
    """The first of these members that is a count above zero; 0 where none is."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 2**53:
            return int(value)
    return 0


def seconds(value: Any) -> int | None:
    """Seconds since the epoch, as milliseconds."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 2**53 / MILLISECONDS
    return round(value * MILLISECONDS) if good else None


def joined(texts: Sequence[str]) -> str:
    return "\n\n".join(one for one in texts if one.strip())
