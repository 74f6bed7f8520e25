"""The JSON values in a recording's bytes, and the members of a value by expected type.

Real files have two objects on a line, or one over many lines, and end without a newline; a line is not an object.
Files of pi are kept byte for byte (`members`); of other hosts the plain values are read (`lines`, `decoded`) and
their messages rewritten. A member that is missing or of another type is the empty value of the expected type. Knows
no host.

What hosts and providers call content, tool calls and usage becomes pi's:

1. Content is a string or a list of blocks. Text and images have a place in pi; other kinds are passed to `odd`,
   which counts them.
2. Arguments of a call are an object. If a provider has them as JSON text they are decoded; text that is no object
   becomes `input`.
3. pi's `input` excludes cached tokens; `formats.provider_usage` knows how others count.
"""

import codecs
import json
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

import msgspec

from ctxmgr.formats import pi
from ctxmgr.study.recordings.recording import UnreadableRecording
from ctxmgr.wire import surrogates

Json = dict[str, Any]

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
MILLISECONDS = 1000  # per second; hosts in Python count in seconds
SHOWN_CHARACTERS = 60  # of invalid JSON, in an error

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_decode = msgspec.json.Decoder().decode
_scan = json.JSONDecoder().raw_decode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def objects(content: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    """(line, JSON) of each value, in order. Raises UnreadableRecording, with the line."""
    first, more, _ = content.lstrip().partition(b"\n")
    if more and first.rstrip() == b"{":  # an object over several lines
        yield from _values(content, name, 1)
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        yield from _values(line, name, number)


def whole_lines(content: bytes) -> tuple[bytes, int]:
    """The content without a last line that ends within a value, and that line's number, or 0. A program that is
    still writing, or died while it wrote, leaves one. A single line does not count.
    """
    before, newline, last = content.rstrip().rpartition(b"\n")
    if not newline or before.lstrip().partition(b"\n")[0].rstrip() == b"{":
        return content, 0
    try:
        _decode((surrogates.mend(last) or (last,))[0])
    except msgspec.DecodeError as fault:
        if str(fault) == "Input data was truncated":
            return before + newline, before.count(b"\n") + 2
    except (UnicodeDecodeError, RecursionError):
        pass
    return content, 0


def in_utf8(name: str, content: bytes) -> bytes:
    """The content without a byte order mark: editors and shells of Windows write one, and UTF-16 behind it."""
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "")
    try:
        return content.decode(encoding).encode("utf-8") if encoding else content
    except UnicodeError:
        raise UnreadableRecording(f"{name}: it looks like {encoding}, but is not valid") from None


def members(piece: bytes, name: str, line: int) -> dict[str, msgspec.Raw]:
    """The members of one object, raw. Unpaired surrogates are repaired as in ctxmgr.

    Raises UnreadableRecording if it is no object.
    """
    value: dict[str, msgspec.Raw] = decoded(piece, name, line, _members, "a JSON object")
    return value


