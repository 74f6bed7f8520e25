"""What calls do, as hosts write them: facts of their sources and of recorded sessions; tools without a row, known
by their words and arguments alone; and tools that a host declares.

`does` is what was done to files: (kind, path); a kind is read, write, edit, delete. A call without any looks, runs
or plans. `names` is what its marker has to name, where that is none of the files. `tasks`: the states it gives.
"""

from typing import Any, NamedTuple

import pytest

from ctxmgr.engine.tools import CATALOG, FileEffect, tool_call
from ctxmgr.model.tools import DeclaredTool

LONG = "\n".join(f"    value_{number} = compute({number})" for number in range(40))


class Known(NamedTuple):
    host: str
    tool: str
    arguments: dict[str, Any]
    does: tuple[tuple[str, str], ...] = ()
    names: str = ""
    tasks: tuple[str, ...] = ()
    declared: dict[str, str] = {}  # by its host, beside the name


def read(*paths: str) -> tuple[tuple[str, str], ...]:
    return tuple(("read", path) for path in paths)


def write(*paths: str) -> tuple[tuple[str, str], ...]:
    return tuple(("write", path) for path in paths)


def edit(*paths: str) -> tuple[tuple[str, str], ...]:
    return tuple(("edit", path) for path in paths)


def delete(*paths: str) -> tuple[tuple[str, str], ...]:
    return tuple(("delete", path) for path in paths)


def script(*calls: str) -> dict[str, Any]:
    """What Codex hands to its `exec`."""
    return {"input": "".join(f"const r = await tools.{call};\ntext(r.output);\n" for call in calls)}


