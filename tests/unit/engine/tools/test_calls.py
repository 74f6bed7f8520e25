"""All that is known of a call before its result, by whole tables: the arguments of many hosts, and scripts."""

from typing import Any

import pytest

from ctxmgr.engine.tools import ToolCall, key_arguments, tool_call
from ctxmgr.engine.tools.families import script_run as run
from ctxmgr.model import Call

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
UNIFIED = """--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,3 @@
 x
-y
+z
+z
--- a/b.py
+++ /dev/null
@@ -1 +0,0 @@
-x
--- /dev/null
+++ b/c.py
@@ -0,0 +1 @@
+x
"""
ADDS = "*** Begin Patch\n*** Add File: d\n+x\n*** End Patch"
CAT = 'await tools.exec_command({cmd:"cat a"})'
MOVES = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch"


def shown(call: ToolCall) -> str:
    """Its effects; "?": not certainly the whole file."""
    return ", ".join(
        f"{effect.kind}{'' if effect.whole else '?'} {effect.path}{f' > {effect.to}' if effect.to else ''}".strip()
        for effect in call.effects
    )


# tool, arguments, its kind, its effects ("?": not surely whole), whether the same call shows the newer state
# (behind "again"), the names of its key arguments
CALLS: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("Read", {"file_path": "a"}, "read", "read a again", "file_path"),
    ("Read", {"file_path": "a", "offset": 1}, "read", "read a again", "file_path offset"),
    ("Read", {"file_path": "a", "offset": 2}, "read", "read? a again", "file_path offset"),
    ("Read", {"file_path": "a", "limit": 0}, "read", "read a again", "file_path limit"),
    ("Read", {"file_path": "a", "limit": 5}, "read", "read? a again", "file_path limit"),
    ("Read", {"file_path": "a", "x": True}, "read", "read a again", "file_path"),
    ("Read", {"file_path": "a", "start_line": 0}, "read", "read a again", "file_path start_line"),
    ("Read", {"file_path": "a", "range": []}, "read", "read? a again", "file_path range"),
    ("Read", {"file_path": ""}, "read", "", "file_path"),
    ("read_many_files", {"paths": ["a", "b*", "c"]}, "read", "read? a, read? c again", "paths"),
    ("read_file", {"files": [{"path": "a"}, {"path": "b"}]}, "read", "read? a, read? b again", "files"),
    ("read", {"paths": ["a"]}, "read", "read? a again", "paths"),
    ("write_file", {"path": "a", "content": "x"}, "write", "write a", "path"),
    ("write_file", {"path": "a", "content": "x", "append": True}, "write", "edit a", "path"),
    ("write_file", {"path": "a", "content": "x", "mode": "a"}, "write", "edit a", "path"),
    ("write_file", {"path": "a", "content": "x", "offset": 3}, "write", "edit a", "path offset"),
    ("write_file", {"files": [{"path": "a", "content": "x"}, {"path": "b"}]}, "write", "write a, write b", "files"),
    ("save_all", {"path": "a", "content": "x"}, "write", "write a", "path"),
    ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, "edit", "edit a", "file_path"),
    ("edit_files", {"edits": [{"path": "a"}, {"path": "b"}], "path": "c"}, "edit", "edit a, edit b", "path"),
    ("Edit", {"diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}, "edit", "edit x", "diff"),
    ("str_replace_editor", {"command": "view", "path": "a"}, "read", "read a again", "path command"),
    (
        "str_replace_editor",
        {"command": "create", "path": "a", "file_text": "x"},
        "write",
        "write a",
        "path command",
    ),
    ("str_replace_editor", {"command": "undo_edit", "path": "a"}, "edit", "edit a", "path command"),
    ("str_replace_editor", {"command": "odd", "path": "a"}, "", "", "path command"),
    ("apply_patch", {"input": MOVES}, "edit", "move a > b, edit b, delete c", "input"),
    ("apply_patch", {"path": "a", "patch": "@@"}, "edit", "edit a", "path"),
    ("apply_patch", {"operation": {"type": "delete_file", "path": "a"}}, "edit", "delete a", "paths"),
    ("delete_file", {"paths": ["a", "b"]}, "delete", "delete a, delete b", "paths"),
    ("move_file", {"source": "a", "destination": "b"}, "move", "move a > b", "source destination"),
    ("move_file", {"source": "a"}, "move", "edit a", "source"),
    ("copy_file", {"source": "a", "destination": "b"}, "write", "write? b", "source destination"),
    ("copy_file", {"source": "a"}, "write", "", "source"),
    ("duplicate_file", {"path": "a", "new_path": "b"}, "write", "write? b", "path new_path"),
    ("list_dir", {"path": "a"}, "list", "list a again", "path"),
    ("list_dir", {"directory": "d"}, "list", "list d again", "directory"),
    ("Grep", {"pattern": "x", "path": "src"}, "search", "search src again", "path pattern"),
    ("look_up_files", {"paths": ["a", "b"]}, "", "", "paths"),
    ("search_code", {"query": "x", "files": ["p"]}, "search", "search p", "files query"),
    ("bash", {"command": "cat a", "workdir": "/w"}, "run", "read /w/a again", "command"),
    ("shell", {"command": ["bash", "-lc", "rm a"]}, "run", "delete a", "command"),
    ("shell", {"command": ["bash.exe", "-c", "rm a"]}, "run", "delete a", "command"),
    ("shell", {"command": ["/bin/sh", "-x", "rm a"]}, "run", "run", "command"),
    ("shell", {"command": ["rm a", "rm b"]}, "run", "delete a, delete b", "command"),
    ("shell", {"command": ["rm", "a b"]}, "run", "delete a b", "command"),
    ("shell", {"command": ["ls"]}, "run", "list again", "command"),
    ("shell", {"command": ["apply_patch", ADDS], "workdir": "w"}, "run", "write w/d", "command"),
    ("shell", {"command": ["bash", "-lc"]}, "run", "run", "command"),
    ("shell", {"command": [1]}, "run", "run", "command"),
    ("shell", {"command": []}, "run", "", "command"),
    ("bash", {"command": " "}, "run", "", "command"),
    ("bash", {"code": "x"}, "run", "run", "code"),
    ("use_mcp_tool", {"tool_name": "read_file", "arguments": '{"path": "a"}'}, "read", "read a again", "path"),
    ("use_mcp_tool", {"tool_name": "read_file", "arguments": "{"}, "read", "", ""),
    ("use_mcp_tool", {"arguments": {"path": "a"}}, "", "", ""),
    (
        "use_mcp_tool",
        {"tool_name": "use_mcp_tool", "arguments": {"tool_name": "read_file", "arguments": {"path": "a"}}},
        "",
        "",
        "tool_name",
    ),
    (
        "use_mcp_tool",
        {
            "tool_name": "use_mcp_tool",
            "arguments": {
                "tool_name": "use_mcp_tool",
                "arguments": {"tool_name": "read_file", "arguments": {"path": "a"}},
            },
        },
        "",
        "",
        "tool_name",
    ),
    ("odd", {"path": "a", "old_text": "x", "new_text": "y"}, "edit", "edit a", "path"),
    ("odd", {"path": "a", "old_text": "x"}, "", "", "path"),
    ("odd", {"path": "a", "content": "x"}, "write", "write a", "path"),
    ("odd", {"path": "a", "new_text": "x"}, "edit", "edit a", "path"),
    ("odd", {"path": "a"}, "", "", "path"),
    ("odd", {"command": "rm a"}, "run", "delete a", "command"),
    ("odd", {"path": "a", "command": "rm b"}, "", "", "path command"),
    ("odd", {"path": "a", "operation": "create", "content": "x"}, "write", "write a", "path"),
    ("odd", {"patch": ADDS}, "edit", "write d", "patch"),
    ("odd", {"x": ADDS}, "", "", "x"),
    ("run_it", {"path": "a"}, "", "", "path"),
    ("fetch_page", {"path": "a"}, "read", "read? a again", "path"),
    ("fetch_page", {"url": "http://x", "path": "a"}, "fetch", "fetch a", "path url"),
    ("fetch_page", {"url": "file:///a"}, "read", "read? /a again", "url"),
    ("remove_lines", {"path": "a", "start_line": 3}, "edit", "edit a", "path start_line"),
    ("remove_it", {"path": "a"}, "delete", "delete a", "path"),
    ("duplicate_it", {"path": "a", "destination": "b"}, "write", "write? b", "path destination"),
    ("edit_it", {"path": "a", "operation": "view"}, "read", "read? a again", "path"),
    (
        "exec",
        {"input": f'{CAT}; await tools.exec_command({{"cmd": \'cat b\', workdir:"/w"}})'},
        "run",
        "read a, read /w/b again",
        "cmd",
    ),
    ("exec", {"input": f"{CAT}; await tools.apply_patch(`{ADDS}`)"}, "run", "read a, write d", "cmd"),
    ("exec", {"input": 'if (x) await tools.exec_command({cmd:"cat a"})'}, "run", "run, read? a", "cmd"),
    ("exec", {"input": "await tools.exec_command({cmd:`cat ${a}`})"}, "run", "run", "input"),
    ("exec", {"input": 'await tools.view({path:"a"})'}, "run", "run", "input"),
    ("Read", {"path": "file:///w/a"}, "read", "read /w/a again", "path"),
    ("rename", {"from": "a", "to": "b"}, "move", "move a > b", "from to"),
    (
        "grep",
        {"pattern": "x", "path": "src", "include": "*.py"},
        "search",
        "search src again",
        "path pattern include",
    ),
    ("ponder", {"a": [], "b": "x", "c": 1, "d": 2}, "", "", "b c"),
    ("look", {"path": 3, "n": 1, "s": "t", "z": 2}, "", "", "path"),
    ("read", {"path": "x.py", "offset": 2**53 - 1}, "read", "read? x.py again", "path offset"),
    ("read", {"path": 7}, "read", "", "path"),
    (
        "read_file",
        {"path": "a", "mode": "indentation", "indentation": {"anchor_line": 3}},
        "read",
        "read? a again",
        "path",
    ),
    ("write", {"path": "./a//b.py", "content": "x"}, "write", "write a/b.py", "path"),
    ("create", {"filename": "a.py"}, "write", "write a.py", "filename"),
    ("edit", {"path": "x.py", "edits": ["?"]}, "edit", "edit x.py", "path"),
    (
        "edit",
        {"path": "x.py", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "d"}]},
        "edit",
        "edit x.py",
        "path",
    ),
    (
        "NotebookEdit",
        {"notebook_path": "/a/n.ipynb", "new_source": "x"},
        "edit",
        "edit /a/n.ipynb",
        "notebook_path",
    ),
    ("todo", {"path": "x"}, "plan", "", "path"),
    ("Grep", {"pattern": "a", "output_mode": "content"}, "search", "search again", "pattern"),
    ("move_file", {"destination": "b"}, "move", "", "destination"),
    ("shell", {"command": ["apply_patch", PATCH]}, "run", "edit src/a.py, write b.py", "command"),
    ("shell", {"command": ["apply_patch", "no patch"]}, "run", "run", "command"),
    ("apply_patch", {"input": "*** Begin Patch\n*** End Patch"}, "edit", "run", "input"),
    ("apply_patch", {"input": "no patch"}, "edit", "", "input"),
    ("apply_patch", {"patchText": PATCH}, "edit", "edit src/a.py, write b.py", "patchText"),
    ("apply_patch", {"type": "update_file", "path": "a.py", "diff": "@@\n-a\n+b"}, "edit", "edit a.py", "path"),
    ("apply_patch", {"type": "create_file", "path": "a.py", "diff": "+a"}, "edit", "write a.py", "path"),
    (
        "shell_command",
        {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF\n", "workdir": "/w"},
        "run",
        "edit /w/src/a.py, write /w/b.py",
        "command",
    ),
    (
        "exec",
        {"input": f"const p = `{PATCH}`;\nawait tools.apply_patch(p);"},
        "run",
        "edit src/a.py, write b.py",
        "input",
    ),
    (
        "exec",
        {"input": f"await tools.apply_patch(`{PATCH.replace('old', '${x}')}`);"},
        "run",
        "run, edit? src/a.py, write? b.py",
        "input",
    ),
    ("exec", {"input": "await tools.exec_command({cmd:c})"}, "run", "run", "input"),
    ("write_stdin", {"session_id": 3, "chars": ""}, "write", "", "session_id chars"),
    (
        "str_replace_editor",
        {"command": "view", "path": "/w/a", "view_range": [3, -1]},
        "read",
        "read? /w/a again",
        "path command view_range",
    ),
    (
        "file_editor",
        {"command": "insert", "path": "/w/a", "insert_line": 3, "new_str": "y"},
        "edit",
        "edit /w/a",
        "path command",
    ),
    ("write_chart", {"path": "a.png", "title": "x"}, "write", "write? a.png", "path"),
    ("write_log", {"path": "a.txt", "content": "x", "append": True}, "write", "edit a.txt", "path"),
    ("create_issue", {"title": "x", "body": UNIFIED}, "write", "", "title body"),
    ("create_issue", {"title": "x", "body": "y", "path": "a.py"}, "", "", "path"),
    ("create_review_comment", {"path": "a.py", "body": "y", "line": 3}, "", "", "path"),
    ("delete_path", {"target": "a.py"}, "delete", "delete a.py", "target"),
    ("rename_path", {"source": "a.py", "target": "b.py"}, "move", "move a.py > b.py", "source target"),
]


