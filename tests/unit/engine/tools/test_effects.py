"""The effects of a tool call, by its name and arguments as each host writes them."""

from typing import Any

import pytest

from ctxmgr.engine.tools import FileEffect, patches, tool_call
from ctxmgr.engine.tools.paths import normal, root_of, same
from tests.unit.engine.tools.file_effects import (
    RUN,
    UNIFIED,
    delete,
    edit,
    effects,
    part,
    read,
    seek,
    sent,
    write,
)

PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def f():
-    old
+    new
+    newer
@@
 same
-gone
*** Add File: b.py
+x = 1
*** End Patch"""
PATCHED = [edit("src/a.py"), write("b.py")]
PARTLY = [FileEffect("src/a.py", "edit", whole=False), sent("b.py")]

# host, tool, arguments, its effects
TOOLS: list[tuple[str, str, dict[str, Any], list[FileEffect]]] = [
    ("pi", "read", {"path": "x.py"}, [read("x.py")]),
    ("pi", "read", {"path": "x.py", "offset": 1}, [read("x.py")]),
    ("pi", "read", {"path": "x.py", "offset": 20, "limit": 5}, [part("x.py")]),
    ("pi", "read", {"path": "x.py", "offset": 2**53 - 1}, [part("x.py")]),
    ("pi", "read", {"path": 7}, []),
    ("pi", "write", {"path": "./a//b.py", "content": "x"}, [write("a/b.py")]),
    ("pi", "edit", {"path": "x.py", "oldText": "a\nb", "newText": "c"}, [edit("x.py")]),
    (
        "pi",
        "edit",
        {"path": "x.py", "edits": [{"oldText": "a", "newText": "b\nc"}, {"oldText": "d\ne", "newText": "f"}]},
        [edit("x.py")],
    ),
    ("pi", "edit", {"path": "x.py", "edits": ["?"]}, [edit("x.py")]),
    ("pi", "edit", {"path": "x.py", "oldText": "a"}, [edit("x.py")]),
    ("pi", "grep", {"pattern": "a", "path": "src"}, [seek("src")]),
    ("pi", "todo", {"path": "x"}, []),
    ("Claude Code", "Read", {"file_path": "/a/x.go", "offset": 10, "limit": 80}, [part("/a/x.go")]),
    ("Claude Code", "Write", {"file_path": "/a/x.go", "content": ""}, [write("/a/x.go")]),
    (
        "Claude Code",
        "Edit",
        {"file_path": "/a/x.go", "old_string": "a", "new_string": "b", "replace_all": True},
        [edit("/a/x.go")],
    ),
    (
        "Claude Code",
        "Edit",
        {"file_path": "/a/x.go", "old_string": "a", "new_string": "b\nc", "replace_all": True},
        [edit("/a/x.go")],
    ),
    (
        "Claude Code",
        "MultiEdit",
        {"file_path": "/a/x.go", "edits": [{"old_string": "a", "new_string": "b\nc"}]},
        [edit("/a/x.go")],
    ),
    ("Claude Code", "NotebookEdit", {"notebook_path": "/a/n.ipynb", "new_source": "x"}, [edit("/a/n.ipynb")]),
    ("Claude Code", "Grep", {"pattern": "a", "output_mode": "content"}, [seek()]),
    ("Codex", "shell", {"command": ["bash", "-lc", "cat a.py"], "workdir": "/w"}, [read("/w/a.py")]),
    ("Codex", "shell", {"command": ["apply_patch", PATCH]}, PATCHED),
    ("any", "move_file", {"source": "a", "destination": "b"}, [FileEffect("a", "move", to="b")]),
    ("any", "delete_file", {"path": "a"}, [delete("a")]),
    ("any", "delete_file", {"paths": ["a", "b"]}, [delete("a"), delete("b")]),
    ("any", "move_file", {"source": "a"}, [edit("a")]),
    ("any", "move_file", {"destination": "b"}, []),
    ("Codex", "shell", {"command": ["git", "push"]}, [RUN]),
    ("Codex", "shell", {"command": ["apply_patch", "no patch"]}, [RUN]),
    ("Codex", "apply_patch", {"input": "*** Begin Patch\n*** End Patch"}, [RUN]),
    ("Codex", "apply_patch", {"input": PATCH}, PATCHED),
    ("Codex", "apply_patch", {"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}, [delete("a")]),
    ("Codex", "apply_patch", {"input": "no patch"}, []),
    (
        "Codex",
        "shell_command",
        {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF\n", "workdir": "/w"},
        [edit("/w/src/a.py"), write("/w/b.py")],
    ),
    (
        "Codex",
        "exec",
        {
            "input": 'const r = await tools.exec_command({cmd:"sed -n \'1,9p\' a && cat b","workdir":"/w"});'
            "text(r.output);"
        },
        [part("/w/a"), read("/w/b")],
    ),
    ("Codex", "exec", {"input": f"const p = `{PATCH}`;\nawait tools.apply_patch(p);"}, PATCHED),
    (
        "Codex",
        "exec",
        {"input": "await tools.apply_patch(`" + PATCH.replace("old", "${x}") + "`);"},
        [RUN, *PARTLY],
    ),
    ("Codex", "exec", {"input": "await tools.exec_command({cmd:c})"}, [RUN]),
    ("Codex", "apply_patch", {"type": "update_file", "path": "a.py", "diff": "@@\n-a\n+b"}, [edit("a.py")]),
    ("Codex", "apply_patch", {"type": "create_file", "path": "a.py", "diff": "+a"}, [write("a.py")]),
    ("Codex", "apply_patch", {"type": "delete_file", "path": "a.py"}, [delete("a.py")]),
    ("Codex", "write_stdin", {"session_id": 3, "chars": ""}, []),
    ("Gemini CLI", "read_file", {"file_path": "a", "start_line": 3, "end_line": 9}, [part("a")]),
    (
        "Roo Code",
        "read_file",
        {"path": "a", "mode": "indentation", "indentation": {"anchor_line": 3}},
        [part("a")],
    ),
    ("a server", "peek_text", {"path": "a"}, [part("a")]),
    ("a server", "write_chart", {"path": "a.png", "title": "x"}, [sent("a.png")]),
    ("a server", "write_log", {"path": "a.txt", "content": "x", "append": True}, [edit("a.txt")]),
    ("a server", "create_issue", {"title": "x", "body": UNIFIED}, []),
    ("a server", "create_issue", {"title": "x", "body": "y", "path": "a.py"}, []),
    ("a server", "create_review_comment", {"path": "a.py", "body": "y", "line": 3}, []),
    ("a server", "delete_path", {"target": "a.py"}, [delete("a.py")]),
    ("a server", "rename_path", {"source": "a.py", "target": "b.py"}, [FileEffect("a.py", "move", to="b.py")]),
    ("a server", "open_buffer", {"fileUri": "file:///w/a.py"}, [part("/w/a.py")]),
    ("OpenCode", "read", {"filePath": "/a/x.ts"}, [read("/a/x.ts")]),
    ("OpenCode", "read", {"filePath": "/a/x.ts", "offset": 20, "limit": 10}, [part("/a/x.ts")]),
    ("OpenCode", "edit", {"filePath": "/a/x.ts", "oldString": "a", "newString": "b"}, [edit("/a/x.ts")]),
    ("OpenCode", "apply_patch", {"patchText": PATCH}, PATCHED),
    ("OpenHands", "str_replace_editor", {"command": "view", "path": "/w/a"}, [read("/w/a")]),
    (
        "OpenHands",
        "str_replace_editor",
        {"command": "view", "path": "/w/a", "view_range": [3, 9]},
        [part("/w/a")],
    ),
    (
        "OpenHands",
        "str_replace_editor",
        {"command": "view", "path": "/w/a", "view_range": [3, -1]},
        [part("/w/a")],
    ),
    ("OpenHands", "str_replace_editor", {"command": "create", "path": "/w/a", "file_text": "x"}, [write("/w/a")]),
    (
        "OpenHands",
        "file_editor",
        {"command": "str_replace", "path": "/w/a", "old_str": "x", "new_str": "y"},
        [edit("/w/a")],
    ),
    (
        "OpenHands",
        "file_editor",
        {"command": "insert", "path": "/w/a", "insert_line": 3, "new_str": "y\nz"},
        [edit("/w/a")],
    ),
    ("OpenHands", "file_editor", {"command": "undo_edit", "path": "/w/a"}, [edit("/w/a")]),
    ("SWE-agent", "open", {"path": "a.py", "line_number": 80}, [part("a.py")]),
    ("SWE-agent", "create", {"filename": "a.py"}, [write("a.py")]),
]


@pytest.mark.parametrize(("host", "tool", "arguments", "expected"), TOOLS)
def test_the_effects_of_a_call(host: str, tool: str, arguments: dict[str, Any], expected: list[FileEffect]) -> None:
    assert list(effects(tool, arguments)) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git diff", True),
        ("cd /w && npm run check 2>&1 | tail -5", True),
        ("cargo test --lib", True),
        ("mise run test:ci", True),
        ("python -m pytest -q", True),
        ("npx tsgo --noEmit", True),
        ("eslint --fix src", False),
        ("cat a", True),
        ("npm install", False),
        ("git commit -m test", False),
        ("npm test && git push", False),
        ("cat > a <<EOF\nEOF\n", False),
        ("curl localhost", False),
    ],
)
def test_what_shows_the_newer_state_when_it_is_made_again(command: str, expected: bool) -> None:
    assert tool_call("bash", {"command": command}).repeats is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("./a//b/../c.py", "a/c.py"),
        ("/a/./b/", "/a/b"),
        ("../a", "../a"),
        ("/../a", "/a"),
        ("C:\\a\\b.py", "C:/a/b.py"),
        ("src\\a.py", "src/a.py"),
        ("a/b/../../c", "c"),
        ("../../a/../b", "../../b"),
        ("a/../../b", "../b"),
        ("/..//a/./b/", "/a/b"),
        ("", ""),
    ],
)
def test_one_spelling_a_path(path: str, expected: str) -> None:
    assert normal(path) == expected
    assert normal(expected) == expected


@pytest.mark.parametrize(
    ("name", "paths", "expected"),
    [
        ("a part of one", ["src/a.py", "/w/src/a.py"], {"src/a.py": "/w/src/a.py"}),
        ("a bare name is none", ["a.py", "/w/a.py"], {}),
        ("two that agree", ["a.py", "b.py", "/w/a.py", "/w/b.py"], {"a.py": "/w/a.py", "b.py": "/w/b.py"}),
        ("of two none", ["src/a.py", "/w/src/a.py", "/v/src/a.py"], {}),
        ("of two the voted", ["s/a", "s/b", "/w/s/a", "/w/s/b", "/v/s/a"], {"s/b": "/w/s/b"}),
        ("not a part of a name", ["src/a.py", "/w/xsrc/a.py"], {}),
        ("relative ones are no proof", ["src/a.py", "w/src/a.py"], {}),
        ("with it a bare name", ["/w/a/b", "a/b", "/w/c", "c"], {"a/b": "/w/a/b", "c": "/w/c"}),
        ("as many for another: none", [*(f"/{d}/{n}" for d, n in ("wa", "wb", "vc", "vd")), *"abcd"], {}),
        ("one in two directories", ["/w/a", "/v/a", "a"], {}),
        ("on a drive", ["C:/w/a/b", "a/b"], {"a/b": "C:/w/a/b"}),
        ("at home", ["~/w/a/b", "a/b"], {"a/b": "~/w/a/b"}),
        ("one of which nothing is known", ["/w/a/b", "a/b", "b"], {"a/b": "/w/a/b"}),
    ],
)
def test_which_paths_are_one_file(name: str, paths: list[str], expected: dict[str, str]) -> None:
    assert same(paths) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["/w/a.py", "/w/b/c.py"], "/w/"),
        (["/w/a"], ""),
        (["/w/a", "/w/a/b", "/w/a/c"], "/w/"),
        (["a/b/c", "a/b/d", "/long/e"], "a/b/"),
        (["/a/b", "/c/d"], ""),
    ],
)
def test_the_directory_that_is_told_once(paths: list[str], expected: str) -> None:
    assert root_of(paths) == expected


def test_a_patch_keeps_its_files_and_hunks() -> None:
    short = patches.shortened(PATCH, "[gone]")
    assert [section.path for section in patches.sections(short)] == ["src/a.py", "b.py"]
    assert short.count("@@") == PATCH.count("@@")
    assert "newer" not in short
