"""How agents keep sessions: a file each, files in folders, or a database. Lists the sessions, and returns the bytes
of one in a format that a reader of recordings takes.

Nothing is written, not even what SQLite readers write beside a database: one with a log is opened with
`readonly_shm`, one without as `immutable`.

OpenCode's sessions are converted to what `opencode export` writes.
"""

import sqlite3
import stat
from collections.abc import Callable, Iterator
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