@pytest.mark.parametrize(("tool", "arguments", "kind", "effects", "keys"), CALLS)
def test_all_that_is_known(tool: str, arguments: dict[str, Any], kind: str, effects: str, keys: str) -> None:
    call = tool_call(tool, arguments)
    assert call.kind == kind
    assert shown(call) + " again" * call.repeats == effects
    assert " ".join(name for name, _ in call.key_arguments) == keys
    assert key_arguments(Call(tool, arguments)) == call.key_arguments


# a script, its commands with their directories, its patches, whether all of it is known
SCRIPTS: list[tuple[str, tuple[tuple[str, str], ...], tuple[str, ...], bool]] = [
    ('tools.exec_command({cmd:"a\\u0041"})', (("aA", ""),), (), True),
    ("tools.exec_command({cmd:'a\\x41\\u{42}\\n\\q\\\nb'})", (("aAB\nqb", ""),), (), True),
    ("tools.exec_command({cmd:`a\\`b`, workdir:'w'})", (("a`b", "w"),), (), True),
    ('tools.exec_command({cmd:"a"}) + "', (("a", ""),), (), False),
    ("tools.exec_command({cmd:x})", (), (), False),
    ('tools.exec_command({cmd:"a", workdir:`${x}`})', (), (), False),
    ('tools.exec_command({cmd:"a"}); tools.odd()', (("a", ""),), (), False),
    ("tools.apply_patch(String.raw`*** Begin Patch\\n`)", (), ("*** Begin Patch\\n",), True),
    ("tools.apply_patch(`*** Begin Patch\\n`)", (), ("*** Begin Patch\n",), True),
    ("tools.apply_patch(`*** Begin Patch ${x}`)", (), ("*** Begin Patch ${x}",), False),
    ("tools.apply_patch(x)", (), (), False),
    ("tools.exec_command({cmd:'\\u{110000}'})", (), (), False),
    ("", (), (), True),
    ('tools.exec_command({cmd:"\\q"})', (), (), False),
]


@pytest.mark.parametrize(("script", "commands", "patches", "whole"), SCRIPTS)
def test_scripts(script: str, commands: tuple[tuple[str, str], ...], patches: tuple[str, ...], whole: bool) -> None:
    found = run(script)
    assert (found.commands, found.patches, found.whole) == (commands, patches, whole)


@pytest.mark.parametrize("program", ["apply_patch", "applypatch"])
def test_a_patch_in_a_list_of_words_is_no_line_of_a_shell(program: str) -> None:
    for text in (PATCH, "no patch"):
        assert tool_call("shell", {"command": [program, text]}).shell is None
