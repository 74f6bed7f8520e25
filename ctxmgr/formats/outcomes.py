"""How a tool's call or a model's call ended, where nothing but what came of it tells.

`verdict` reads the text of a tool's result, for formats whose results have no error flag. Rules:
1. An explicit word decides: an exit code, or a flag of a result that is a JSON object. Several codes of which not
   all are 0, nor all another, are doubtful.
2. Else it is an error where it begins as one: with a host's own words, or, as a guess, "Error: ..." or a traceback.
3. What only speaks of an error at its start or its end is doubtful. It is protected as an error is, for output is
   cheap and a lost error is not; but no fact says that something failed.
4. The middle of a text says nothing: files and logs speak of errors all the time.
5. It went well only where a word says so: a code, a flag, "0 errors" at its start or its end. Else it is not told.

`failure` reads what a host has of a failed model call: a provider's error object, an event of its stream, a failed
response, or what an HTTP client made of one. Rules:
1. What has a role is a message; a model's is one of a failed call where an error stands beside the role.
2. It is an error where it says so (`error`, a type `error`, a failed `response`), or where it holds nothing but a
   code or a status and a text, or a text under a name that messages do not have.
3. The text is the JSON of these members: codes count as words do.
4. What a server says back of the request (pydantic's `input`) is none of it.
5. Of several, as Gemini sends an error in an array, the first that is one.
6. A lone member that is named as an exception is one (Bedrock's event streams).
"""

import re
from typing import Any, Literal

import msgspec

from ctxmgr.formats.content import ContentPart
from ctxmgr.model import Block, View, expression

Verdict = Literal["error", "guessed", "doubtful", "fine", "untold"]

EDGE_CHARACTERS = 2_000  # of the start and of the end: what a host puts around an output is shorter
FIRST_LINES, LAST_LINES = 5, 3
EXIT_CHARACTERS = 200  # of a line that tells an exit code and nothing else
OBJECT_CHARACTERS = 1_000_000  # a longer object is not decoded for its flag

_EXIT = expression(
    r"^\W*(?:(?:command|process|script|shell|program)\s+)?(?:exited|failed|finished|terminated)?\s*(?:with\s+)?"
    r"(?:exit|return|status)?\s*(?:code|status)(?:\s+is)?\s*[:=]?\s*(-?\d+)\b\W*$",
    re.IGNORECASE,
)
# an object after a host's own lines, or a tag
_EXIT_MEMBER = expression(r"""(?:\{.{0,150}?"exit_code"\s*:|<(?:return|exit)_?code>)\s*(-?\d+)""")
# of each command that a script of Codex shows
_RECORDS = expression(r"\"chunk_id\":\"\w*\",\"wall_time_seconds\":[-+.\de]+,\"exit_code\":(-?\d{1,9})")
_FAILED = expression(  # a host's own words
    r"(?:<(?:tool_use_)?error>|command (?:failed|timed out)"
    # what Codex says of a call that never ran, or was broken off
    r"|(?:exec command|patch) rejected by user|exec_command failed for |apply_patch verification failed"
    r"|failed in sandbox\b|(?:wall time: [\d.]+ seconds\s+)?aborted by user\b)",
    re.IGNORECASE,
)
_LIKE_FAILED = expression(  # or of what was shown
    r"(?:(?:\w+ ){0,2}(?:error|exception|fatal|panic|failure)\b(?: \w+)?\s*[:\-]"
    r"|\w*(?:Error|Exception)\b\s*[:(]|traceback \(most recent call last\)|failed to )",
    re.IGNORECASE,
)
_SPEAKS = expression(
    r"\b(?:errors?|exceptions?|traceback|fail(?:ed|ure|s)?|fatal|panic(?:ked)?|denied|not found|no such|cannot"
    r"|could ?n[o']t|can't|unable|timed out|refused|aborted|killed|invalid|undefined)\b",
    re.IGNORECASE,
)
_NONE_FAILED = expression(r"\b(?:0|no|without) (?:errors?|fail(?:ed|ures?)|exceptions?)\b", re.IGNORECASE)
_EXIT_HINTS = ("code", "status")
_HINTS: tuple[str, ...] = (
    "error",
    "exception",
    "traceback",
    "fail",
    "fatal",
    "panic",
    "denied",
    "not found",
    "no such",
    "cannot",
)
_HINTS += ("could", "can't", "unable", "timed out", "refused", "aborted", "killed", "invalid", "undefined")
_CODES = ("exit_code", "exitCode", "returncode", "return_code")
_decode = msgspec.json.Decoder().decode


def verdict(text: str) -> Verdict:
    """What a result's text tells of how it went."""
    start = text[:EDGE_CHARACTERS].lstrip()
    flagged = _flag(text) if start.startswith("{") and len(text) <= OBJECT_CHARACTERS else None
    if flagged is not None:
        return "error" if flagged else "fine"
    lines = _edges(text)
    for line in lines:
        short = line[:EXIT_CHARACTERS]
        pattern = _EXIT_MEMBER if line.startswith(("{", "<")) else _EXIT if short == line else None
        code = pattern.match(short) if pattern and _has(short, _EXIT_HINTS) else None
        if code:
            exited = bool(int(code[1][:9]))
            if pattern is _EXIT_MEMBER and any(bool(int(flag)) != exited for flag in _RECORDS.findall(text)):
                return "doubtful"
            return "error" if exited else "fine"
    if _FAILED.match(start):
        return "error"
    failed = _LIKE_FAILED.match(start)
    if failed and not _NONE_FAILED.search(failed[0]):
        return "guessed"
    ends = [*lines[:1], *lines[-LAST_LINES:]]
    speaking = [line for line in ends if _has(line, _HINTS)]
    if any(map(_speaks, speaking)):
        return "doubtful"
    return "fine" if any(_NONE_FAILED.search(line) for line in speaking) else "untold"


