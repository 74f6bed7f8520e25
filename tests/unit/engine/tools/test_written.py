"""What calls put into files, by what stands in their arguments."""

from typing import Any

import pytest

from ctxmgr.engine.tools import written
from tests.notation import a, call, talk, u

PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def f():
 kept
-    old
+    new
*** Add File: src/b.py
+one
+two
*** Delete File: src/c.py
*** End Patch"""
UNIFIED = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n kept\n-old\n+new\n"
OF_PATCH = {"src/a.py": "    new", "src/b.py": "one\ntwo"}

CALLS: list[tuple[str, str, dict[str, Any], dict[str, str]]] = [
    ("a write", "write", {"path": "a.py", "content": "x\ny"}, {"a.py": "x\ny"}),
    ("an edit", "Edit", {"file_path": "/w/a.py", "old_string": "x", "new_string": "y"}, {"/w/a.py": "y"}),
    (
        "several edits of one file",
        "MultiEdit",
        {
            "file_path": "a.py",
            "edits": [{"old_string": "1", "new_string": "2"}, {"old_string": "3", "new_string": "4"}],
        },
        {"a.py": "2\n…\n4"},
    ),
    (
        "an edit of what the one before put there",
        "MultiEdit",
        {
            "file_path": "a.py",
            "edits": [{"old_string": "1", "new_string": "one two"}, {"old_string": "two", "new_string": "three"}],
        },
        {"a.py": "one three"},
    ),
    (
        "edits of several files",
        "edit_files",
        {
            "edits": [
                {"path": "a.py", "oldText": "1", "newText": "2"},
                {"path": "b.py", "oldText": "3", "newText": "4"},
            ]
        },
        {"a.py": "2", "b.py": "4"},
    ),
    ("an editor", "str_replace_editor", {"command": "create", "path": "a.py", "file_text": "x"}, {"a.py": "x"}),
    ("an unlisted tool", "put_file", {"path": "a.py", "content": "x"}, {"a.py": "x"}),
    ("a patch", "apply_patch", {"input": PATCH}, OF_PATCH),
    ("a unified patch", "patch_file", {"diff": UNIFIED}, {"src/a.py": "new"}),
    ("a patch handed to a shell", "shell", {"command": ["apply_patch", PATCH]}, OF_PATCH),
    ("a patch in a heredoc", "bash", {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}, OF_PATCH),
    ("a patch in a script", "exec", {"input": f"await tools.apply_patch(`{PATCH}`)"}, OF_PATCH),
    ("a heredoc", "bash", {"command": "cat > a.py <<'EOF'\nx\nEOF"}, {"a.py": "x\n"}),
    ("a heredoc behind cd", "bash", {"command": "cd src && cat > a.py <<'EOF'\nx\nEOF"}, {"src/a.py": "x\n"}),
    ("a heredoc by tee", "bash", {"command": "cat <<EOF | tee a.py\nx\nEOF\n"}, {"a.py": "x\n"}),
    ("a program's input", "bash", {"command": "python - <<'EOF'\nx\nEOF"}, {}),
    ("a filtered heredoc", "bash", {"command": "sort > a.txt <<EOF\nx\nEOF"}, {}),
    ("a read", "read", {"path": "a.py"}, {}),
    ("an edit that takes away", "edit", {"path": "a.py", "oldText": "x", "newText": ""}, {}),
    ("a move", "bash", {"command": "mv a.py b.py"}, {}),
    ("no arguments", "write", {}, {}),
]


@pytest.mark.parametrize(("name", "tool", "arguments", "texts"), CALLS, ids=[row[0] for row in CALLS])
def test_what_is_put_there(name: str, tool: str, arguments: dict[str, Any], texts: dict[str, str]) -> None:
    _, message = talk(u("go"), a("", call(tool, **arguments)))
    assert written(message.view.blocks[-1]) == texts


def test_what_is_no_call_puts_nothing_there() -> None:
    (message,) = talk(u("write a.py"))
    assert written(message.view.blocks[0]) == {}
