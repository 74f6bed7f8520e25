"""The spelling of a message that ctxmgr gets: without cache marks, and a lone text as a string.

Programs write a message with one text as a list of blocks while it bears a mark, and as a string afterwards.
"""

import msgspec

from ctxmgr.formats import unmarked
from ctxmgr.proxy.large import read_once
from ctxmgr.proxy.members import elements, members

AS_IT_CAME = ("responses", "gemini")  # no marks in them, and no second spelling
LONE = b'"type":"text"'


@read_once
def plain(format: str, raw: bytes) -> bytes:
    """The message so spelled; the very bytes where they are."""
    if format in AS_IT_CAME:
        return raw
    bare = unmarked(raw)
    if LONE not in bare:
        return bare
    message = members(bare) or {}
    blocks = elements(bytes(message.get("content", b""))) or []
    lone = members(bytes(blocks[0])) if len(blocks) == 1 else None
    if lone is None or lone.keys() != {"type", "text"} or bytes(lone["type"]) != b'"text"':
        return bare
    return msgspec.json.encode({**message, "content": lone["text"]})
