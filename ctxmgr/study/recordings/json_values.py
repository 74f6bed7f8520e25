"""The JSON values in a recording's bytes, and the members of a value by the type that they should have.

Real files hold two objects on a line, or one over many lines, and end without a newline; a line is not an object.
Files of pi are kept byte for byte (`members`); of other hosts the plain values are read (`lines`, `whole`) and
their messages written anew. A member that is missing or of another type is the empty value of the type that was
asked for. Knows no host.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ctxmgr.study.recordings.recording import UnreadableRecording
from ctxmgr.wire import surrogates

Json = dict[str, Any]

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
MILLISECONDS = 1000  # in a second: hosts in Python count in seconds
SHOWN_CHARACTERS = 60  # of what is no JSON, in an error

_decode = msgspec.json.Decoder().decode
_scan = json.JSONDecoder().raw_decode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_BYTE = re.compile(r"\(byte (\d+)\)")


def objects(content: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    """(line, JSON) of each value, one after the other. Raises UnreadableRecording, with the line."""
    first, more, _ = content.lstrip().partition(b"\n")
    if more and first.rstrip() == b"{":  # an object over several lines
        yield from _values(content, name, 1)
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        yield from _values(line, name, number)


def members(piece: bytes, name: str, line: int) -> dict[str, msgspec.Raw]:
    """The members of one object, raw. An unpaired surrogate is mended, as ctxmgr does with it.

    Raises UnreadableRecording where it is no object.
    """
    try:
        return _members(piece)
    except UNREADABLE as fault:
        mended = surrogates.mend(piece)
        if mended is None:
            raise UnreadableRecording(f"{name}, line {line}: no JSON object ({fault})") from None
    return _members(mended[0])


def _values(content: bytes, name: str, number: int) -> Iterator[tuple[int, bytes]]:
    """The values in a text, with the line of each; `number`: of the first line."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = number + content.count(b"\n", 0, fault.start)
        byte = fault.start - content.rfind(b"\n", 0, fault.start) - 1
        raise UnreadableRecording(f"{name}, line {line}: not UTF-8 from byte {byte} on") from None
    index = 0
    try:
        while (start := len(text) - len(text[index:].lstrip())) < len(text):
            number += text.count("\n", index, start)
            _, end = _scan(text, start)
            yield number, text[start:end].encode("utf-8")
            number, index = number + text.count("\n", start, end), end
    except (ValueError, RecursionError) as fault:
        where = getattr(fault, "pos", start)
        number += text.count("\n", start, min(where, len(text.rstrip())))
        shown = text[where : where + SHOWN_CHARACTERS].partition("\n")[0]
        if not shown.strip():
            raise UnreadableRecording(f"{name}, line {number}: it ends within a value") from None
        column = where - text.rfind("\n", 0, where)
        raise UnreadableRecording(f"{name}, line {number}: no JSON from character {column} on", shown) from None


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
    match = _BYTE.search(fault)
    return content.count(b"\n", 0, int(match[1]) if match else len(content.rstrip())) + 1


def table(fields: Json, name: str) -> Json:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def rows(fields: Json, name: str) -> list[Json]:
    """The objects in a list; what else is in it is left out."""
    return objects_of(fields.get(name))


def objects_of(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


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
    return "\n\n".join(text for text in texts if text.strip())
