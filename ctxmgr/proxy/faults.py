"""Errors of the proxy's own, in the shape that the program knows from its provider."""

import msgspec


def error_body(format: str | None, kind: str, text: str) -> bytes:
    """`format`: of the messages of what was asked, None for anything else. `kind`: the provider's word for it."""
    error = {"type": kind, "message": f"ctxmgr: {text}"}
    if format == "anthropic":
        return msgspec.json.encode({"type": "error", "error": error})
    return msgspec.json.encode({"error": {**error, "param": None, "code": None}})
