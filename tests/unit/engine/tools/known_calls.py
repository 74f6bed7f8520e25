"""Calls of known hosts as they write them, each with what it does: facts of their sources and of recorded sessions.

`does` is what was done to files: (kind, path); a kind is read, write, edit, delete. A call without any looks, runs
or plans. `names` is what its marker has to name, where that is none of the files. `tasks`: the states it gives.
"""

from typing import Any, NamedTuple

LONG = "\n".join(f"    value_{number} = compute({number})" for number in range(40))
PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def f():
-    old
+    new
*** Add File: b.py
+x
*** End Patch"""


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
# the calls of the cold read
HOUSE = [
    Known("pi", "read", {"path": "src/a.py"}, read("src/a.py")),
    Known("Claude Code", "Edit", {"file_path": "/w/src/a.py", **OLD_NEW}, edit("/w/src/a.py")),
    Known("Claude Code", "Read", {"file_path": "/w/src/a.py", "offset": 10, "limit": 20}, read("/w/src/a.py")),
    Known(
        "OpenHands",
        "str_replace_editor",
        {"command": "str_replace", "path": "/w/a.py", "old_str": "a", "new_str": LONG},
        edit("/w/a.py"),
    ),
    Known("OpenHands", "str_replace_editor", {"command": "view", "path": "/w/a.py"}, read("/w/a.py")),
    Known("Gemini CLI", "read_file", {"absolute_path": "/w/a.py"}, read("/w/a.py")),
    Known("Gemini CLI", "write_file", {"file_path": "/w/a.py", "content": LONG}, write("/w/a.py")),
    Known("Gemini CLI", "read_many_files", {"paths": ["a.py", "b.py"]}, read("a.py", "b.py")),
    Known(
        "Cursor",
        "edit_file",
        {"target_file": "src/a.py", "instructions": "x", "code_edit": LONG},
        edit("src/a.py"),
    ),
    Known("Windsurf", "view_file", {"AbsolutePath": "/w/a.py", "StartLine": 0, "EndLine": 90}, read("/w/a.py")),
    Known("Claude Code", "mcp__fs__read_file", {"path": "src/a.py"}, read("src/a.py")),
    Known("Claude Code", "mcp__x__write_file", {"path": "src/a.py", "content": LONG}, write("src/a.py")),
    Known("Codex", "shell", {"command": ["bash", "-lc", "cat a.py"], "workdir": "/w"}, read("/w/a.py")),
    Known("Codex", "exec_command", {"cmd": "sed -i 's/a/b/' src/a.py", "workdir": "/w"}, edit("/w/src/a.py")),
    Known("Codex", "exec_command", {"cmd": f"cat > src/a.py <<'EOF'\n{LONG}\nEOF"}, write("src/a.py")),
    Known("Codex", "shell_command", {"command": "cargo test --lib"}, names="cargo test --lib"),
    Known("Codex", "apply_patch", {"input": PATCH}, (*edit("src/a.py"), *write("b.py"))),
    Known(
        "Windsurf",
        "replace_file_content",
        {"TargetFile": "/w/a.py", "ReplacementChunks": [{"TargetContent": "a", "ReplacementContent": LONG}]},
        edit("/w/a.py"),
    ),
]
EDITS = [{"filePath": "/w/a.py", "oldString": "a", "newString": LONG}, {"filePath": "/w/b.py", "newString": "b"}]
CALLS = [
    *HOUSE,
    # Claude Code
    Known("Claude Code", "Grep", {"pattern": "compute", "path": "src"}, names="compute"),
    Known("Claude Code", "WebFetch", {"url": "https://a.example/x", "prompt": "y"}, names="a.example/x"),
    Known("Claude Code", "TodoWrite", {"todos": [{"content": "a", "status": "in_progress"}]}, tasks=("active",)),
    Known("Claude Code", "TaskCreate", {"subject": "Mend it", "description": "all"}, tasks=("open",)),
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
    # OpenCode
    Known("OpenCode", "todowrite", {"todos": [{"content": "a", "status": "pending", "id": "1"}]}, tasks=("open",)),
    # OpenHands
    Known("OpenHands", "execute_bash", {"command": "cd /w && head -50 a.py"}, read("/w/a.py")),
    Known("OpenHands", "terminal", {"command": "rm /w/a.py"}, delete("/w/a.py")),
    Known(
        "OpenHands",
        "task_tracker",
        {"command": "plan", "task_list": [{"id": "1", "title": "a", "status": "todo", "notes": ""}]},
        tasks=("open",),
    ),
    # SWE-agent, mini-swe-agent
    # Gemini CLI
    Known("Gemini CLI", "read_many_files", {"include": ["a.py", "docs/*.md"]}, read("a.py")),
    Known("Gemini CLI", "run_shell_command", {"command": "cat a.py", "dir_path": "lib"}, read("lib/a.py")),
    Known("Gemini CLI", "grep_search", {"pattern": "compute", "dir_path": "src", "before": 3}, names="compute"),
    Known("Gemini CLI", "list_directory", {"dir_path": "src/lib"}, names="src/lib"),
    Known("Gemini CLI", "write_todos", {"todos": [{"description": "a", "status": "pending"}]}, tasks=("open",)),
    # Cursor
    Known("Cursor", "search_replace", {"file_path": "a.py", **OLD_NEW}, edit("a.py")),
    Known("Cursor", "StrReplace", {"path": "a.py", **OLD_NEW}, edit("a.py")),
    Known("Cursor", "run_terminal_cmd", {"command": "sed -i s/a/b/ a.py", "is_background": False}, edit("a.py")),
    Known(
        "Cursor", "codebase_search", {"query": "who computes", "target_directories": ["src"]}, names="who computes"
    ),
    # Cline
    Known("Cline", "write_to_file", {"path": "src/a.py", "content": LONG}, write("src/a.py")),
    Known(
        "Cline",
        "replace_in_file",
        {"path": "src/a.py", "diff": f"------- SEARCH\na\n=======\n{LONG}\n+++++++ REPLACE"},
        edit("src/a.py"),
    ),
    Known("Cline", "execute_command", {"command": "cat a.py", "requires_approval": False}, read("a.py")),
    Known("Cline", "search_files", {"path": "src", "regex": "compute", "file_pattern": "*.py"}, names="compute"),
    Known(
        "Cline",
        "use_mcp_tool",
        {"server_name": "fs", "tool_name": "read_text_file", "arguments": '{"path": "src/a.py"}'},
        read("src/a.py"),
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
    Known("Aider", "write_file", {"path": "a.py", "content": LONG}, write("a.py")),
    Known(
        "Aider",
        "replace_lines",
        {"explanation": "x", "edits": [{"path": "a.py", "original_lines": ["a"], "updated_lines": [LONG]}]},
        edit("a.py"),
    ),
    # Goose
    Known("Goose", "developer__shell", {"command": "cat src/a.py"}, read("src/a.py")),
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
    Known("Copilot", "copilot_readFile", {"filePath": "/w/a.py"}, read("/w/a.py")),
    Known("Copilot", "run_in_terminal", {"command": "rm a.py", "isBackground": False}, delete("a.py")),
    Known(
        "Copilot",
        "manage_todo_list",
        {"todoList": [{"id": 1, "title": "a", "status": "not-started"}]},
        tasks=("open",),
    ),
    Known("Copilot CLI", "view", {"path": "/w/a.py", "view_range": [1, 90]}, read("/w/a.py")),
    Known("Copilot CLI", "update_todo", {"todos": "- [ ] a"}, tasks=("open",)),
]
