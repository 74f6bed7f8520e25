"""What the two APIs of OpenAI share: the shape of an error, and the bytes that are cached."""

from typing import Any

import msgspec

Json = dict[str, Any]
CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded", 529: "server_is_overloaded", 500: "server_error"}
TOO_LONG = "Your input exceeds the context window of this model. Please adjust your input and try again."
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


def openai_error(status: int, sentence: str) -> Json:
    code = "context_length_exceeded" if sentence.startswith(TOO_LONG) else CODES.get(status)
    kind = "invalid_request_error" if status in (400, 401, 404) else "server_error"
    return {"error": {"message": sentence, "type": kind, "param": None, "code": code}}


def openai_too_long(tokens: int, window_tokens: int) -> str:
    return f"{TOO_LONG} ({tokens} tokens of {window_tokens})"


def members(raw: bytes, *names: str) -> list[bytes]:
    """The elements of these members of a body, as they came."""
    body = _members(raw)
    found = [bytes(body.get(name, b"")) for name in names]
    return [bytes(one) for text in found for one in (_elements(text) if text.startswith(b"[") else [text])]
