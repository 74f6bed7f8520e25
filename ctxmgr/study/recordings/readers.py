"""Turns a file into a recording. Its content decides which reader is used, never its name.

One reader per kind of file, all with the same two result structs. A new host's file is one more reader, and one
more row in `FILE_KINDS`.
"""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ctxmgr.study.recordings import (
    claude_code,
    codex,
    copilot_cli,
    gemini_cli,
    message_lists,
    opencode,
    pi_sessions,
    swe_agent,
)
from ctxmgr.study.recordings.json_values import Json, decoded, in_utf8, members, objects, table, text, whole_lines
from ctxmgr.study.recordings.openhands import read_completions, read_events, read_sdk
from ctxmgr.study.recordings.recording import Recording, Stream, UnreadableRecording

LINES_LOOKED_AT = 101  # a Claude Code transcript may begin with other lines
TRANSCRIPT_LINES = ("message", "broken", "weigher", "restored")

Reader = Callable[[str, bytes], Recording | Stream]


class Source(msgspec.Struct, frozen=True):
    """A file's content and its `head`: the first JSON object in it. `listed`: the file is one list of them. `torn`:
    the line that ends within its value, 0 for none. It is not in `content`.
    """

    name: str
    content: bytes
    head: Json
    listed: bool = False
    torn: int = 0

    @property
    def warning(self) -> str:
        """For people; "" if the file is whole."""
        if not self.torn:
            return ""
        return f"{self.name}: line {self.torn} ends within a value, as of a session in progress, and is left out"


