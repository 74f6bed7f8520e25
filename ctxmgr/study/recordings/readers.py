"""Turns a file into a recording; its content decides which reader takes it, never its name.

One reader a kind of file, all to the same two structs. A new host's format is one more reader, one row in
`READERS`, and one more test in `SIGNS`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from ctxmgr.study.recordings import claude_code, codex, opencode, pi_events, pi_sessions, swe_agent
from ctxmgr.study.recordings.json_lines import members, objects
from ctxmgr.study.recordings.openhands import completions, events, sdk
from ctxmgr.study.recordings.recording import Recording, Stream, UnreadableRecording
from ctxmgr.study.recordings.values import UNREADABLE, Json, decoded

KINDS = (
    "a pi session file, a stream of pi events, a transcript of ctxmgr, a Claude Code transcript, a Codex rollout, "
    "an OpenCode export, OpenHands events (a list, an evaluation's output, its completions, or the SDK's), "
    "an SWE-agent trajectory, or a mini-swe-agent trajectory"
)
LINES_LOOKED_AT = 100  # a Claude Code transcript may begin with lines that are not its own kind
SMALL_BYTES = 256  # of a member that is looked at whole
SHAPE_DEPTH = 2  # how far into larger members it is looked

Kind = Literal[
    "transcript",
    "session",
    "events",
    "claude-code",
    "codex",
    "opencode",
    "openhands",
    "openhands-sdk",
    "openhands-completions",
    "swe-agent",
]


class Source(msgspec.Struct, frozen=True):
    """A file's content and how it begins: the members of its first JSON object; of a list, of the first in it.

    Of larger members the shape is there: the members of an object, the first value of a list.
    """

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
    listed = content.lstrip().startswith(b"[")
    for line, piece in _first_list(content, path.name) if listed else objects(content, path.name):
        head = members(piece, path.name, line)
        shape = {name: _shape(bytes(value), SHAPE_DEPTH) for name, value in head.items()}
        return Source(path.name, content, shape, listed)
    raise UnreadableRecording(f"{path.name} is empty; it should be {KINDS}")


def kind(found: Source) -> Kind:
    """What the file is, by its first objects. Raises UnreadableRecording, which names what was tried."""
    for named, sign in SIGNS.items():
        if sign(found):
            return named
    raise UnreadableRecording(f"{found.name} is neither {KINDS}")


def read(found: Source) -> Recording | Stream:
    """The recording in a file that is no transcript. Raises UnreadableRecording, with the line."""
    return READERS[kind(found)](found.name, found.content)


def _first_list(content: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    """The first value of a file that is one list."""
    try:
        values = [bytes(value) for value in msgspec.json.decode(content, type=list[msgspec.Raw])[:1]]
    except UNREADABLE:  # half a surrogate pair, or broken: then this says where
        values = [msgspec.json.encode(value) for value in decoded(content, name, 0)[:1]]
    if not values:
        raise UnreadableRecording(f"{name}, line 1: an empty list; it should be {KINDS}")
    yield 1, values[0]


def _shape(value: bytes, depth: int) -> Any:
    """Members are told apart by name; only short values are looked at whole."""
    if len(value) < SMALL_BYTES:
        try:
            return msgspec.json.decode(value)
        except UNREADABLE:
            return None
    try:
        if depth and value.startswith(b"{"):
            fields = msgspec.json.decode(value, type=dict[str, msgspec.Raw])
            return {name: _shape(bytes(one), depth - 1) for name, one in fields.items()}
        if depth and value.startswith(b"["):
            first = msgspec.json.decode(value, type=list[msgspec.Raw])[:1]
            return [_shape(bytes(one), depth) for one in first]
    except UNREADABLE:
        return None
    return None


# what a file begins with


def _is_transcript(found: Source) -> bool:
    head = found.head
    return "ctxmgr" in head or ("from" in head and bool(head.keys() & {"message", "broken", "weigher", "restored"}))


def _is_session(found: Source) -> bool:
    return found.head.get("type") == "session" or {"header", "entries"} <= found.head.keys()


def _is_events(found: Source) -> bool:
    return {"event", "payload"} <= found.head.keys()


def _is_codex(found: Source) -> bool:
    return "payload" in found.head and found.head.get("type") in codex.TYPES


def _is_completions(found: Source) -> bool:
    return "new_messages" in found.head or {"header", "instance", "calls"} <= found.head.keys()


def _is_openhands_sdk(found: Source) -> bool:
    return {"kind", "source", "timestamp"} <= found.head.keys()


def _is_openhands(found: Source) -> bool:
    if found.listed:
        return _is_event(found.head)
    return _is_event(_first(found.head, "history")) or {"instance_id", "history"} <= found.head.keys()


def _is_event(fields: Json) -> bool:
    return {"id", "source"} <= fields.keys() and bool({"action", "observation"} & fields.keys())


def _is_opencode(found: Source) -> bool:
    first = _first(found.head, "messages")
    listed = "info" in found.head and isinstance(found.head.get("messages"), list)
    return listed and ({"info", "parts"} <= first.keys() or "projectID" in (found.head["info"] or {}))


def _is_swe_agent(found: Source) -> bool:
    if found.listed:
        return {"role", "content"} <= found.head.keys()
    said = _first(found.head, "history") or _first(found.head, "messages")
    return {"role", "content"} <= said.keys()


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


SIGNS: dict[Kind, Callable[[Source], bool]] = {
    "transcript": _is_transcript,
    "session": _is_session,
    "events": _is_events,
    "codex": _is_codex,
    "openhands-completions": _is_completions,
    "openhands-sdk": _is_openhands_sdk,
    "openhands": _is_openhands,
    "opencode": _is_opencode,
    "swe-agent": _is_swe_agent,
    "claude-code": _is_claude_code,  # the one that looks further than the first line: last
}
READERS: dict[str, Callable[[str, bytes], Recording | Stream]] = {
    "session": pi_sessions.read,
    "events": pi_events.read,
    "claude-code": claude_code.read,
    "codex": codex.read,
    "opencode": opencode.read,
    "openhands": events.read,
    "openhands-sdk": sdk.read,
    "openhands-completions": completions.read,
    "swe-agent": swe_agent.read,
}