def _has(line: str, hints: tuple[str, ...]) -> bool:
    """Saves the patterns, which cost a hundred times as much, for lines that may match."""
    line = line.lower()
    return any(hint in line for hint in hints)


def _speaks(line: str) -> bool:
    return _SPEAKS.search(_NONE_FAILED.sub("", line)) is not None


def _edges(text: str) -> list[str]:
    """The first and the last lines that hold something."""
    if len(text) <= 2 * EDGE_CHARACTERS:
        lines = [line for line in text.splitlines() if line.strip()]
        return lines if len(lines) <= FIRST_LINES + LAST_LINES else [*lines[:FIRST_LINES], *lines[-LAST_LINES:]]
    first = [line for line in text[:EDGE_CHARACTERS].splitlines() if line.strip()]
    last = [line for line in text[-EDGE_CHARACTERS:].splitlines() if line.strip()]
    return [*first[:FIRST_LINES], *last[-LAST_LINES:]]


def _flag(text: str) -> bool | None:
    """Failed or not, as a result that is a JSON object says itself; None where it does not."""
    try:
        value = _decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    metadata = value.get("metadata")
    for fields in (value, metadata if isinstance(metadata, dict) else {}):
        for name in _CODES:
            if isinstance(fields.get(name), int) and not isinstance(fields[name], bool):
                return bool(fields[name])
    return _named(value)


def _named(fields: dict[str, Any]) -> bool | None:
    for name, when_failed in (("isError", True), ("is_error", True), ("success", False), ("ok", False)):
        if isinstance(fields.get(name), bool):
            return bool(fields[name] is when_failed)
    return bool(fields["error"]) if "error" in fields else None


_ERRORS = (
    "error",
    "errors",
    "errorMessage",
    "error_message",
    "fault",
    "Error",
    "external_model_error",
)  # each says by itself that it is one
_ERROR_TEXTS = ("message", "Message", "msg", "body", "detail", "details", "responseBody", "data", "cause")
_ERROR_CODES = ("code", "status", "statusCode", "status_code", "error_type", "error_code", "__type")
_LONE_TEXTS = ("detail", "responseBody", "Message")  # FastAPI's, the AI SDK's, AWS'
_MINIMAX = "base_resp"  # stands in good answers, too
_ERROR_MEMBERS = ("type", "name", _MINIMAX, *_ERROR_CODES, *_ERRORS, *_ERROR_TEXTS)
_ECHOES = frozenset(("input", "inputs", "ctx", "request", "messages", "prompt", "contents"))
_MODELS = ("assistant", "model")  # roles


def failure(message: Any) -> str:
    """The text of an error; "" where this is none."""
    if isinstance(message, list):
        return next(filter(None, map(failure, message)), "")
    if not isinstance(message, dict):
        return ""
    role = message.get("role")
    if isinstance(role, str):
        return _spelled(_some(message, _ERRORS)) if role in _MODELS and any(map(message.get, _ERRORS)) else ""
    if len(message) == 1 and str(next(iter(message))).endswith("Exception"):
        return _spelled(_unechoed(message))
    response, kind = message.get("response"), message.get("type")
    if isinstance(response, dict) and (kind == "response.failed" or response.get("status") == "failed"):
        return _spelled(_unechoed(response.get("error")) or {"status": "failed"})
    coded = any(isinstance(message.get(name), str | int) for name in _ERROR_CODES)
    coded = coded or str(message.get("name")).endswith("Error")  # as clients name theirs
    base = message.get(_MINIMAX)
    is_told = (
        (isinstance(base, dict) and bool(base.get("status_code")))
        or any(map(message.get, _ERRORS))
        or any(message.get(name) and isinstance(message[name], str | list) for name in _LONE_TEXTS)
    )
    if not (is_told or kind == "error" or (coded and any(map(message.get, _ERROR_TEXTS)))):
        return ""
    return _spelled(_some(message, _ERROR_MEMBERS))


def _some(message: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _unechoed(message[name]) for name in names if message.get(name) is not None}


def _unechoed(error: Any) -> Any:
    """Rule 4."""
    if isinstance(error, dict):
        return {name: _unechoed(value) for name, value in error.items() if name not in _ECHOES}
    return [_unechoed(item) for item in error] if isinstance(error, list) else error


FULL_WINDOW = ("model_context_window_exceeded", "model_length")  # z.ai and Anthropic; Mistral


def full_window(reason: str) -> str:
    """The error of an answer that says nothing and ended for this reason; "" where the window is not full."""
    return f"context window exceeded: {reason}" if reason in FULL_WINDOW else ""


def failed_view(message: Any) -> View | None:
    """The view of a failed model call; None where the message is no such one."""
    error = failure(message)
    return View("assistant", stop="error", error=error) if error else None


def reply_view(message: dict[str, Any], view: View) -> View:
    """The view of a model's message, which failed where an error stands beside the role."""
    error = "" if view.error else failure(message)
    return msgspec.structs.replace(view, stop="error", error=error) if error else view


def result_block(
    content: ContentPart, call_id: str, how: Verdict, *, number: int = -1, tool: str = "", can_edit: bool = True
) -> Block:
    """A result of a format that has no error flag."""
    return Block(
        "result",
        number,
        content.text,
        call_id,
        tool,
        is_error=how in ("error", "guessed"),
        can_edit=can_edit,
        media=content.media,
        doubtful=how in ("doubtful", "guessed"),
        untold=how == "untold",
    )


def _spelled(value: Any) -> str:
    return msgspec.json.encode(value).decode()
