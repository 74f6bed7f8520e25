"""Errors of the proxy's own, in the shape that the program knows from its provider."""

import msgspec

GOOGLES = {  # code and status, for the words that the others know
    "permission_error": (403, "PERMISSION_DENIED"),
    "invalid_request_error": (400, "INVALID_ARGUMENT"),
    "api_error": (502, "UNAVAILABLE"),
}


def error_body(format: str | None, kind: str, text: str) -> bytes:
    """`format`: of the messages of what was asked, None for anything else. `kind`: Anthropic's word for it, which
    OpenAI knows too."""
    error = {"type": kind, "message": f"ctxmgr: {text}"}
    if format == "anthropic":
        return msgspec.json.encode({"type": "error", "error": error})
    if format == "gemini":
        code, status = GOOGLES[kind]
        return msgspec.json.encode({"error": {"code": code, "message": error["message"], "status": status}})
    return msgspec.json.encode({"error": {**error, "param": None, "code": None}})