def _values(content: bytes, name: str, number: int) -> Iterator[tuple[int, bytes]]:
    """The values in a text, with the line of each. `number`: of the first line."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = number + content.count(b"\n", 0, fault.start)
        byte = fault.start - content.rfind(b"\n", 0, fault.start) - 1
        raise UnreadableRecording(f"{name}, line {line}: not UTF-8 at byte {byte}") from None
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
            raise UnreadableRecording(f"{name}, line {number}: the value is incomplete") from None
        column = where - text.rfind("\n", 0, where)
        raise UnreadableRecording(f"{name}, line {number}: not JSON at character {column}", shown) from None


def lines(name: str, content: bytes) -> Iterator[tuple[int, Json]]:
    """(line, object) of each. Raises UnreadableRecording, with the line."""
    for line, piece in objects(content, name):
        value = decoded(piece, name, line)
        if not isinstance(value, dict):
            raise UnreadableRecording(f"{name}, line {line}: not a JSON object")
        yield line, value


def decoded(
    piece: bytes, name: str, line: int = 0, decode: Callable[[bytes], Any] = _decode, what: str = "JSON"
) -> Any:
    """One value; unpaired surrogates are repaired. `line` 0: the piece is the whole file, and the line is counted
    in it. Raises UnreadableRecording, with the line, if it is not `what`.
    """
    try:
        return decode(piece)
    except UNREADABLE as fault:
        mended = surrogates.mend(piece)
        if mended is not None:
            return decoded(mended[0], name, line, decode, what)
        byte = str(fault).rpartition("(byte ")[2].removesuffix(")")  # not named by each fault; then the last line
        end = int(byte) if byte.isdigit() else len(piece.rstrip())
        where = line or piece.count(b"\n", 0, end) + 1
        raise UnreadableRecording(f"{name}, line {where}: not {what} ({fault})") from None


def table(fields: Json, name: str) -> Json:
    return value if isinstance(value := fields.get(name), dict) else {}


def rows(fields: Json, name: str) -> list[Json]:
    """The objects in a list; other values are skipped."""
    return objects_of(fields.get(name))


def objects_of(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(fields: Json, name: str) -> str:
    return value if isinstance(value := fields.get(name), str) else ""


def number(fields: Json, *names: str) -> int:
    """The first of these members that is a number above zero; 0 if none is."""
    return next((int(value) for value in map(fields.get, names) if _is_count(value, 2**53)), 0)


def seconds(value: Any) -> int | None:
    """Seconds since the epoch, as milliseconds."""
    return round(value * MILLISECONDS) if _is_count(value, 2**53 / MILLISECONDS) else None


def _is_count(value: Any, limit: float) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < limit


Odd = Callable[[str], None]

TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})


def text_block(words: str) -> Json:
    return {"type": "text", "text": words}


def only(words: str) -> list[Json]:
    """One text block; none for an empty text."""
    return [text_block(words)] if words else []


def thought(words: str, signature: str = "", redacted: bool = False) -> Json:
    block: Json = {"type": "thinking", "thinking": words}
    if signature:
        block["thinkingSignature"] = signature
    return {**block, "redacted": True} if redacted else block


def call(id: str, name: str, arguments: Any) -> Json:
    return {"type": "toolCall", "id": id, "name": name, "arguments": given(arguments)}


def given(arguments: Any) -> Json:
    """The arguments of a call as an object (rule 2)."""
    if isinstance(arguments, str):
        try:
            value = _decode(arguments)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            value = None
        arguments = value if isinstance(value, dict) else {"input": arguments} if arguments else {}
    return arguments if isinstance(arguments, dict) else {}


def content(value: Any, odd: Odd) -> list[Json]:
    """Text and images of any provider's content, in pi's blocks, without empty texts (rule 1)."""
    if isinstance(value, str):
        return only(value)
    out = []
    for block in objects_of(value):
        kind = text(block, "type")
        if kind in TEXTS:
            out += only(text(block, "text"))
        elif shown := image(block):
            out += shown
        else:
            odd(kind or "unnamed")
    return out


def image(block: Json) -> list[Json]:
    """pi's image from Anthropic's, OpenAI's or the OpenHands SDK's; none if the block is no image or only an
    address.
    """
    source = table(block, "source")
    if text(block, "type") == "image" and text(source, "data"):
        return [{"type": "image", "data": text(source, "data"), "mimeType": text(source, "media_type")}]
    address = table(block, "image_url").get("url") or block.get("image_url")
    many = block.get("image_urls")
    addresses = many if isinstance(many, list) else [address]
    return [shown for value in addresses if isinstance(value, str) for shown in from_address(value)]


def from_address(address: str) -> list[Json]:
    """The image in a `data:` address."""
    kind, _, rest = address.removeprefix("data:").partition(";base64,")
    if not address.startswith("data:image/") or not rest:
        return []
    return [{"type": "image", "data": rest, "mimeType": kind}]


def words(value: Any) -> str:
    """Only the texts, one per line."""
    return "\n".join(text(block, "text") for block in content(value, lambda kind: None) if "text" in block)


def chat_calls(message: Json) -> list[Json]:
    """The tool calls of an OpenAI chat message."""
    functions = [(row, table(row, "function") or row) for row in rows(message, "tool_calls")]
    return [call(text(row, "id"), text(of, "name"), of.get("arguments")) for row, of in functions]


def chat_reply(message: Json, odd: Odd) -> list[Json]:
    """Thinking, text and calls of an assistant's chat message."""
    out = list(map(thinking, rows(message, "thinking_blocks")))
    if not out and (reasoning := text(message, "reasoning_content")):
        out = [thought(reasoning)]
    return [*out, *content(message.get("content"), odd), *chat_calls(message)]


def thinking(block: Json) -> Json:
    """From Anthropic's."""
    if text(block, "type") == "redacted_thinking":
        return thought("", text(block, "data"), redacted=True)
    return thought(text(block, "thinking"), text(block, "signature"))


def counted_usage(usage: Json) -> Json | None:
    """From any provider's or framework's; None if it counts nothing."""
    counts = pi.usage(usage)
    if counts is None:
        return None
    read, written = counts.cache_read_tokens, counts.cache_write_tokens
    return exclusive_usage(counts.input_tokens, counts.output_tokens, read, written)


def exclusive_usage(input: int, output: int, read: int, written: int, total: int = 0) -> Json | None:
    """From counts that do not overlap; None if they count nothing."""
    total = total or input + output + read + written
    counts = {"input": input, "output": output, "cacheRead": read, "cacheWrite": written, "totalTokens": total}
    return counts if total else None
