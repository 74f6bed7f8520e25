"""Where the agents on this machine keep their sessions, how, and which of them to read.

1. The folder is the one that the agent's own variable names, otherwise one in the home folder. A missing or
   unreadable folder counts as empty.
2. Only sessions that changed since a given time are read.
3. If a session occurs twice, because its agent changed where it keeps sessions, the later row or name wins.

Agents keep a file for each session, files in folders, or a database (`STORES`). A store lists its sessions, and
returns the bytes of one in a format that a reader of recordings takes. OpenCode's sessions are converted to what
`opencode export` writes.

Nothing is written, not even what SQLite readers write beside a database: one with a log is opened with
`readonly_shm`, one without as `immutable`.
"""

import sqlite3
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from ctxmgr.study.recordings import UnreadableRecording

Store = Literal["file", "folders", "database"]
ZSTD = ".zst"
MOST_BYTES = 1 << 30  # the maximum size of a file, and of the content of a compressed one

_decode = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode


class StoreKind(NamedTuple):
    """`listed`: for a path, the ids of its sessions ("" if the path is one session), and when each changed, in
    milliseconds since the epoch. `content`: the bytes of a session, by path and id. Both may raise any exception
    that the files cause.
    """

    listed: Callable[[Path], Iterator[tuple[str, int]]]
    content: Callable[[Path, str], bytes]


