"""Reads the kind, pixels and bytes of a picture or a document from its data in a message.

The size in pixels is read from the header of a PNG, GIF, WebP or JPEG file, and only the first bytes are decoded. A
picture that cannot be read has no size.
"""

import base64
import binascii
from typing import Any

from ctxmgr.model import Media

PAGE_CHARACTERS = 100_000
"""Characters of base64 that count as one page: a page of a PDF takes 50 to 100 kB."""

HEADER_CHARACTERS = 4_096  # of base64
MOST_HEADER_CHARACTERS = 1 << 20  # a JPEG may have a preview and a profile before its size
_DATA = ("data", "image_url", "url", "source", "result", "file_id")
_SIZED = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # JPEG's frame headers


def image(data: str) -> Media:
    """A picture from its base64 data, from a data URL, or from a link to it."""
    encoded = data.partition(",")[2] if data[:5] == "data:" else data
    width, height = pixels(encoded)
    return Media("image", len(data), width, height)


def document(size_bytes: int) -> Media:
    """A document of `size_bytes` bytes of base64."""
    return Media("document", size_bytes, pages=1 + size_bytes // PAGE_CHARACTERS)


def part(size_bytes: int, holds_text: bool) -> Media:
    """A block of another kind, of `size_bytes` bytes."""
    return Media("text" if holds_text else "part", size_bytes)


def data_of(block: Any) -> str:
    """The data in a block of content, or its location; "" if it has neither."""
    if not isinstance(block, dict):
        return block if isinstance(block, str) else ""
    return next((data for name in _DATA if (data := data_of(block.get(name)))), "")


def pixels(encoded: str) -> tuple[int, int]:
    """Width and height; (0, 0) if the header does not have them."""
    for length in (HEADER_CHARACTERS, MOST_HEADER_CHARACTERS):
        size = _pixels(_decoded(encoded[:length]))
        if size != (0, 0) or len(encoded) <= length or not encoded.startswith("/9j/"):
            return size
    return 0, 0


def _decoded(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded[: len(encoded) // 4 * 4], validate=False)
    except (binascii.Error, ValueError):
        return b""


def _pixels(head: bytes) -> tuple[int, int]:
    if head[:8] == b"\x89PNG\r\n\x1a\n" and len(head) >= 24:
        return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    if head[:4] == b"GIF8" and len(head) >= 10:
        return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp(head)
    return _jpeg(head) if head[:2] == b"\xff\xd8" else (0, 0)


def _webp(head: bytes) -> tuple[int, int]:
    kind = head[12:16]
    if kind == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF
    return 0, 0


def _jpeg(head: bytes) -> tuple[int, int]:
    """Width and height from the frame header, which follows segments that start with their length."""
    offset = 2
    while offset + 9 <= len(head) and head[offset] == 0xFF:
        marker = head[offset + 1]
        if marker == 0xFF:  # a fill byte
            offset += 1
            continue
        if marker in _SIZED:
            return int.from_bytes(head[offset + 7 : offset + 9], "big"), int.from_bytes(
                head[offset + 5 : offset + 7], "big"
            )
        alone = marker == 0x01 or 0xD0 <= marker <= 0xD8
        offset += 2 if alone else 2 + int.from_bytes(head[offset + 2 : offset + 4], "big")
    return 0, 0