def source(path: Path) -> Source:
    """Raises UnreadableRecording if the file cannot be read or does not begin with a JSON object."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise UnreadableRecording(f"{path}: {fault.strerror}") from None
    return source_of(path.name, content)


def source_of(name: str, content: bytes) -> Source:
    """What a file of this name contains. Raises UnreadableRecording if it does not begin with a JSON object."""
    content = in_utf8(name, content)
    listed = content.lstrip().startswith(b"[")
    content, torn = (content, 0) if listed else whole_lines(content)
    values = (
        ((1, value) for value in decoded(content, name))
        if listed
        else ((line, decoded(piece, name, line)) for line, piece in objects(content, name))
    )
    first = next(values, None)
    if first is None:
        raise UnreadableRecording(f"{name} is empty; it should be {_kinds()}")
    line, head = first
    if not isinstance(head, dict):
        raise UnreadableRecording(f"{name}, line {line}: not a JSON object")
    return Source(name, content, head, listed, torn)


def read(source: Source) -> Recording | Stream:
    """The recording in a file that is no transcript. Raises UnreadableRecording, with the line."""
    taken = kind(source)
    if taken.reader is None:
        raise UnreadableRecording(f"{source.name} is {taken.description}, not a recording")
    recording = taken.reader(source.name, source.content)
    if source.warning and isinstance(recording, Recording):
        recording = msgspec.structs.replace(recording, notes=(source.warning, *recording.notes))
    return recording


def kind(source: Source) -> "FileKind":
    """By its first objects. Raises UnreadableRecording, which names what was tried."""
    for row in FILE_KINDS:
        if row.sign(source):
            return row
    raise UnreadableRecording(f"{source.name} is neither {_kinds()}")


def _kinds() -> str:
    *most, last = (kind.description for kind in FILE_KINDS)
    return f"{', '.join(most)}, or {last}"


# what a file begins with


def _is_event(fields: Json) -> bool:
    return {"id", "source"} <= fields.keys() and bool({"action", "observation"} & fields.keys())


def _is_claude_code(source: Source) -> bool:
    """Some of the first lines have a place in its tree."""
    first = islice(objects(source.content, source.name), LINES_LOOKED_AT)
    try:
        return not source.listed and any(
            {"uuid", "parentUuid", "sessionId"} <= members(piece, source.name, line).keys() for line, piece in first
        )
    except UnreadableRecording:
        return False


def _messages(source: Source) -> list[Any]:
    """The messages of a plain list of them, [] if the file is no such list."""
    listed = (first for name in message_lists.LISTS if (first := _first(source.head, name)))
    if not message_lists.is_message(next(listed, source.head)):
        return []
    try:
        messages = message_lists.held(source.name, source.content)[1]
    except UnreadableRecording:
        return []
    return messages if all(map(message_lists.is_message, messages)) else []


def _first(head: Json, name: str) -> Json:
    """The first object in a member that is a list."""
    value = head.get(name)
    return value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else {}


class FileKind(NamedTuple):
    """`name` of the kind. `host`: writes such files. `description`, for people. `sign`: identifies it. What reads
    it, None for what is no recording.
    """

    name: str
    host: str
    description: str
    sign: Callable[[Source], bool]
    reader: Reader | None


# in the order in which they are tried
FILE_KINDS: tuple[FileKind, ...] = (
    FileKind(
        "transcript",
        "ctxmgr",
        "a transcript of ctxmgr",
        lambda source: (
            "ctxmgr" in source.head
            or ("from" in source.head and not source.head.keys().isdisjoint(TRANSCRIPT_LINES))
        ),
        None,
    ),
    FileKind(
        "session",
        "pi",
        "a pi session file",
        lambda source: source.head.get("type") == "session" or {"header", "entries"} <= source.head.keys(),
        pi_sessions.read,
    ),
    FileKind(
        "events",
        "pi",
        "a stream of pi events",
        lambda source: {"event", "payload"} <= source.head.keys(),
        pi_sessions.read_events,
    ),
    FileKind(
        "codex",
        "Codex",
        "a Codex rollout",
        lambda source: "payload" in source.head and text(source.head, "type") in codex.TYPES,
        codex.read,
    ),
    FileKind(
        "openhands-completions",
        "OpenHands",
        "completions of OpenHands",
        lambda source: "new_messages" in source.head or {"header", "instance", "calls"} <= source.head.keys(),
        read_completions,
    ),
    FileKind(
        "openhands-sdk",
        "OpenHands",
        "events of OpenHands' SDK",
        lambda source: {"kind", "source", "timestamp"} <= source.head.keys(),
        read_sdk,
    ),
    FileKind(
        "openhands",
        "OpenHands",
        "events of OpenHands or of an evaluation",
        lambda source: (
            _is_event(source.head if source.listed else _first(source.head, "history"))
            or (not source.listed and {"instance_id", "history"} <= source.head.keys())
        ),
        read_events,
    ),
    FileKind(
        "opencode",
        "OpenCode",
        "an OpenCode export",
        lambda source: (
            "info" in source.head
            and isinstance(source.head.get("messages"), list)
            and (
                {"info", "parts"} <= _first(source.head, "messages").keys()
                or "projectID" in table(source.head, "info")
            )
        ),
        opencode.read,
    ),
    FileKind(
        "swe-agent",
        "SWE-agent",
        "a trajectory of SWE-agent or of its mini",
        lambda source: (
            (
                {"role", "content"} <= (_first(source.head, "history") or _first(source.head, "messages")).keys()
                and not source.head.keys().isdisjoint({"history", "trajectory_format", "info"})
            )
            or (source.listed and swe_agent.is_minis(_messages(source)))
        ),
        swe_agent.read,
    ),
    FileKind(
        "copilot-cli",
        "Copilot CLI",
        "events of Copilot CLI",
        lambda source: (
            isinstance(source.head.get("data"), dict) and text(source.head, "type").startswith(copilot_cli.FAMILIES)
        ),
        copilot_cli.read,
    ),
    FileKind(
        "gemini-cli",
        "Gemini CLI",
        "a session of Gemini CLI",
        lambda source: not source.listed and gemini_cli.is_session(source.head),
        gemini_cli.read,
    ),
    FileKind(
        "cline",
        "Cline",
        "a task of Cline, Roo Code or Kilo Code (api_conversation_history.json)",
        lambda source: message_lists.is_clines(_messages(source)),
        message_lists.read,
    ),
    FileKind(
        "messages",
        "chat completions",
        "a list of chat completions or of Anthropic's messages",
        lambda source: bool(_messages(source)),
        message_lists.read,
    ),
    # last, because it reads beyond the first line
    FileKind("claude-code", "Claude Code", "a Claude Code transcript", _is_claude_code, claude_code.read),
)
