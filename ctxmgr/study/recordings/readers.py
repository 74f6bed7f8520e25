"""Turns a file into a recording; its content decides which reader takes it, never its name.

One reader a kind of file, all to the same two structs. A new host's file is one more reader, and one more row in
`FILE_KINDS`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from ctxmgr.study.recordings import claude_code, codex, opencode, pi_events, pi_sessions, swe_agent
from ctxmgr.study.recordings.json_values import Json, decoded, members, objects, table, whole
from ctxmgr.study.recordings.openhands import read_completions, read_events, read_sdk
from ctxmgr.study.recordings.recording import Recording, Stream, UnreadableRecording

LINES_LOOKED_AT = 100  # a Claude Code transcript may begin with lines that are not its own kind
TRANSCRIPT_LINES = ("message", "broken", "weigher", "restored")

Reader = Callable[[str, bytes], Recording | Stream]


class Source(msgspec.Struct, frozen=True):
    """A file's content and its `head`: the first JSON object in it; `listed`: the file is one list of them."""

    name: str
    content: bytes
    head: Json
    listed: bool = False


def source(path: Path) -> Source:
    """Raises UnreadableRecording where the file can not be read or does not begin with a JSON object."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise UnreadableRecording(f"{path}: {fault.strerror}") from None
    return source_of(path.name, content)


def source_of(name: str, content: bytes) -> Source:
    """What a file of this name has in it. Raises UnreadableRecording where it does not begin with a JSON object."""
    listed = content.lstrip().startswith(b"[")
    if listed:
        first = next(((1, value) for value in whole(name, content)), None)
    else:
        first = next(((line, decoded(piece, name, line)) for line, piece in objects(content, name)), None)
    if first is None:
        raise UnreadableRecording(f"{name} is empty; it should be {_kinds()}")
    line, head = first
    if not isinstance(head, dict):
        raise UnreadableRecording(f"{name}, line {line}: no JSON object")
    return Source(name, content, head, listed)


def kind(found: Source) -> str:
    """The name of its kind, by its first objects. Raises UnreadableRecording, which names what was tried."""
    return file_kind(found).name


def read(found: Source) -> Recording | Stream:
    """The recording in a file that is no transcript. Raises UnreadableRecording, with the line."""
    taken = file_kind(found)
    if taken.reader is None:
        raise UnreadableRecording(f"{found.name} is {taken.description}, and no recording")
    return taken.reader(found.name, found.content)


def file_kind(found: Source) -> "FileKind":
    """By its first objects. Raises UnreadableRecording, which names what was tried."""
    for one in FILE_KINDS:
        if one.sign(found):
            return one
    raise UnreadableRecording(f"{found.name} is neither {_kinds()}")


def _kinds() -> str:
    *most, last = (one.description for one in FILE_KINDS)
    return f"{', '.join(most)}, or {last}"


# what a file begins with


def _is_event(fields: Json) -> bool:
    return {"id", "source"} <= fields.keys() and bool({"action", "observation"} & fields.keys())


def _is_claude_code(found: Source) -> bool:
    """Some of the first lines have a place in its tree."""
    if found.listed:
        return False
    try:
        for number, (line, piece) in enumerate(objects(found.content, found.name)):
            if {"uuid", "parentUuid", "sessionId"} <= members(piece, found.name, line).keys():
                return True
            if number >= LINES_LOOKED_AT:
                break
    except UnreadableRecording:
        return False
    return False


def _first(head: Json, name: str) -> Json:
    """The first object in a member that is a list."""
    value = head.get(name)
    return value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else {}


class FileKind(NamedTuple):
    """`name` of the kind; the `host` that writes such files; its `description`, for people; its `sign`, by which it
    is known; what reads it, None for what is no recording."""

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
        lambda found: (
            "ctxmgr" in found.head or ("from" in found.head and not found.head.keys().isdisjoint(TRANSCRIPT_LINES))
        ),
        None,
    ),
    FileKind(
        "session",
        "pi",
        "a pi session file",
        lambda found: found.head.get("type") == "session" or {"header", "entries"} <= found.head.keys(),
        pi_sessions.read,
    ),
    FileKind(
        "events",
        "pi",
        "a stream of pi events",
        lambda found: {"event", "payload"} <= found.head.keys(),
        pi_events.read,
    ),
    FileKind(
        "codex",
        "Codex",
        "a Codex rollout",
        lambda found: "payload" in found.head and found.head.get("type") in codex.TYPES,
        codex.read,
    ),
    FileKind(
        "openhands-completions",
        "OpenHands",
        "completions of OpenHands",
        lambda found: "new_messages" in found.head or {"header", "instance", "calls"} <= found.head.keys(),
        read_completions,
    ),
    FileKind(
        "openhands-sdk",
        "OpenHands",
        "events of OpenHands' SDK",
        lambda found: {"kind", "source", "timestamp"} <= found.head.keys(),
        read_sdk,
    ),
    FileKind(
        "openhands",
        "OpenHands",
        "events of OpenHands or of an evaluation",
        lambda found: (
            _is_event(found.head if found.listed else _first(found.head, "history"))
            or (not found.listed and {"instance_id", "history"} <= found.head.keys())
        ),
        read_events,
    ),
    FileKind(
        "opencode",
        "OpenCode",
        "an OpenCode export",
        lambda found: (
            "info" in found.head
            and isinstance(found.head.get("messages"), list)
            and (
                {"info", "parts"} <= _first(found.head, "messages").keys()
                or "projectID" in table(found.head, "info")
            )
        ),
        opencode.read,
    ),
    FileKind(
        "swe-agent",
        "SWE-agent",
        "a trajectory of SWE-agent or of its mini",
        lambda found: (
            {"role", "content"}
            <= (
                found.head if found.listed else _first(found.head, "history") or _first(found.head, "messages")
            ).keys()
        ),
        swe_agent.read,
    ),
    # the one that looks further than the first line: last
    FileKind("claude-code", "Claude Code", "a Claude Code transcript", _is_claude_code, claude_code.read),
)
