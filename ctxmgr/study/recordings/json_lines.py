"""Turns the bytes of a recording into its JSON objects. Real files hold two objects on a line, or one over many
lines, and end without a newline; a line is not an object."""

import json
from collections.abc import Iterator

import msgspec

from ctxmgr.study.recordings.recording import UnreadableRecording
from ctxmgr.wire import surrogates

_scan = json.JSONDecoder().raw_decode
_whole = msgspec.json.Decoder(msgspec.Raw).decode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
SHOWN_CHARACTERS = 60


def objects(content: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    """(line, JSON) of each value, one after the other. Raises UnreadableRecording, with the line."""
    if _spread(content):
        try:
            yield 1, bytes(_whole(content))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            _check_utf8(content, name, 1)
            yield from _pieces(content, name, 1)  # several of them, or it is broken: then the true line is said
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        _check_utf8(line, name, number)
        try:
            whole = bytes(_whole(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            yield from _pieces(line, name, number)
        else:
            yield number, whole


def members(piece: bytes, name: str, line: int) -> dict[str, msgspec.Raw]:
    """The members of one object, raw. An unpaired surrogate is mended, as ctxmgr does with it.

    Raises UnreadableRecording where it is no object.
    """
    try:
        return _members(piece)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        mended = surrogates.mend(piece)
        if mended is None:
            raise UnreadableRecording(f"{name}, line {line}: no JSON object ({fault})") from None
    return _members(mended[0])


def _spread(content: bytes) -> bool:
    """Whether it begins with an object over several lines: its first line holds nothing but the brace."""
    first, more, _ = content.lstrip().partition(b"\n")
    return bool(more) and first.rstrip() == b"{"


def _check_utf8(text: bytes, name: str, number: int) -> None:
    """What is not looked at is not checked by the JSON decoder. `number`: of the first line."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = number + text.count(b"\n", 0, fault.start)
        at = fault.start - text.rfind(b"\n", 0, fault.start) - 1
        raise UnreadableRecording(f"{name}, line {line}: not UTF-8 from byte {at} on") from None


def _pieces(content: bytes, name: str, number: int) -> Iterator[tuple[int, bytes]]:
    """The values of what is not one value, with the line of each; `number`: of the first line."""
    text = content.decode("utf-8")
    at = seen = 0
    try:
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            number, seen = number + text.count("\n", seen, at), at
            _, end = _scan(text, at)
            yield number, text[at:end].encode("utf-8")
            at = end
    except (ValueError, RecursionError) as fault:
        where = getattr(fault, "pos", at)
        number += text.count("\n", seen, min(where, len(text.rstrip())))
        shown = text[where : where + SHOWN_CHARACTERS].partition("\n")[0]
        column = where - text.rfind("\n", 0, where)
        if not shown.strip():
            raise UnreadableRecording(f"{name}, line {number}: it ends within a value") from None
        raise UnreadableRecording(f"{name}, line {number}: no JSON from character {column} on", shown) from None
