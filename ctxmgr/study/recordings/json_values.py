"""The JSON values in a recording's bytes, and the members of a value by the type that they should have.

Real files hold two objects on a line, or one over many lines, and end without a newline; a line is not an object.
Files of pi are kept byte for byte (`members`); of other hosts the plain values are read (`lines`, `decoded`) and
their messages written anew. A member that is missing or of another type is the empty value of the type that was
asked for. Knows no host.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

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
    value: dict[str, msgspec.Raw] = decoded(piece, name, line, _members, "JSON object")
    return value


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


def decoded(
    piece: bytes, name: str, line: int = 0, decode: Callable[[bytes], Any] = _decode, what: str = "JSON"
) -> Any:
    """One value; an unpaired surrogate is mended. `line` 0: the piece is the file, the line is counted in it.
    Raises UnreadableRecording, with the line, where it is not `what`."""
    try:
        return decode(piece)
    except UNREADABLE as fault:
        mended = surrogates.mend(piece)
        if mended is not None:
            return decoded(mended[0], name, line, decode, what)
        byte = str(fault).rpartition("(byte ")[2].removesuffix(")")  # not named by each fault: then the last line
        end = int(byte) if byte.isdigit() else len(piece.rstrip())
        where = line or piece.count(b"\n", 0, end) + 1
        raise UnreadableRecording(f"{name}, line {where}: no {what} ({fault})") from None


def table(fields: Json, name: str) -> Json:
    return value if isinstance(value := fields.get(name), dict) else {}


def rows(fields: Json, name: str) -> list[Json]:
    """The objects in a list; what else is in it is left out."""
    return objects_of(fields.get(name))


def objects_of(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(fields: Json, name: str) -> str:
    return value if isinstance(value := fields.get(name), str) else ""


def number(fields: Json, *names: str) -> int:
    """The first of these members that is a count above zero; 0 where none is."""
    return next((int(value) for value in map(fields.get, names) if _is_count(value, 2**53)), 0)


def seconds(value: Any) -> int | None:
    """Seconds since the epoch, as milliseconds."""
    return round(value * MILLISECONDS) if _is_count(value, 2**53 / MILLISECONDS) else None


def _is_count(value: Any, limit: float) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < limit