OLD_NEW = {"old_string": "a", "new_string": LONG}
EDITS = [{"filePath": "/w/a.py", "oldString": "a", "newString": LONG}, {"filePath": "/w/b.py", "newString": "b"}]
CALLS = [
    Known("Claude Code", "Edit", {"file_path": "/w/src/a.py", **OLD_NEW}, edit("/w/src/a.py")),
    Known("Gemini CLI", "read_file", {"absolute_path": "/w/a.py"}, read("/w/a.py")),
    Known("Gemini CLI", "write_file", {"file_path": "/w/a.py", "content": LONG}, write("/w/a.py")),
    Known(
        "Cursor", "edit_file", {"target_file": "src/a.py", "instructions": "x", "code_edit": LONG}, edit("src/a.py")
    ),
    Known("Windsurf", "view_file", {"AbsolutePath": "/w/a.py", "StartLine": 0, "EndLine": 90}, read("/w/a.py")),
    Known("Claude Code", "mcp__fs__read_file", {"path": "src/a.py"}, read("src/a.py")),
    Known("Codex", "exec_command", {"cmd": "sed -i 's/a/b/' src/a.py", "workdir": "/w"}, edit("/w/src/a.py")),
    Known("Codex", "exec_command", {"cmd": f"cat > src/a.py <<'EOF'\n{LONG}\nEOF"}, write("src/a.py")),
    Known("Codex", "shell_command", {"command": "cargo test --lib"}, names="cargo test --lib"),
    Known(
        "Windsurf",
        "replace_file_content",
        {"TargetFile": "/w/a.py", "ReplacementChunks": [{"TargetContent": "a", "ReplacementContent": LONG}]},
        edit("/w/a.py"),
    ),
    # Claude Code
    Known("Claude Code", "Grep", {"pattern": "compute", "path": "src"}, names="compute"),
    Known("Claude Code", "WebFetch", {"url": "https://a.example/x", "prompt": "y"}, names="a.example/x"),
    Known("Claude Code", "TodoWrite", {"todos": [{"content": "a", "status": "in_progress"}]}, tasks=("active",)),
    # Codex
    Known(
        "Codex",
        "exec",
        script('exec_command({cmd:"cargo test"})', "write_stdin({session_id:1})"),
        names="cargo test",
    ),
    Known("Claude Code", "AskUserQuestion", {"questions": [{"question": "a?", "options": []}]}),
    Known("Codex", "request_user_input", {"questions": [{"id": "q", "question": "a?", "options": []}]}),
    Known("Cline", "ask_followup_question", {"question": "a?", "options": '["b"]'}),
    Known("Claude Code", "ExitPlanMode", {"plan": "# Do it"}),
    Known("Claude Code", "TaskList", {}),
    Known("Codex", "update_plan", {"plan": [{"step": "a", "status": "completed"}]}, tasks=("done",)),
    # OpenHands
    Known("OpenHands", "execute_bash", {"command": "cd /w && head -50 a.py"}, read("/w/a.py")),
    Known(
        "OpenHands",
        "task_tracker",
        {"command": "plan", "task_list": [{"id": "1", "title": "a", "status": "todo", "notes": ""}]},
        tasks=("open",),
    ),
    # Gemini CLI
    Known("Gemini CLI", "read_many_files", {"include": ["a.py", "docs/*.md"]}, read("a.py")),
    Known("Gemini CLI", "run_shell_command", {"command": "cat a.py", "dir_path": "lib"}, read("lib/a.py")),
    Known("Gemini CLI", "list_directory", {"dir_path": "src/lib"}, names="src/lib"),
    # Cursor
    Known("Cursor", "search_replace", {"file_path": "a.py", **OLD_NEW}, edit("a.py")),
    # Cline
    Known(
        "Cline",
        "replace_in_file",
        {"path": "src/a.py", "diff": f"------- SEARCH\na\n=======\n{LONG}\n+++++++ REPLACE"},
        edit("src/a.py"),
    ),
    # Roo Code
    Known(
        "Roo Code",
        "apply_diff",
        {"path": "src/a.py", "diff": f"<<<<<<< SEARCH\na\n=======\n{LONG}\n>>>>>>> REPLACE"},
        edit("src/a.py"),
    ),
    Known("Roo Code", "insert_content", {"path": "src/a.py", "line": 3, "content": LONG}, edit("src/a.py")),
    Known(
        "Roo Code",
        "search_and_replace",
        {"path": "a.py", "operations": [{"search": "a", "replace": LONG}]},
        edit("a.py"),
    ),
    Known("Roo Code", "update_todo_list", {"todos": "[x] a\n[-] b\n[ ] c"}, tasks=("done", "active", "open")),
    # Aider
    Known("Aider", "write_file", {"explanation": "x", "files": [{"path": "a.py", "content": LONG}]}, write("a.py")),
    Known(
        "Aider",
        "replace_lines",
        {"explanation": "x", "edits": [{"path": "a.py", "original_lines": ["a"], "updated_lines": [LONG]}]},
        edit("a.py"),
    ),
    # Goose
    Known("Goose", "developer__text_editor", {"command": "view", "path": "/w/a.py"}, read("/w/a.py")),
    Known(
        "Goose",
        "developer__text_editor",
        {"command": "write", "path": "/w/a.py", "file_text": LONG},
        write("/w/a.py"),
    ),
    Known("Goose", "tree", {"path": "src", "depth": 2}, names="src"),
    Known("Goose", "todo__todo_write", {"content": "- [x] a\n- [ ] b"}, tasks=("done", "open")),
    # Copilot
    Known("Copilot", "create_file", {"filePath": "/w/a.py", "content": LONG}, write("/w/a.py")),
    Known(
        "Copilot",
        "replace_string_in_file",
        {"filePath": "/w/a.py", "oldString": "a", "newString": LONG},
        edit("/w/a.py"),
    ),
    Known(
        "Copilot",
        "multi_replace_string_in_file",
        {"explanation": "x", "replacements": EDITS},
        edit("/w/a.py", "/w/b.py"),
    ),
    Known(
        "Copilot",
        "insert_edit_into_file",
        {"explanation": "x", "filePath": "/w/a.py", "code": LONG},
        edit("/w/a.py"),
    ),
    Known(
        "Copilot",
        "manage_todo_list",
        {"todoList": [{"id": 1, "title": "a", "status": "not-started"}]},
        tasks=("open",),
    ),
]

