"""Infers how a tool call or a model call ended, if no flag says so.

`verdict` reads the text of a tool's result, for formats whose results have no error flag. Rules:
1. An explicit sign decides: an exit code, or a flag of a result that is a JSON object. Several codes, some 0 and
   some not, are doubtful.
2. Otherwise it is an error if it begins like one: with a host's own words, or, as a guess, "Error: ..." or a
   traceback.
3. A result that only mentions an error at its start or end is doubtful. It is protected like an error, because
   output is cheap and a lost error is not; but no fact says that something failed.
4. The middle of a text says nothing: files and logs mention errors all the time.
5. It succeeded only if something says so: a code, a flag, "0 errors" at its start or end. Otherwise it is unknown.

`failure` reads what a host has of a failed model call: a provider's error object, an event of its stream, a failed
response, the form an HTTP client gave it, or the host's own record of it. Rules:
1. An object with a role is a message; a model's message with an error beside the role is of a failed call.
2. Other objects are errors if a member says so by its name (`error`, `streamingFailedMessage`), if their kind does
   (a type `error`, an `ask` of `api_req_failed`), if a flag or an HTTP status does, or if they contain only a code
   or a status and a text, or a text under a name that messages do not have.
3. The text is the JSON of these members and of those with texts and kinds, codes as well as words.
4. Parts of the request that a server or a client repeats (pydantic's `input`) are omitted.
5. In an array, as Gemini sends one, the first error counts.
6. A single member with the name of an exception is an error (Bedrock's event streams, Rust's enums).
7. An envelope (`ENVELOPES`) that is no error itself is one if what it holds is, to DEPTH levels. So is an object
   with a text that is JSON (Cline).
"""

import re
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from ctxmgr.formats.content import ContentPart, spelled
from ctxmgr.formats.content import fields as object_of
from ctxmgr.model import Block, View, expression

Verdict = Literal["error", "guessed", "doubtful", "fine", "untold"]

EDGE_CHARACTERS = 2_000  # of the start and of the end; longer than what a host puts around an output
FIRST_LINES, LAST_LINES = 5, 3
EXIT_CHARACTERS = 200  # of a line that is only an exit code
HTTP_ERRORS = range(400, 600)
OBJECT_CHARACTERS = 1_000_000  # a longer object is not decoded for its flag

