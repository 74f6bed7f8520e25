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

# tool, arguments, its effects
TOOLS: list[tuple[str, dict[str, Any], list[FileEffect]]] = [
    ("read", {"path": "x.py", "offset": 2**53 - 1}, [part("x.py")]),
    ("read", {"path": 7}, []),
    ("read_file", {"path": "a", "mode": "indentation", "indentation": {"anchor_line": 3}}, [part("a")]),
    ("write", {"path": "./a//b.py", "content": "x"}, [write("a/b.py")]),
    ("create", {"filename": "a.py"}, [write("a.py")]),
    ("edit", {"path": "x.py", "edits": ["?"]}, [edit("x.py")]),
    ("edit", {"path": "x.py", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "d"}]}, [edit("x.py")]),
    ("NotebookEdit", {"notebook_path": "/a/n.ipynb", "new_source": "x"}, [edit("/a/n.ipynb")]),
    ("todo", {"path": "x"}, []),
    ("Grep", {"pattern": "a", "output_mode": "content"}, [seek()]),
    ("move_file", {"destination": "b"}, []),
    ("shell", {"command": ["apply_patch", PATCH]}, PATCHED),
    ("shell", {"command": ["apply_patch", "no patch"]}, [RUN]),
    ("apply_patch", {"input": "*** Begin Patch\n*** End Patch"}, [RUN]),
    ("apply_patch", {"input": "no patch"}, []),
    ("apply_patch", {"patchText": PATCH}, PATCHED),
    ("apply_patch", {"type": "update_file", "path": "a.py", "diff": "@@\n-a\n+b"}, [edit("a.py")]),
    ("apply_patch", {"type": "create_file", "path": "a.py", "diff": "+a"}, [write("a.py")]),
    (
        "shell_command",
        {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF\n", "workdir": "/w"},
        [edit("/w/src/a.py"), write("/w/b.py")],
    ),
    ("exec", {"input": f"const p = `{PATCH}`;\nawait tools.apply_patch(p);"}, PATCHED),
    ("exec", {"input": f"await tools.apply_patch(`{PATCH.replace('old', '${x}')}`);"}, [RUN, *PARTLY]),
    ("exec", {"input": "await tools.exec_command({cmd:c})"}, [RUN]),
    ("write_stdin", {"session_id": 3, "chars": ""}, []),
    ("str_replace_editor", {"command": "view", "path": "/w/a", "view_range": [3, -1]}, [part("/w/a")]),
    ("file_editor", {"command": "insert", "path": "/w/a", "insert_line": 3, "new_str": "y"}, [edit("/w/a")]),
    # tools of servers, without a row
    ("write_chart", {"path": "a.png", "title": "x"}, [sent("a.png")]),
    ("write_log", {"path": "a.txt", "content": "x", "append": True}, [edit("a.txt")]),
    ("create_issue", {"title": "x", "body": UNIFIED}, []),
    ("create_issue", {"title": "x", "body": "y", "path": "a.py"}, []),
    ("create_review_comment", {"path": "a.py", "body": "y", "line": 3}, []),
    ("delete_path", {"target": "a.py"}, [delete("a.py")]),
    ("rename_path", {"source": "a.py", "target": "b.py"}, [FileEffect("a.py", "move", to="b.py")]),
]


@pytest.mark.parametrize(("tool", "arguments", "expected"), TOOLS)
def test_the_effects_of_a_call(tool: str, arguments: dict[str, Any], expected: list[FileEffect]) -> None:
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
