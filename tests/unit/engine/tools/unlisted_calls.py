"""Calls of tools without a row: known by their words and their arguments alone."""

from tests.unit.engine.tools.known_calls import LONG, Known, delete, edit, read, write

UNLISTED = [
    Known("a server", "mcp__files__get_file_contents", {"path": "src/a.py"}, read("src/a.py")),
    Known("a server", "fetch_source_file", {"relativePath": "src/a.py"}, read("src/a.py")),
    Known("a server", "loadDocument", {"documentPath": "/w/a.md"}, read("/w/a.md")),
    Known("a server", "mcp_fs_write_text", {"filepath": "a.py", "text": LONG}, write("a.py")),
    Known("a server", "put_file", {"TargetFile": "/w/a.py", "CodeContent": LONG}, write("/w/a.py")),
    Known("a server", "modify_code", {"file_name": "a.py", "old_code": "a", "new_code": LONG}, edit("a.py")),
    Known("a server", "smart_fix", {"path": "a.py", "before": "a", "after": LONG}, edit("a.py")),
    Known("a server", "persist", {"filename": "a.py", "content": LONG}, write("a.py")),
    Known("a server", "append_to_file", {"path": "a.py", "content": LONG}, edit("a.py")),
    Known("a server", "trash_files", {"file_paths": ["a.py", "b.py"]}, delete("a.py", "b.py")),
    Known(
        "a server",
        "rename_path",
        {"source_path": "a.py", "destination_path": "b.py"},
        delete("a.py") + write("b.py"),
    ),
    Known("a server", "runCommandInSandbox", {"commandLine": "cat a.py", "cwd": "/w"}, read("/w/a.py")),
    Known("a server", "find_symbol", {"name_path": "A/b", "relative_path": "src/a.py"}, names="src/a.py"),
    Known(
        "a server",
        "submit_change",
        {"diff": "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-a\n+b\n"},
        edit("src/a.py"),
    ),
    # what takes away something inside a file edits it
    Known(
        "a server", "delete_lines", {"relative_path": "src/a.py", "start_line": 4, "end_line": 9}, edit("src/a.py")
    ),
    Known("a server", "remove_import", {"path": "a.py", "name": "os"}, edit("a.py")),
    Known("a server", "delete_cell", {"notebook_path": "a.ipynb", "cell": 1}, edit("a.ipynb")),
    Known("a server", "erase", {"path": "a.py", "line_range": [1, 2]}, names="a.py"),
    Known("a server", "remove", {"path": "a.py", "line_range": [1, 2]}, edit("a.py")),
    Known("a server", "rename_variable", {"path": "a.py", "old_name": "x", "new_name": "y"}, edit("a.py")),
    # a copy leaves its source
    Known("a server", "fs_copy", {"src": "a.py", "dst": "b.py"}, write("b.py")),
    Known("a server", "cp", {"from": "a.py", "to": "b.py"}, write("b.py")),
    Known("a server", "move", {"from": "a.py", "to": "b.py"}, delete("a.py") + write("b.py")),
    # arguments by other names
    Known(
        "a server", "replace_text_in_file", {"pathInProject": "a.py", "oldText": "a", "newText": "b"}, edit("a.py")
    ),
    Known("a server", "get_file_text_by_path", {"pathInProject": "src/a.py"}, read("src/a.py")),
    Known("a server", "open_text_buffer", {"uri": "file:///w/a.py"}, read("/w/a.py")),
    Known("a server", "write_files", {"files": {"a.py": "x", "b.py": "y"}}, write("a.py", "b.py")),
    Known("a server", "file_manager", {"op": "delete", "path": "a.py"}, delete("a.py")),
    Known("a server", "fs", {"action": "read", "path": "a.py"}, read("a.py")),
    Known("a server", "spawn_in_pty", {"cmdline": "cat a.py"}, read("a.py")),
    Known("a server", "propose_code", {"TargetFile": "a.py", "CodeEdit": LONG}, edit("a.py")),
    Known("a server", "prepend", {"path": "a.py", "content": LONG}, edit("a.py")),
    Known("a server", "shell_write", {"path": "a.py", "content": LONG}, write("a.py")),
    Known("a server", "send_email", {"to": "a@b.c", "body": "x", "attachment_path": "a.pdf"}, names="a@b.c"),
    Known("a server", "create_issue", {"title": "a", "body": LONG}, names="a"),
    Known("a server", "ponder", {"thought": "src/a.py"}, names="src/a.py"),
]
