"""The size of a picture is read from the first bytes of its base64, and nothing else of it is."""

import base64
import struct
import zlib

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats import media


def png(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + b"IHDR"
        + head
        + struct.pack(">I", zlib.crc32(b"IHDR" + head))
    )


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00" * 20


def jpeg(width: int, height: int, preview: int = 10) -> bytes:
    """With a segment of so many bytes before its size, as cameras write previews."""
    segments = b""
    while preview > 0:
        size = min(preview, 60_000)
        segments += b"\xff\xe1" + struct.pack(">H", size + 2) + b"\x00" * size
        preview -= size
    return b"\xff\xd8" + segments + b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + b"\x00" * 20


def webp(kind: str, width: int, height: int) -> bytes:
    if kind == "VP8X":
        body = b"\x00" * 4 + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    elif kind == "VP8L":
        body = b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + b"\x00" * 5
    else:
        body = b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height)
    return b"RIFF" + b"\x00" * 4 + b"WEBP" + kind.encode() + struct.pack("<I", len(body)) + body + b"\x00" * 8


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


IMAGES = {
    "PNG": png(1_200, 800),
    "GIF": gif(1_200, 800),
    "JPEG": jpeg(1_200, 800),
    "JPEG with a preview": jpeg(1_200, 800, 200_000),
    "WebP": webp("VP8 ", 1_200, 800),
    "lossless WebP": webp("VP8L", 1_200, 800),
    "extended WebP": webp("VP8X", 1_200, 800),
}


def test_the_size_is_read() -> None:
    for before in ("", "data:image/png;base64,"):
        for name in IMAGES:
            data = before + encoded(IMAGES[name] + b"\x00" * 9_000)
            found = media.image(data)
            assert (found.kind, found.width, found.height, found.size_bytes) == ("image", 1_200, 800, len(data))


def test_what_tells_no_size_has_none() -> None:
    for data in ("", "x", "https://example.org/a.png", "file-abc", "data:,", "iVBORw0KGgo=", "/9j/"):
        assert (media.image(data).width, media.image(data).height) == (0, 0), data


@given(
    st.sampled_from([b"", b"\xff\xd8", b"RIFF....WEBPVP8 ", b"\x89PNG\r\n\x1a\n", b"GIF8"]), st.binary(max_size=200)
)
def test_no_bytes_are_an_error(start: bytes, rest: bytes) -> None:
    found = media.image(encoded(start + rest))
    assert found.width >= 0
    assert found.height >= 0
