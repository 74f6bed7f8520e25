"""Where the agents on this machine keep their sessions, and which of them to read.

1. The folder is the one that the agent's own variable names, otherwise one in the home folder. A missing or
   unreadable folder counts as empty.
2. Only sessions that changed since a given time are read.
3. If a session occurs twice, because its agent changed where it keeps sessions, the later row or name wins.

Nothing is written there (`stores`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from ctxmgr.study.savings.stores import STORES, Store


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