UNLISTED = [
    Known("a server", "mcp__files__get_file_contents", {"path": "src/a.py"}, read("src/a.py")),
    Known("a server", "fetch_source_file", {"relativePath": "src/a.py"}, read("src/a.py")),
    Known("a server", "mcp_fs_write_text", {"filepath": "a.py", "text": LONG}, write("a.py")),
    Known("a server", "modify_code", {"file_name": "a.py", "old_code": "a", "new_code": LONG}, edit("a.py")),
    Known("a server", "smart_fix", {"path": "a.py", "before": "a", "after": LONG}, edit("a.py")),
    Known("a server", "persist", {"filename": "a.py", "content": LONG}, write("a.py")),
    Known("a server", "append_to_file", {"path": "a.py", "content": LONG}, edit("a.py")),
    Known("a server", "runCommandInSandbox", {"commandLine": "cat a.py", "cwd": "/w"}, read("/w/a.py")),
    Known("a server", "find_symbol", {"name_path": "A/b", "relative_path": "src/a.py"}, names="src/a.py"),
    # what takes away something inside a file edits it
    Known(
        "a server", "delete_lines", {"relative_path": "src/a.py", "start_line": 4, "end_line": 9}, edit("src/a.py")
    ),
    Known("a server", "erase", {"path": "a.py", "line_range": [1, 2]}, names="a.py"),
    Known("a server", "remove", {"path": "a.py", "line_range": [1, 2]}, edit("a.py")),
    Known("a server", "rename_variable", {"path": "a.py", "old_name": "x", "new_name": "y"}, edit("a.py")),
    # a copy leaves its source
    Known("a server", "fs_copy", {"src": "a.py", "dst": "b.py"}, write("b.py")),
    Known("a server", "move", {"from": "a.py", "to": "b.py"}, delete("a.py") + write("b.py")),
    # arguments by other names
    Known(
        "a server", "replace_text_in_file", {"pathInProject": "a.py", "oldText": "a", "newText": "b"}, edit("a.py")
    ),
    Known("a server", "write_files", {"files": {"a.py": "x", "b.py": "y"}}, write("a.py", "b.py")),
    Known("a server", "file_manager", {"op": "delete", "path": "a.py"}, delete("a.py")),
    Known("a server", "fs", {"action": "read", "path": "a.py"}, read("a.py")),
    Known("a server", "spawn_in_pty", {"cmdline": "cat a.py"}, read("a.py")),
    Known("a server", "shell_write", {"path": "a.py", "content": LONG}, write("a.py")),
    Known("a server", "send_email", {"to": "a@b.c", "body": "x", "attachment_path": "a.pdf"}, names="a@b.c"),
]


def declared(tool: str, does: dict[str, str], arguments: dict[str, Any], *done: tuple[str, str]) -> Known:
    return Known("declared", tool, arguments, done, declared=does)


CARRIES = {"reads": "from", "writes": "to"}
DECLARED = [
    declared("peruse", {"reads": "what"}, {"what": "src/a.py"}, *read("src/a.py")),
    declared("peruse", {"reads": "what"}, {"what": ["a.py", "b.py"]}, *read("a.py", "b.py")),
    declared("delete_cache", {"reads": "key"}, {"key": "a.py", "path": "/var/cache"}, *read("a.py")),
    declared("commit", {"writes": "doc"}, {"doc": "a.py", "body": LONG}, *write("a.py")),
    declared("read", {"writes": "to"}, {"to": "a.py", "path": "template.j2"}, *write("a.py")),
    declared("polish", {"edits": "doc"}, {"doc": "a.py", "old_str": "a", "new_str": LONG}, *edit("a.py")),
    declared("retire", {"deletes": "doc"}, {"doc": "src/a.py"}, *delete("src/a.py")),
    declared("carry", CARRIES, {"from": "a.py", "to": "b.py"}, *read("a.py"), *write("b.py")),
    declared("carry", CARRIES, {"from": "a.py"}, *read("a.py")),
    declared("toolbox", {"runs": "line"}, {"line": "sed -n 1,20p src/a.py", "note": "look"}, *read("src/a.py")),
    declared("read_all", {"runs": "line"}, {"line": "rm src/a.py", "path": "b.py"}, *delete("src/a.py")),
    declared("read_mail", {"lists": "box"}, {"box": "inbox", "path": "a.py"}),
    declared("open", {"searches": "where"}, {"where": "src", "path": "a.py"}),
    declared("open", {"searches": "where"}, {"text": "order"}),
]


def told(effects: tuple[FileEffect, ...]) -> set[tuple[str, str]]:
    """(kind, path) of each change and read; a move takes one file away and writes another."""
    found: set[tuple[str, str]] = set()
    for effect in effects:
        if effect.path and effect.kind in ("read", "write", "edit", "delete", "move"):
            found.add(("delete" if effect.kind == "move" else effect.kind, effect.path))
        if effect.to:
            found.add(("write", effect.to))
    return found


@pytest.mark.parametrize("known", [*CALLS, *UNLISTED, *DECLARED], ids=lambda known: f"{known.host}: {known.tool}")
def test_what_a_call_did(known: Known) -> None:
    own = (DeclaredTool(known.tool, **known.declared),) if known.declared else ()
    call = tool_call(known.tool, known.arguments, own)
    assert told(call.effects) == set(known.does)
    assert tuple(task.status for task in call.tasks.tasks) == known.tasks if call.tasks else not known.tasks
    assert known.names in str(call.key_arguments)
    assert {path for _, path in known.does} <= set(call.paths)


def test_a_known_host_has_its_tools_listed_and_others_are_known_by_words_and_roles_alone() -> None:
    assert [one for one in CALLS if CATALOG.row(one.tool, one.arguments) is None] == []
    assert [one for one in UNLISTED if CATALOG.row(one.tool, one.arguments) is not None] == []
