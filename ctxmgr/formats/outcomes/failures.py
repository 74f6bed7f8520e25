"""Turns what a host has of a failed call into the text of its error.

Hosts hand on what they got: a provider's error object, an event of its stream, a failed response, or what their
HTTP client made of one.

Rules:
1. What has a role is a message, whatever else it holds.
2. It is an error where it says so (`error`, a type `error`, a failed `response`), or where it holds nothing but a
   code or a status and a text.
3. The text is the JSON of these members: codes count as words do.
"""

from typing import Any

import msgspec

_TOLD = ("type", "code", "status", "statusCode", "status_code", "message", "error", "body")
_CODES = ("code", "status", "statusCode", "status_code")
_TEXTS = ("message", "body", "detail")


def failure(message: dict[str, Any]) -> str:
    """The text of an error; "" where this is none."""
    if isinstance(message.get("role"), str):
        return ""
    response, kind = message.get("response"), message.get("type")
    if isinstance(response, dict) and (kind == "response.failed" or response.get("status") == "failed"):
        return _spelled(response.get("error") or {"status": "failed"})
    coded = any(isinstance(message.get(name), str | int) for name in _CODES)
    if not (message.get("error") or kind == "error" or (coded and any(message.get(name) for name in _TEXTS))):
        return ""
    return _spelled({name: message[name] for name in _TOLD if message.get(name) is not None})


def _spelled(value: Any) -> str:
    return msgspec.json.encode(value).decode()
