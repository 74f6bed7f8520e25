"""Turns a body into a request, a notification, a response or a fault, and answers into the parts of a body.

Rules:

1. JSON-RPC 2.0, strictly, one object per body: no batches, named params only. `jsonrpc` may be absent only if the
   host writes one message per line, because some hosts leave it out. Unknown members are ignored. If a member is
   given twice, the last one counts.
2. `decode` never raises. A body that cannot be read becomes a fault with the id found in its first bytes.
3. An id is echoed byte for byte: `1.0`, `1e2`, a number of fifty digits and an escaped string stay what they are.
   It is a string or a number. An answer with id null could not be matched.
4. A response is never answered, or two peers could send each other errors forever. Nor is a notification with
   wrong params. A message that is not a valid request is answered with id null, as the specification says.
5. Params, result and error stay raw: nothing below the envelope is decoded or copied here. They keep the body
   alive.
6. The body is checked to be valid UTF-8 first. The decoder does not check the strings that it skips, and spliced
   into an answer they would break its reader.
7. A null result beside an error counts as absent, and so do a null error and a null method. Serializers that write
   every field of a struct send them.

Knows no methods and no framing.
"""

import codecs
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.model import without_surrogates
from ctxmgr.wire.errors import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR
from ctxmgr.wire.framing import FaultKind, Mode, peek
from ctxmgr.wire.surrogates import mend

_UTF8_STEP = 1 << 16  # bytes checked at a time: fits in the cache, and avoids a second copy of a big body
_HEAD = b'{"jsonrpc":"2.0","id":'  # fixed, so that a tiny host can route without a parser
NO_MESSAGE = "a line on standard input is not JSON: a message starts with {"
# How an id that can be matched starts in valid JSON: a string or a number.
_ID_STARTS = frozenset(bytes([start]) for start in b'"-0123456789')


class Request(msgspec.Struct, frozen=True, gc=False):
    """`id` is the JSON that the host wrote. `surrogate_count` is the number of unpaired surrogates that were
    replaced."""

    id: bytes
    method: str
    params: msgspec.Raw | None = None
    surrogate_count: int = 0


class Notification(msgspec.Struct, frozen=True, gc=False):
    method: str
    params: msgspec.Raw | None = None


class Response(msgspec.Struct, frozen=True, gc=False):
    """Has either `result` or `error`. The error may be any JSON value."""

    id: bytes
    result: msgspec.Raw | None = None
    error: msgspec.Raw | None = None


class Fault(msgspec.Struct, frozen=True, gc=False):
    """Why a body is not a message. A fault of kind "call" is answered, with `id` or null (see FaultKind)."""

    code: int
    message: str
    id: bytes | None = None
    kind: FaultKind = "call"


# A Raw equals another Raw only, never bytes.
_ABSENT, _NULL, _VERSION_2 = msgspec.Raw(), msgspec.Raw(b"null"), msgspec.Raw(b'"2.0"')


class _Members(msgspec.Struct, gc=False):
    """All members raw, so that a wrong type is found and reported here and not by the decoder."""

    jsonrpc: msgspec.Raw = _ABSENT
    id: msgspec.Raw = _ABSENT
    method: msgspec.Raw = _ABSENT
    params: msgspec.Raw = _ABSENT
    result: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


_MEMBERS = msgspec.json.Decoder(_Members)
_ANY = msgspec.json.Decoder(msgspec.Raw)
_STRING = msgspec.json.Decoder(str)
_ENCODER = msgspec.json.Encoder()


Message = Request | Notification | Response


def decode(body: bytes, mode: Mode = "content-length") -> Message | Fault:
    """Decodes one body. `mode` is that of the framer; `jsonrpc` may be absent only in "ndjson"."""
    if not _is_utf8(body):
        return _unreadable(body, PARSE_ERROR, "the body is not UTF-8")
    mended = 0
    try:
        try:
            members = _load(body)
        except msgspec.DecodeError:
            repaired = mend(body)
            if repaired is None:
                raise
            members, mended = _load(repaired[0]), repaired[1]
    except RecursionError:
        return _unreadable(body, INVALID_REQUEST, "the body is nested too deeply")
    except msgspec.DecodeError as error:
        noise = mode == "ndjson" and body.lstrip()[:1] not in (b"{", b"[")
        return _unreadable(body, PARSE_ERROR, NO_MESSAGE if noise else f"the body is not JSON: {error}")
    if members is None:
        text = "batches are not supported" if body.lstrip().startswith(b"[") else "the body is not an object"
        return Fault(INVALID_REQUEST, text)
    # The host looks for the id it sent, not for a repaired one (rule 3).
    spelled = peek(body).id if mended else None
    return _judge(members, spelled or bytes(members.id), mode, mended)


