"""Sessions of each agent are found where it keeps them, and nothing there is touched."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ctxmgr.cli import study
from ctxmgr.study.recordings import Recording, readers
from ctxmgr.study.savings.agents import AGENTS, FOLDERS, STORES, Kept, KeptSession, kept, named
from tests.unit.study.recorded import seen
from tests.unit.study.savings import made

DATABASE = ".local/share/opencode/opencode.db"
VARIABLES = [
    ("claude", "CLAUDE_CONFIG_DIR", "projects/-w/5-e-5-5-1.jsonl", made.claude),
    ("codex", "CODEX_HOME", "archived_sessions/rollout-1.jsonl", made.codex),
    ("gemini", "GEMINI_CLI_HOME", ".gemini/tmp/p/chats/session-1.json", made.gemini),
    ("pi", "PI_CODING_AGENT_DIR", "sessions/--w--/s.jsonl", made.pi),
    ("cline", "XDG_CONFIG_HOME", "Code/User/globalStorage/x.y/tasks/1/api_conversation_history.json", made.cline),
    ("cline", "CLINE_DIR", "data/tasks/1/api_conversation_history.json", made.cline),
]


def of_home(home: Path, since_ms: int = 0, *agents: str) -> Kept:
    return kept({}, home, since_ms, agents or tuple(AGENTS))


def recording(session: KeptSession) -> Recording:
    content = STORES[session.store].content(Path(session.path), session.id)
    found = readers.read(readers.source_of(Path(session.path).name, content))
    assert isinstance(found, Recording)
    return found


def tree(home: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in home.rglob("*") if path.is_file()}


def test_each_agents_sessions_are_found_and_read(tmp_path: Path) -> None:
    made.a_home(tmp_path)
    sessions = of_home(tmp_path).sessions
    assert sorted(session.title for session in sessions) == sorted(AGENTS.values())
    for session in sessions:
        found = recording(session)
        assert found.host == session.title
        assert [entry.role for entry in found.entries if entry.role != "custom"][:3] == [
            "user",
            "assistant",
            "toolResult",
        ]


@pytest.mark.parametrize(("agent", "variable", "path", "content"), VARIABLES, ids=[row[1] for row in VARIABLES])
def test_a_variable_names_the_folder(tmp_path: Path, agent: str, variable: str, path: str, content: object) -> None:
    made.a_home(tmp_path / "home")
    assert callable(content)
    file = made.put(tmp_path / "named" / path, content(1))
    found = kept({variable: str(tmp_path / "named")}, tmp_path / "home", 0, (agent,)).sessions
    assert str(file) in [session.path for session in found]
    assert len([row for row in FOLDERS if row.variable == variable]) == 1
    rest = [session for session in found if session.path != str(file)]
    assert not [session for session in rest if agent != "cline"]


def test_opencodes_data_folder_is_named_by_its_variable(tmp_path: Path) -> None:
    file = made.opencode_database(tmp_path / "data/opencode/opencode-beta.db", {"ses_1": 1, "ses_2": 1})
    found = kept({"XDG_DATA_HOME": str(tmp_path / "data")}, tmp_path / "home", 0)
    assert [(session.path, session.id) for session in found.sessions] == [
        (str(file), "ses_1"),
        (str(file), "ses_2"),
    ]


def test_only_those_changed_since_count(tmp_path: Path) -> None:
    old = made.put(tmp_path / ".claude/projects/-w/0-1-d-0-0.jsonl", made.claude(1))
    os.utime(old, ns=(0, 5_000_000))
    made.opencode_database(tmp_path / DATABASE, {"ses_1": 1}, changed_ms=5)
    assert len(of_home(tmp_path, 5).sessions) == 2
    assert of_home(tmp_path, 6).sessions == ()


def test_a_session_that_is_kept_twice_counts_once(tmp_path: Path) -> None:
    made.opencode_folders(tmp_path / ".local/share/opencode/storage", "ses_1", 1)
    made.opencode_folders(tmp_path / ".local/share/opencode/storage", "ses_2", 1)
    made.opencode_database(tmp_path / DATABASE, {"ses_1": 1})
    for name in ("session-1.json", "session-1.jsonl"):
        made.put(tmp_path / ".gemini/tmp/p/chats" / name, made.gemini(1))
    found = [(Path(session.path).name, session.id) for session in of_home(tmp_path).sessions]
    assert sorted(found) == [("opencode.db", "ses_1"), ("ses_2.json", "ses_2"), ("session-1.jsonl", "")]


def test_what_opencode_kept_in_folders_reads_as_from_its_database(tmp_path: Path) -> None:
    made.opencode_folders(tmp_path / "old/.local/share/opencode/storage", "ses_1", 2)
    made.opencode_database(tmp_path / "new" / DATABASE, {"ses_0": 1, "ses_1": 2})
    (old,) = of_home(tmp_path / "old").sessions
    new = of_home(tmp_path / "new").sessions[1]
    assert seen(recording(old)) == seen(recording(new))
    assert len(seen(recording(new))) == 5


def test_a_compressed_rollout_is_read(tmp_path: Path) -> None:
    import zstandard

    content = zstandard.ZstdCompressor().compress(made.codex(2))
    made.put(tmp_path / ".codex/sessions/2026/11/30/rollout-1.jsonl.zst", content)
    (session,) = of_home(tmp_path).sessions
    assert len(seen(recording(session))) == 5


def test_a_database_that_is_none_is_counted_and_stops_nothing(tmp_path: Path) -> None:
    made.a_home(tmp_path)
    (tmp_path / DATABASE).write_bytes(b"no database")
    found = of_home(tmp_path)
    assert [session.path for session in found.unreadable] == [str(tmp_path / DATABASE)]
    assert len(found.sessions) == len(AGENTS) - 1


def test_the_files_of_claude_codes_sub_agents_are_no_sessions(tmp_path: Path) -> None:
    made.put(tmp_path / ".claude/projects/-w/agent-a1b2c3d4.jsonl", made.claude(1))
    made.put(tmp_path / ".claude/projects/-w/5-e-5-5-1/subagents/agent-a1b2c3d4.jsonl", made.claude(1))
    assert of_home(tmp_path).sessions == ()


def test_an_open_database_is_read_with_its_log_and_nothing_is_written(tmp_path: Path) -> None:
    """Another process's: connections of one process share what they write beside a database."""
    with closing(sqlite3.connect(made.opencode_database(tmp_path / "agent" / DATABASE, {"ses_1": 1}))) as agent:
        agent.execute("PRAGMA journal_mode = wal")
        agent.execute("INSERT INTO session VALUES ('ses_2', 'p', '/w', NULL, 1)")
        agent.commit()
        shutil.copytree(tmp_path / "agent", tmp_path / "home")
    before = tree(tmp_path / "home")
    assert [Path(path).name for path in sorted(before)] == ["opencode.db", "opencode.db-shm", "opencode.db-wal"]
    assert [session.id for session in of_home(tmp_path / "home").sessions] == ["ses_1", "ses_2"]
    assert tree(tmp_path / "home") == before


def test_an_id_in_a_message_is_no_path(tmp_path: Path) -> None:
    storage = tmp_path / ".local/share/opencode/storage"
    made.opencode_folders(storage, "ses_1", 1)
    secret = made.put(tmp_path / "secret" / "a.json", b'{"type": "text", "text": "secret"}')
    made.put(storage / "message/ses_1/msg_z.json", b'{"id": "%s", "role": "user"}' % os.fsencode(secret.parent))
    (session,) = of_home(tmp_path).sessions
    assert "secret" not in str(seen(recording(session)))


def test_folders_that_are_named_are_looked_through_but_for_hidden_files_and_documents(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a/a.jsonl", ".git/c.jsonl", "a/.d.jsonl"):
        made.put(tmp_path / name, made.pi(1))
    for name in ("README.md", "a/notes.txt", "a/report.html"):
        made.put(tmp_path / name, b"words")
    found = [session.path for session in named([str(tmp_path), str(tmp_path / "b.jsonl")]).sessions]
    assert found == [str(tmp_path / "a/a.jsonl"), str(tmp_path / "b.jsonl")]


def test_the_command_line_names_the_agents() -> None:
    assert tuple(AGENTS) == study.KEEPERS