_EXIT = expression(
    r"^\W*(?:(?:command|process|script|shell|program)\s+)?(?:exited|failed|finished|terminated)?\s*(?:with\s+)?"
    r"(?:exit|return|status)?\s*(?:code|status)(?:\s+is)?\s*[:=]?\s*(-?\d+)\b\W*$",
    re.IGNORECASE,
)
# an object after a host's own lines, or a tag
_EXIT_MEMBER = expression(r"""(?:\{.{0,150}?"exit_code"\s*:|<(?:return|exit)_?code>)\s*(-?\d+)""")
# one for each command in the output of a Codex script
_RECORDS = expression(r"\"chunk_id\":\"\w*\",\"wall_time_seconds\":[-+.\de]+,\"exit_code\":(-?\d{1,9})")
_FAILED = expression(  # a host's own words
    r"(?:<(?:tool_use_)?error>|<system>error\b|command (?:failed|timed out)"
    # Codex, for a call that never ran or was interrupted
    r"|(?:exec command|patch) rejected by user|exec_command failed for |apply_patch verification failed"
    r"|failed in sandbox\b|(?:wall time: [\d.]+ seconds\s+)?aborted by user\b)",
    re.IGNORECASE,
)
_LIKE_FAILED = expression(  # a host's words, or those of the output
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
_OUTCOMES = (("isError", True), ("is_error", True), ("success", False), ("ok", False))  # name, value if it failed
_decode = msgspec.json.Decoder().decode


def verdict(text: str) -> Verdict:
    """How a call ended, by the text of its result."""
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
    """A quick check that avoids the patterns, which cost a hundred times as much."""
    line = line.lower()
    return any(hint in line for hint in hints)


def _speaks(line: str) -> bool:
    return _SPEAKS.search(_NONE_FAILED.sub("", line)) is not None


def _edges(text: str) -> list[str]:
    """The first and the last lines that are not blank."""
    if len(text) <= 2 * EDGE_CHARACTERS:
        lines = [line for line in text.splitlines() if line.strip()]
        return lines if len(lines) <= FIRST_LINES + LAST_LINES else [*lines[:FIRST_LINES], *lines[-LAST_LINES:]]
    first = [line for line in text[:EDGE_CHARACTERS].splitlines() if line.strip()]
    last = [line for line in text[-EDGE_CHARACTERS:].splitlines() if line.strip()]
    return [*first[:FIRST_LINES], *last[-LAST_LINES:]]


def _flag(text: str) -> bool | None:
    """Whether a result that is a JSON object says that it failed; None if it does not say."""
    try:
        value = _decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    for holder in (value, object_of(value.get("metadata"))):
        for name in _CODES:
            if type(holder.get(name)) is int:
                return bool(holder[name])
    for name, when_failed in _OUTCOMES:
        if isinstance(value.get(name), bool):
            return bool(value[name] is when_failed)
    return bool(value["error"]) if "error" in value else None


_ERRORS = (
    "error",
    "errors",
    "errorMessage",
    "error_message",
    "fault",
    "Error",
    "external_model_error",
)  # each identifies an error by itself
_FAULT = expression(  # in the name of a member, or of a kind
    r"error|exception|fail(?:ed|ure|ing)|overflow|exceeded|retry_delayed|too_?(?:large|long)", re.IGNORECASE
)
_ERROR_TEXTS = (
    *("message", "Message", "msg", "body", "detail", "details", "responseBody", "data", "cause"),
    "error_msg",  # Qianfan
    "statusText",  # fetch, axios
)
_ERROR_CODES = ("code", "status", "statusCode", "status_code", "error_type", "error_code", "__type")
_LONE_TEXTS = ("detail", "responseBody", "Message", "localizedDescription")  # FastAPI, AI SDK, AWS, Apple
_MINIMAX = "base_resp"  # also in successful answers
_CLAUDE_CODE = "isApiErrorMessage"  # of a reply that the program wrote itself
_KINDS = (
    *("type", "subtype", "kind", "event"),
    *("say", "ask"),  # Cline, Roo Code, Kilo Code
    "observation",  # OpenHands
    "exception_type",  # Strands
)
_FLAGS = ("is_error", "isError")  # Claude Agent SDK, Cursor CLI
_TEXTS = ("text", "content", "reason", "result", "args")  # of an error by its kind or flag
ENVELOPES = (
    "response",  # OpenAI's failed responses
    "Response",  # Tencent: around everything that its APIs answer
    *("msg", "payload", "item"),  # Codex: events, rollouts, `codex exec --json`
    "params",  # JSON-RPC: Codex' app server
    *("info", "properties", "data"),  # OpenCode: a message with its parts, events; Copilot CLI: events
    "value",  # Gemini CLI: events of a turn
    "Err",  # Rust's results: goose
    "message",  # Claude Code, pi: entries
    "delta",  # Cohere's streams
)
_TITLE = "title"  # RFC 9457: of a problem, which its status identifies
_ERROR_MEMBERS = (
    "name",
    _TITLE,
    *_LONE_TEXTS,
    _MINIMAX,
    *_KINDS,
    *_ERROR_CODES,
    *_ERRORS,
    *_ERROR_TEXTS,
    *_TEXTS,
    *ENVELOPES,
)
_ECHOES = frozenset(
    ("input", "inputs", "ctx", "request", "messages", "prompt", "contents", "requestBodyValues", "config")
)
_MODELS = ("assistant", "model")  # roles
DEPTH = 4


def failure(message: Any, depth: int = 0) -> str:
    """The text of an error; "" if this is not an error."""
    if isinstance(message, list):
        return next(filter(None, map(failure, message)), "")
    if not isinstance(message, dict) or depth > DEPTH:
        return ""
    role = message.get("role")
    if isinstance(role, str):
        told = (*_ERRORS, "content") if message.get(_CLAUDE_CODE) is True else _ERRORS
        return spelled(_some(message, told)) if role in _MODELS and any(map(message.get, told)) else ""
    if len(message) == 1 and _FAULT.search(str(next(iter(message)))):
        return spelled(_unechoed(message)) if all(message.values()) else ""
    response = message.get("response")
    if isinstance(response, dict) and (
        message.get("type") == "response.failed" or response.get("status") == "failed"
    ):
        return spelled(_unechoed(response.get("error")) or {"status": "failed"})
    if _is_error(message):
        return spelled(_some(message, [name for name in message if name in _ERROR_MEMBERS or _is_fault(name)]))
    within = (failure(message.get(name), depth + 1) for name in ENVELOPES)
    return next(filter(None, within), "") or failure(_decoded(message.get("text")), depth + 1)


def _is_error(fields: dict[str, Any]) -> bool:
    """Whether it says that it is an error (rule 2)."""
    codes = [fields[name] for name in _ERROR_CODES if isinstance(fields.get(name), str | int)]
    base, text = fields.get(_MINIMAX), any(map(fields.get, _ERROR_TEXTS))
    return (
        any(map(fields.get, _ERRORS))
        or any(isinstance(value, str) and value and _is_fault(name) for name, value in fields.items())
        or any(isinstance(kind := fields.get(name), str) and _FAULT.search(kind) for name in _KINDS)
        or str(fields.get("name")).endswith(("Error", "Exception"))  # a tool's name may speak of errors
        or any(fields.get(name) is True for name in _FLAGS)
        or any(type(code) is int and code in HTTP_ERRORS for code in codes)
        or bool(codes and text)
        or any(fields.get(name) and isinstance(fields[name], str | list) for name in _LONE_TEXTS)
        or (isinstance(base, dict) and bool(base.get("status_code")))
    )


def _is_fault(name: str) -> bool:
    return _FAULT.search(name) is not None


def _decoded(text: Any) -> Any:
    """The value of a text that is a JSON object; None for anything else."""
    if not isinstance(text, str) or not text.startswith("{") or len(text) > OBJECT_CHARACTERS:
        return None
    try:
        return _decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def _some(message: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: _unechoed(message[name]) for name in names if message.get(name) is not None}


def _unechoed(error: Any) -> Any:
    """The error without the parts of the request that it repeats (rule 4)."""
    if isinstance(error, dict):
        return {name: _unechoed(value) for name, value in error.items() if name not in _ECHOES}
    return [_unechoed(item) for item in error] if isinstance(error, list) else error


FULL_WINDOW = ("model_context_window_exceeded", "model_length")  # z.ai and Anthropic; Mistral


def full_window(reason: str) -> str:
    """The error of an empty answer that ended for this reason; "" if the context window is not full."""
    return f"context window exceeded: {reason}" if reason in FULL_WINDOW else ""


def failed_view(message: Any) -> View | None:
    """The view of a failed model call; None if the message is not one."""
    error = failure(message)
    return View("assistant", stop="error", error=error) if error else None


def reply_view(message: dict[str, Any], view: View) -> View:
    """The view of a model's message, marked as failed if it has an error beside the role."""
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
