"""The spelling of a message that ctxmgr gets: without cache marks, and a lone text as a string.

Programs write a message with one text as a list of blocks while it bears a mark, and as a string afterwards.
"""

import msgspec

from ctxmgr.formats import unmarked
from ctxmgr.proxy.body import UNREADABLE

_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_blocks = msgspec.json.Decoder(list[dict[str, msgspec.Raw]]).decode
LONE = b'"type":"text"'


def plain(format: str, raw: bytes) -> bytes:
    """The message so spelled; the very bytes where they are."""
    if format == "responses":
        return raw
    bare = unmarked(raw)
    if LONE not in bare:
        return bare
    try:
        message = _object(bare)
        content = bytes(message.get("content", b""))
        blocks = _blocks(content) if content.startswith(b"[") else []
    except UNREADABLE:
        return bare
    if len(blocks) != 1 or blocks[0].keys() != {"type", "text"} or bytes(blocks[0]["type"]) != b'"text"':
        return bare
    return msgspec.json.encode({**message, "content": blocks[0]["text"]})