def _regular(path: Path) -> int:
    """The size of the file in bytes. Raises if it is no regular file, such as a pipe, which might never end."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableRecording(f"{path.name}: it is not a regular file")
    return status.st_size


def _read(path: Path) -> bytes:
    if _regular(path) > MOST_BYTES:
        raise UnreadableRecording(f"{path.name}: it is larger than {MOST_BYTES:,} bytes")
    return path.read_bytes()


# one file for each session


def _file(path: Path) -> Iterator[tuple[str, int]]:
    yield "", path.stat().st_mtime_ns // 1_000_000


def _file_content(path: Path, id: str) -> bytes:
    content = _read(path)
    if path.suffix != ZSTD:
        return content
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(content) as stream:
        return stream.read(MOST_BYTES)


# OpenCode before 1.2: one file for each session, message and part, in folders by what they belong to


def _folders(path: Path) -> Iterator[tuple[str, int]]:
    yield path.stem, path.stat().st_mtime_ns // 1_000_000


def _folders_content(path: Path, id: str) -> bytes:
    storage = path.parents[2]
    messages = [_decode(_read(file)) for file in sorted((storage / "message" / path.stem).glob("*.json"))]
    return _export(_decode(_read(path)), [(message, _parts(storage, message)) for message in messages])


def _parts(storage: Path, message: dict[str, Any]) -> list[dict[str, Any]]:
    folder = storage / "part" / Path(str(message["id"])).name  # an id is no path
    return [_decode(_read(file)) for file in sorted(folder.glob("*.json"))]


# OpenCode since 1.2: a database


def _database(path: Path) -> Iterator[tuple[str, int]]:
    with closing(_opened(path)) as database:
        yield from database.execute("SELECT id, time_updated FROM session")


def _database_content(path: Path, id: str) -> bytes:
    with closing(_opened(path)) as database:
        kept = database.execute("SELECT directory, revert, project_id FROM session WHERE id = ?", (id,))
        directory, revert, project = next(kept)
        rows = database.execute(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (id,)
        )
        messages = [{**_decode(data), "id": key} for key, data in rows]
        parts: dict[str, list[dict[str, Any]]] = {}
        for message, key, data in database.execute(
            "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id", (id,)
        ):
            parts.setdefault(message, []).append({**_decode(data), "id": key})
    info = {"id": id, "directory": directory, "projectID": project, "revert": _decode(revert) if revert else None}
    return _export(info, [(message, parts.get(message["id"], [])) for message in messages])


def _opened(path: Path) -> sqlite3.Connection:
    _regular(path)
    has_log = all(Path(f"{path}{end}").exists() for end in ("-wal", "-shm"))
    how = "readonly_shm=1" if has_log else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&{how}", uri=True)


def _export(info: dict[str, Any], messages: list[tuple[dict[str, Any], list[dict[str, Any]]]]) -> bytes:
    return _encode({"info": info, "messages": [{"info": message, "parts": parts} for message, parts in messages]})


STORES: dict[Store, StoreKind] = {
    "file": StoreKind(_file, _file_content),
    "folders": StoreKind(_folders, _folders_content),
    "database": StoreKind(_database, _database_content),
}


class AgentFolder(msgspec.Struct, frozen=True):
    """`agent`: its name here; `title`: its name for people. `variable`: names the folder ("" for none); without it
    `folders` in the home folder apply. `patterns`: of the files in the folder. `store`: how its sessions are read
    (`STORES`).
    """

    agent: str
    title: str
    variable: str
    folders: tuple[str, ...]
    patterns: tuple[str, ...]
    store: Store = "file"

    def roots(self, environ: Mapping[str, str], home: Path) -> Iterator[Path]:
        """Rule 1."""
        named = environ.get(self.variable, "")
        yield from (Path(named),) if named else (home / folder for folder in self.folders)


_CLAUDE, _SHARE = (".claude", ".config/claude"), (".local/share",)
_TASKS = "globalStorage/*/tasks/*/api_conversation_history.json"  # Roo Code and Kilo Code store tasks as Cline does
_EDITORS = (".config", "Library/Application Support", "AppData/Roaming")
FOLDERS = (
    AgentFolder("claude", "Claude Code", "CLAUDE_CONFIG_DIR", _CLAUDE, ("projects/*/*-*-*-*-*.jsonl",)),
    AgentFolder("codex", "Codex", "CODEX_HOME", (".codex",), ("*sessions/**/rollout-*",)),
    AgentFolder("opencode", "OpenCode", "XDG_DATA_HOME", _SHARE, ("opencode/storage/session/*/*.json",), "folders"),
    AgentFolder("opencode", "OpenCode", "XDG_DATA_HOME", _SHARE, ("opencode/opencode*.db",), "database"),
    AgentFolder("gemini", "Gemini CLI", "GEMINI_CLI_HOME", ("",), (".gemini/tmp/*/chats/session-*",)),
    AgentFolder("pi", "pi", "PI_CODING_AGENT_DIR", (".pi/agent",), ("sessions/**/*.jsonl",)),
    AgentFolder("cline", "Cline", "XDG_CONFIG_HOME", _EDITORS, (f"*/User/{_TASKS}",)),
    AgentFolder("cline", "Cline", "", (".vscode-server",), (f"data/User/{_TASKS}",)),
    AgentFolder("cline", "Cline", "CLINE_DIR", (".cline",), ("data/tasks/*/api_conversation_history.json",)),
)
DOCUMENTS = (".md", ".txt", ".html")  # beside sessions in a folder
AGENTS = {row.agent: row.title for row in FOLDERS}


class KeptSession(msgspec.Struct, frozen=True, rename="camel"):
    """One session: its agent (a title; "" if unknown), and its place. `id`: within a store of several sessions."""

    title: str
    path: str
    store: Store = "file"
    id: str = ""


class Kept(msgspec.Struct, frozen=True):
    """The sessions found, in the order of their places, and the places that contain sessions but cannot be read."""

    sessions: tuple[KeptSession, ...]
    unreadable: tuple[KeptSession, ...] = ()


def kept(environ: Mapping[str, str], home: Path, since_ms: int, agents: Collection[str] = tuple(AGENTS)) -> Kept:
    """The sessions of these agents that changed since then (milliseconds since the epoch)."""
    found: dict[tuple[str, str], KeptSession] = {}
    unreadable = []
    for row in FOLDERS:
        for path in _files(row, environ, home) if row.agent in agents else ():
            try:
                for id, changed_ms in STORES[row.store].listed(path):
                    if changed_ms >= since_ms:
                        key = id or f"{path.parent}/{path.name.partition('.')[0]}"
                        found[row.agent, key] = KeptSession(row.title, str(path), row.store, id)
            except Exception:  # noqa: BLE001  another program's file may contain anything: count it
                unreadable.append(KeptSession(row.title, str(path), row.store))
    return Kept(tuple(sorted(found.values(), key=lambda session: (session.path, session.id))), tuple(unreadable))


def named(paths: Iterable[str]) -> Kept:
    """These files, and those in these folders, without hidden ones and documents."""
    found: list[Path] = []
    for path in map(Path, paths):
        inside = (file for file in path.rglob("*") if not _is_hidden(file.relative_to(path)))
        found += (
            sorted(file for file in inside if file.is_file() and file.suffix not in DOCUMENTS)
            if path.is_dir()
            else [path]
        )
    return Kept(tuple(KeptSession("", str(file)) for file in dict.fromkeys(found)))


def _files(row: AgentFolder, environ: Mapping[str, str], home: Path) -> list[Path]:
    roots = dict.fromkeys(row.roots(environ, home))
    return sorted({path for root in roots for pattern in row.patterns for path in root.glob(pattern)})


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
