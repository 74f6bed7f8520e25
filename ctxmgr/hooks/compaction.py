"""Keeps the user's words, rules and the state of the work over the program's own compactions.

1. `PreCompact` reads the transcript since the last compaction and writes the packet for a list that shows none of
   it. The session's snapshot is kept from one compaction to the next, so the packet covers all of them.
2. `SessionStart` with the source `compact` returns the packet as `additionalContext`. The program puts it beside
   its summary.
3. Programs show about 10,000 characters of that. A longer packet is archived, and its last line says how to get it.
"""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxmgr.hooks.transcripts import Fields, session_id

if TYPE_CHECKING:
    from ctxmgr.settings import ProgramSettings

PACKET = ".packet"  # file ending, after the snapshot's name
CONTEXT_BYTES = 9_500  # Claude Code shows 10,000 characters; Codex shows 2,500 tokens, counted as 4 bytes each
FORMATS = {"claude": "anthropic", "codex": "responses"}
GOES_ON: dict[str, dict[str, Any]] = {  # represents the list after the compaction
    "anthropic": {"role": "user", "content": "Go on."},
    "responses": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]},
}


def before(program: str, fields: Fields) -> None:
    """Writes the packet. Returns no answer. Raises any error."""
    from ctxmgr import settings
    from ctxmgr.devices import retention
    from ctxmgr.devices.snapshots import SnapshotStore
    from ctxmgr.hooks.transcripts import READERS
    from ctxmgr.library import Session
    from ctxmgr.model import policy_keys

    messages = READERS[program](Path(str(fields["transcript_path"])).read_bytes())
    layer = settings.read().settings_for(program)
    directory, id, format = _directory(layer), session_id(fields), FORMATS[program]
    opened = SnapshotStore(directory).open(id)
    if opened.file is None:
        raise OSError(opened.fault)
    try:
        saved = opened.lines[0] if opened.lines else None
        session = Session(layer.policy, format=format, window=layer.window, state=saved)
        session.project(messages)
        session.compacted("")
        opened.file.rewrite([_with_id(session.state, id)])
    finally:
        opened.file.close()
    sent = session.project([GOES_ON[format]])
    packet = "\n".join(_text(message) for message in sent if message != GOES_ON[format])
    _write(_packet_path(directory, id), _fitting(packet, directory, id, layer))
    retention.tidy_originals(directory, policy_keys.policy(layer.policy).archive)


def after(program: str, fields: Fields) -> dict[str, Any] | None:
    """Returns the packet, once. Raises any error."""
    if fields.get("source") != "compact":
        return None
    from ctxmgr import settings

    path = _packet_path(_directory(settings.read().settings_for(program)), session_id(fields))
    try:
        packet = path.read_text("utf-8")
    except FileNotFoundError:  # nothing was prepared
        return None
    path.unlink()
    if not packet:
        return None
    return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": packet}}


def _directory(layer: "ProgramSettings") -> Path:
    from ctxmgr.devices import default_state_dir

    return Path(layer.state_dir or default_state_dir())


def _packet_path(directory: Path, id: str) -> Path:
    from ctxmgr.devices.snapshots import file_name

    return directory / f"{file_name(id)}{PACKET}"


def _with_id(state: bytes, id: str) -> bytes:
    """The snapshot line with the session's id, which the library leaves empty."""
    base = json.loads(state)
    base["sessionId"] = base["state"]["session_id"] = id
    return json.dumps(base, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _text(message: Any) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)


def _fitting(packet: str, directory: Path, id: str, layer: "ProgramSettings") -> str:
    """The packet, shortened to fit (rule 3). Raises ArchiveFault."""
    if len(packet.encode("utf-8", "replace")) <= CONTEXT_BYTES:
        return packet
    from ctxmgr.hooks import cutting

    return cutting.head(packet, CONTEXT_BYTES, cutting.Originals(directory, id, layer))


def _write(path: Path, text: str) -> None:
    """Writes the file atomically, readable only by its owner. Raises OSError."""
    from ctxmgr.devices import files

    made = path.with_name(f"{path.name}.tmp")
    os.close(files.create(made, text.encode("utf-8", "replace")))
    made.replace(path)