def _is_utf8(body: bytes) -> bool:
    if body.isascii():
        return True
    view, pos = memoryview(body), 0
    try:
        while pos < len(body):
            end = pos + _UTF8_STEP
            pos += codecs.utf_8_decode(view[pos:end], "strict", end >= len(body))[1]
    except UnicodeDecodeError:
        return False
    return True


def _load(body: bytes) -> _Members | None:
    """None if the JSON is not an object. Raises DecodeError and RecursionError."""
    try:
        return _MEMBERS.decode(body)
    except msgspec.ValidationError:
        _ANY.decode(body)  # the decoder stops at the first byte that is not `{`: the rest may not be JSON at all
        return None


def _unreadable(body: bytes, code: int, message: str) -> Fault:
    seen = peek(body)
    return Fault(code, message, seen.id, seen.kind)


def _judge(members: _Members, id_json: bytes, mode: Mode, mended: int) -> Message | Fault:
    is_answer = not _given(members.method) and bool(members.result or members.error)
    kind: FaultKind = "response" if is_answer else "call"
    id_known = id_json if id_json[:1] in _ID_STARTS else None
    if not _is_version_2(members.jsonrpc, mode):
        return Fault(INVALID_REQUEST, 'jsonrpc must be "2.0"', id_known, kind)
    if id_json and id_known is None:
        return Fault(INVALID_REQUEST, "id must be a string or a number", None, kind)
    if is_answer:
        return _response(members, id_known)
    return _call(members, id_known, mended)


def _call(members: _Members, id_known: bytes | None, mended: int) -> Request | Notification | Fault:
    if not _given(members.method):
        return Fault(INVALID_REQUEST, "the message has no method, result or error", id_known)
    method = _string(members.method)
    if method is None:
        return Fault(INVALID_REQUEST, "method must be a string", id_known)
    if _given(members.result) or _given(members.error):
        return Fault(INVALID_REQUEST, "the message has a method and also a result or an error", id_known)
    params = members.params if _given(members.params) else None
    if params is not None and not _starts_with(params, b"{"):
        kind: FaultKind = "notification" if id_known is None else "call"
        return Fault(INVALID_PARAMS, "params must be an object with named members", id_known, kind)
    if id_known is None:
        return Notification(method, params)
    return Request(id_known, method, params, mended)


def _response(members: _Members, id_known: bytes | None) -> Response | Fault:
    result, error = members.result, members.error
    if id_known is None:
        return Fault(INVALID_REQUEST, "the response has no id", None, "response")
    if _given(result) and _given(error):
        return Fault(INVALID_REQUEST, "the response has both a result and an error", id_known, "response")
    if _given(error) or not result:
        return Response(id_known, None, error)
    return Response(id_known, result)


def _given(member: msgspec.Raw) -> bool:
    return bool(member) and member != _NULL


def _starts_with(member: msgspec.Raw, start: bytes) -> bool:
    return memoryview(member)[:1] == start  # Raw has no bytes methods, and bytes(Raw) would copy it


def _string(member: msgspec.Raw) -> str | None:
    return _STRING.decode(member) if _starts_with(member, b'"') else None


def _is_version_2(member: msgspec.Raw, mode: Mode) -> bool:
    if not member:
        return mode == "ndjson"
    return member == _VERSION_2 or _string(member) == "2.0"


def encode_result(id_json: bytes, result_parts: Sequence[bytes | memoryview]) -> list[bytes | memoryview]:
    """The parts of an answer. `result_parts` together are the JSON of one value; they are not checked."""
    return [_HEAD + id_json + b',"result":', *result_parts, b"}"]


def encode_error(id_json: bytes | None, code: int, message: str, data: Any = None) -> list[bytes | memoryview]:
    """The parts of an error answer. The id is null if it is unknown. `data` is omitted if it is None."""
    error = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return [_HEAD + (id_json or b"null") + b',"error":' + _encode(error) + b"}"]


def encode_request(id: int | str, method: str, params: Any = None) -> list[bytes | memoryview]:
    """The parts of a request to the host."""
    return [_HEAD + _encode(id) + b"," + _encode_call(method, params)]


def encode_notification(method: str, params: Any = None) -> list[bytes | memoryview]:
    return [b'{"jsonrpc":"2.0",' + _encode_call(method, params)]


def _encode_call(method: str, params: Any) -> bytes:
    tail = b"}" if params is None else b',"params":' + _encode(params) + b"}"
    return b'"method":' + _encode(method) + tail


def _encode(value: Any) -> bytes:
    """JSON of one of our own values. Unpaired surrogates, for example in the text of an error, become U+FFFD."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return _ENCODER.encode(without_surrogates(msgspec.to_builtins(value, builtin_types=(msgspec.Raw,))))
