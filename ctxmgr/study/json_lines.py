"""Turns the bytes of a recording into its JSON objects. Real files hold two objects on a line, or one over many
lines, and end without a newline; a line is not an object."""

import json
from collections.abc import Iterator

import msgspec

from ctxmgr.study.recordings import Unreadable
from ctxmgr.wire.surrogates import mend

_scan = json.JSONDecoder().raw_decode
_whole = msgspec.json.Decoder(msgspec.Raw).decode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
SHOWN_CHARACTERS = 60


def objects(content: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    """(line, JSON) of each value, one after the other. Raises Unreadable, with the line."""
    if (only := _only(content)) is not None:
        yield 1, only
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        _check_utf8(line, name, number)
        try:
            whole = bytes(_whole(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            yield from ((number, piece) for piece in _pieces(line, name, number))
        else:
            yield number, whole


def members(piece: bytes, name: str, line: int) -> dict[str, msgspec.Raw]:
    """The members of one object, raw. An unpaired surrogate is mended, as ctxmgr does with it.

    Raises Unreadable where it is no object.
    """
    try:
        return _members(piece)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        mended = mend(piece)
        if mended is None:
            raise Unreadable(f"{name}, line {line}: no JSON object ({fault})") from None
    return _members(mended[0])


def _only(content: bytes) -> bytes | None:
    """The content, where it is one value over several lines."""
    if b"\n" not in content.strip() or not content.lstrip().startswith(b"{\n"):
        return None
    try:
        return bytes(_whole(content))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _check_utf8(line: bytes, name: str, number: int) -> None:
    """What is not looked at is not checked by the JSON decoder."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise Unreadable(f"{name}, line {number}: not UTF-8 from byte {fault.start} on") from None


def _pieces(line: bytes, name: str, number: int) -> Iterator[bytes]:
    """The values of a line that is not one value."""
    text = line.decode("utf-8")
    at = 0
    try:
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            _, end = _scan(text, at)
            yield text[at:end].encode("utf-8")
            at = end
    except (ValueError, RecursionError) as fault:
        where = getattr(fault, "pos", 0)
        shown = text[where : where + SHOWN_CHARACTERS]
        raise Unreadable(f"{name}, line {number}: no JSON from character {where + 1} on: {shown!r}") from None
