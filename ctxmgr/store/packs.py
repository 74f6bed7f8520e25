"""Turns parts of a snapshot, and rows of the archive, into objects and back. Pure: no IO.

An object is compressed (a snapshot is JSON: a fourth of it is left). What is read is checked by the digest in its
name before anything is made of it.
"""

import zlib
from collections.abc import Sequence

import msgspec

from ctxmgr.model import ArchiveRow
from ctxmgr.store.head import digest, digest_of
from ctxmgr.store.objects import StoreFault

LEVEL = 6
_Rows = list[tuple[str, str, bytes, bytes]]
_encode = msgspec.msgpack.Encoder().encode
_rows = msgspec.msgpack.Decoder(_Rows).decode


class Damaged(StoreFault):
    """An object is not what its name says."""


class _Line(msgspec.Struct):
    seq: int | None = None
    state: "_State | None" = None


class _State(msgspec.Struct):
    seq: int = 0


def lines_pack(content: bytes) -> bytes:
    return zlib.compress(content, LEVEL)


def rows_pack(rows: Sequence[ArchiveRow]) -> bytes:
    """A text may hold half of a surrogate pair: it goes as bytes."""
    flat = [(row.handle, row.key, _utf8(row.call_text), _utf8(row.text)) for row in rows]
    return zlib.compress(_encode(flat), LEVEL)


def lines_of(name: str, content: bytes) -> bytes:
    """Damaged."""
    return _unpacked(name, content)


def rows_of(name: str, content: bytes) -> list[ArchiveRow]:
    """Damaged."""
    try:
        flat = _rows(_unpacked(name, content))
    except msgspec.MsgspecError:
        raise Damaged("an object of the store is not what its name says") from None
    return [ArchiveRow(handle, key, _text(call), _text(text)) for handle, key, call, text in flat]


def seq_of(content: bytes) -> int:
    """The newest event's number in lines of a snapshot; 0 where none says one."""
    for line in reversed(content.split(b"\n")):
        try:
            record = msgspec.json.decode(line[9:], type=_Line)  # after the checksum and a space
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        if record.seq is not None:
            return record.seq
        if record.state is not None:
            return record.state.seq
    return 0


def _unpacked(name: str, content: bytes) -> bytes:
    if digest(content) != digest_of(name):
        raise Damaged("an object of the store is not what its name says")
    try:
        return zlib.decompress(content)
    except zlib.error:
        raise Damaged("an object of the store can not be read") from None


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")
