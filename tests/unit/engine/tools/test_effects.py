"""The effects of a tool call, by its name and arguments as each host writes them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.staleness.result_range import notes
from ctxmgr.engine.tools import FileEffect, patches, tool_call
from ctxmgr.engine.tools.paths import normal, same


def read(path: str, start: int | None = None, end: int | None = None, exact: bool = True) -> FileEffect:
    return FileEffect(path, "read", start, end, exact)


def write(path: str) -> FileEffect:
    return FileEffect(path, "write")


def edit(path: str, grown: int | None = 0) -> FileEffect:
    return FileEffect(path, "edit", grown=grown)


def look(path: str = "") -> FileEffect:
    return FileEffect(path, "list")


def seek(path: str = "") -> FileEffect:
    return FileEffect(path, "search")


def delete(path: str) -> FileEffect:
    return FileEffect(path, "delete")


def move(path: str, to: str) -> FileEffect:
    return FileEffect(path, "move", to=to)


def sent(path: str) -> FileEffect:
    """A write of what the call does not hold."""
    return FileEffect(path, "write", exact=False)


def effects(tool: str, arguments: dict[str, Any]) -> tuple[FileEffect, ...]:
    return tool_call(tool, arguments).effects


def went(command: str) -> str:
    shell = tool_call("bash", {"command": command}).shell
    assert shell is not None
    return shell.directory


RUN = FileEffect("", "run")
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
PATCHED = [edit("src/a.py", 2), write("b.py")]
PARTLY = [FileEffect("src/a.py", "edit", exact=False, grown=None), sent("b.py")]

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

# host, tool, arguments, its effects
TOOLS: list[tuple[str, str, dict[str, Any], list[FileEffect]]] = [
    ("pi", "read", {"path": "x.py"}, [read("x.py")]),
    ("pi", "read", {"path": "x.py", "offset": 1}, [read("x.py")]),
    ("pi", "read", {"path": "x.py", "offset": 20, "limit": 5}, [read("x.py", 20, 24)]),
    ("pi", "read", {"path": "x.py", "limit": 50}, [read("x.py", None, 50)]),
    ("pi", "read", {"path": "x.py", "offset": "20"}, [read("x.py")]),
    ("pi", "read", {"path": 7}, []),
    ("pi", "write", {"path": "./a//b.py", "content": "x"}, [write("a/b.py")]),
    ("pi", "edit", {"path": "x.py", "oldText": "a\nb", "newText": "c"}, [edit("x.py", 1)]),
    (
        "pi",
        "edit",
        {"path": "x.py", "edits": [{"oldText": "a", "newText": "b\nc"}, {"oldText": "d\ne", "newText": "f"}]},
        [edit("x.py", 2)],
    ),
    ("pi", "edit", {"path": "x.py", "edits": ["?"]}, [edit("x.py", None)]),
    ("pi", "edit", {"path": "x.py", "oldText": "a"}, [edit("x.py", None)]),
    ("pi", "grep", {"pattern": "a", "path": "src"}, [seek("src")]),
    ("pi", "ls", {}, [look()]),
    ("pi", "todo", {"path": "x"}, []),
    ("Claude Code", "Read", {"file_path": "/a/x.go", "offset": 10, "limit": 80}, [read("/a/x.go", 10, 89)]),
    ("Claude Code", "Write", {"file_path": "/a/x.go", "content": ""}, [write("/a/x.go")]),
    (
        "Claude Code",
        "Edit",
        {"file_path": "/a/x.go", "old_string": "a", "new_string": "b", "replace_all": True},
        [edit("/a/x.go", 0)],
    ),
    (
        "Claude Code",
        "Edit",
        {"file_path": "/a/x.go", "old_string": "a", "new_string": "b\nc", "replace_all": True},
        [edit("/a/x.go", None)],
    ),
    (
        "Claude Code",
        "MultiEdit",
        {"file_path": "/a/x.go", "edits": [{"old_string": "a", "new_string": "b\nc"}]},
        [edit("/a/x.go", 1)],
    ),
    ("Claude Code", "NotebookEdit", {"notebook_path": "/a/n.ipynb", "new_source": "x"}, [edit("/a/n.ipynb", None)]),
    ("Claude Code", "Grep", {"pattern": "a", "output_mode": "content"}, [seek()]),
    ("Claude Code", "mcp__files__read_file", {"path": "x"}, [read("x")]),
    (
        "Codex",
        "exec_command",
        {"cmd": "sed -n '249,290p' Cargo.toml", "workdir": "/w"},
        [read("/w/Cargo.toml", 249, 290)],
    ),
    ("Codex", "shell", {"command": ["bash", "-lc", "cat a.py"], "workdir": "/w"}, [read("/w/a.py")]),
    ("Codex", "shell", {"command": ["apply_patch", PATCH]}, PATCHED),
    ("Codex", "shell", {"command": ["git", "push"]}, [RUN]),
    ("Codex", "apply_patch", {"input": PATCH}, PATCHED),
    ("Codex", "apply_patch", {"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}, [delete("a")]),
    ("Codex", "apply_patch", {"input": "no patch"}, []),
    (
        "Codex",
        "shell_command",
        {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF\n", "workdir": "/w"},
        [edit("/w/src/a.py", 2), write("/w/b.py")],
    ),
    (
        "Codex",
        "exec",
        {
            "input": 'const r = await tools.exec_command({cmd:"sed -n \'1,9p\' a && cat b","workdir":"/w"});'
            "text(r.output);"
        },
        [read("/w/a", None, 9), read("/w/b")],
    ),
    ("Codex", "exec", {"input": f"const p = `{PATCH}`;\nawait tools.apply_patch(p);"}, PATCHED),
    (
        "Codex",
        "exec",
        {"input": "await tools.apply_patch(`" + PATCH.replace("old", "${x}") + "`);"},
        [RUN, *PARTLY],
    ),
    (
        "Codex",
        "exec",
        {"input": 'for (const c of cs) await tools.exec_command({cmd:"cat b"})'},
        [RUN, read("b", exact=False)],
    ),
    (
        "Codex",
        "exec",
        {"input": 'await tools.exec_command({cmd:"cat b"}); await tools.write_stdin({})'},
        [RUN, read("b", exact=False)],
    ),
    ("Codex", "exec", {"input": "await tools.exec_command({cmd:c})"}, [RUN]),
    ("Codex", "apply_patch", {"type": "update_file", "path": "a.py", "diff": "@@\n-a\n+b"}, [edit("a.py", None)]),
    ("Codex", "apply_patch", {"type": "create_file", "path": "a.py", "diff": "+a"}, [write("a.py")]),
    ("Codex", "apply_patch", {"type": "delete_file", "path": "a.py"}, [delete("a.py")]),
    ("Codex", "write_stdin", {"session_id": 3, "chars": ""}, []),
    (
        "Gemini CLI",
        "replace",
        {"file_path": "a", "old_string": "a", "new_string": "b\nc", "expected_replacements": 2},
        [edit("a", None)],
    ),
    ("Gemini CLI", "read_file", {"file_path": "a", "start_line": 3, "end_line": 9}, [read("a", 3, 9)]),
    (
        "Roo Code",
        "read_file",
        {"path": "a", "mode": "indentation", "indentation": {"anchor_line": 3}},
        [read("a", exact=False)],
    ),
    ("a server", "peek_text", {"path": "a"}, [read("a", exact=False)]),
    ("a server", "write_chart", {"path": "a.png", "title": "x"}, [sent("a.png")]),
    ("a server", "write_log", {"path": "a.txt", "content": "x", "append": True}, [edit("a.txt", None)]),
    ("a server", "create_issue", {"title": "x", "body": UNIFIED}, []),
    ("a server", "put_file", {"path": "a.diff", "content": UNIFIED}, [write("a.diff")]),
    ("a server", "compare", {"path": "a", "note": "x"}, [look("a")]),
    ("OpenCode", "read", {"filePath": "/a/x.ts"}, [read("/a/x.ts")]),
    ("OpenCode", "read", {"filePath": "/a/x.ts", "offset": 20, "limit": 10}, [read("/a/x.ts", 20, 30, False)]),
    ("OpenCode", "edit", {"filePath": "/a/x.ts", "oldString": "a", "newString": "b"}, [edit("/a/x.ts", 0)]),
    ("OpenCode", "apply_patch", {"patchText": PATCH}, PATCHED),
    ("OpenHands", "str_replace_editor", {"command": "view", "path": "/w/a"}, [read("/w/a")]),
    (
        "OpenHands",
        "str_replace_editor",
        {"command": "view", "path": "/w/a", "view_range": [3, 9]},
        [read("/w/a", 3, 9)],
    ),
    (
        "OpenHands",
        "str_replace_editor",
        {"command": "view", "path": "/w/a", "view_range": [3, -1]},
        [read("/w/a", 3)],
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
        [edit("/w/a", 2)],
    ),
    ("OpenHands", "file_editor", {"command": "undo_edit", "path": "/w/a"}, [edit("/w/a", None)]),
    ("SWE-agent", "open", {"path": "a.py", "line_number": 80}, [read("a.py", exact=False)]),
    ("SWE-agent", "goto", {"line_number": 80}, [read("", exact=False)]),
    ("SWE-agent", "edit", {"replacement_text": "a\nb", "start_line": 3, "end_line": 3}, [edit("", 1)]),
    ("SWE-agent", "create", {"filename": "a.py"}, [write("a.py")]),
    ("SWE-agent", "bash", {"command": "open a.py 40\n"}, [read("a.py", exact=False)]),
    ("SWE-agent", "bash", {"command": "edit 1:1\nimport x\nend_of_edit\n"}, [edit("", 0)]),
    ("SWE-agent", "bash", {"command": "edit\nimport x\nend_of_edit\n"}, [edit("", None)]),
]


@pytest.mark.parametrize(("host", "tool", "arguments", "expected"), TOOLS)
def test_the_effects_of_a_call(host: str, tool: str, arguments: dict[str, Any], expected: list[FileEffect]) -> None:
    assert list(effects(tool, arguments)) == expected


# command, its effects
SHELL: list[tuple[str, list[FileEffect]]] = [
    ("cat a b", [read("a"), read("b")]),
    ("cat -n a", [read("a")]),
    ("cat *.py", [look()]),
    ("cat $FILE", [look()]),
    ("cat 'a b.py'", [read("a b.py")]),
    ("cat a > /dev/null", [look("a")]),
    ("cat a || echo none", [look("a")]),
    ("cat a; echo ---; cat b", [read("a"), read("b")]),
    ("head a", [read("a", None, 10)]),
    ("head -20 a", [read("a", None, 20)]),
    ("head -n 20 a", [read("a", None, 20)]),
    ("head -c 20 a", [read("a", exact=False)]),
    ("head -n -5 a", [read("a", exact=False)]),
    ("tail a", [read("a", exact=False)]),
    ("tail -n +20 a", [read("a", 20)]),
    ("tail -n +20 a | head -n 5", [read("a", 20, 24)]),
    ("cat a | sed -n '5,9p'", [read("a", 5, 9)]),
    ("sed -n '10,20p' a | head -5", [read("a", 10, 14)]),
    ("sed -n '10,$p' a", [read("a", 10)]),
    ("sed -n '7p' a", [read("a", 7, 7)]),
    ("sed -n -e '1,3p' -e '7,9p' a", [read("a", None, 3), read("a", 7, 9)]),
    ("sed -n '1,3p;7,9p' a", [read("a", None, 3), read("a", 7, 9)]),
    ("sed -n '/x/,/y/p' a", [read("a", exact=False)]),
    ("sed 's/a/b/' a", [look("a")]),
    ("nl -ba a | sed -n '3,4p'", [read("a", 3, 4)]),
    ("cat a | grep x", [look("a")]),
    ("cat a | python f.py", [RUN]),
    ("cat a | tail -3", [read("a", exact=False)]),
    ("cd /w && cat a", [read("/w/a")]),
    ("cd $X && cat a", [look("?/a")]),
    ("cd - && cat /b", [read("/b")]),
    ("cat a 2>/dev/null", [read("a")]),
    ("FOO=1 timeout 5 cat a", [read("a")]),
    ("git status && cat a", [look(), read("a")]),
    ("ls -la src", [look("src")]),
    ("rg -n 'a b' src", [seek("src")]),
    ("find . -name '*.py' -exec grep -l x {} \\;", [seek()]),
    ("find . -name '*.py' -delete", [RUN]),
    ("git -C /w log --oneline | head -5", [look()]),
    ("git branch -r", [look()]),
    ("git branch new", [RUN]),
    ("gh pr view 7 --json x", [look()]),
    ("gh api x -f body=y", [RUN]),
    ("npm test 2>&1 | tail -20", [RUN]),
    ("cat > a <<'EOF'\nx\nEOF", [write("a")]),
    ("cat > a <<'EOF'\nx\nEOF\npython a", [write("a"), RUN]),
    ("cat <<EOF >> a\nx\nEOF\n", [edit("a")]),
    ("cat <<EOF | tee -a a\nx\nEOF\n", [edit("a")]),
    ("cat <<EOF\nx\nEOF\n", [look()]),
    ("cat > a <<'EOF'\nx\n", [RUN]),
    ("echo 'x y' > a", [write("a")]),
    ("echo $X > a", [RUN, sent("a")]),
    ("python f.py > a", [RUN, sent("a")]),
    ("sed -i 's/a/b/' a b", [edit("a", None), edit("b", None)]),
    ("sed -i '' 's/a/b/' a", [edit("a", None)]),
    ("sed -i.bak -e 's/a/b/' a && cat a", [edit("a", None), read("a")]),
    ("perl -pi -e 's/a/b/' a", [edit("a", None)]),
    ("sed -i 's/a/b/' *.py", [RUN]),
    ("for f in a b; do cat $f; done", [RUN]),
    ("cat $(git ls-files)", [RUN]),
    ("cat `which x`", [RUN]),
    ("cat a &", [RUN]),
    ("(cat a)", [RUN]),
    ("rm a", [delete("a")]),
    ("cd /w && rm -rf 'a b' c/ && ls", [delete("/w/a b"), delete("/w/c"), look()]),
    ("rm -- -a", [delete("-a")]),
    ("rm *.py", [RUN]),
    ("rm $X", [RUN]),
    ("cd $X && rm a", [RUN]),
    ("git rm -q a b", [delete("a"), delete("b")]),
    ("git rm --cached a", [RUN]),
    ("mv a b", [move("a", "b")]),
    ("cd /p/src && git mv a.py ../b.py", [move("/p/src/a.py", "/p/b.py")]),
    ("git -C /p mv a b", [move("/p/a", "/p/b")]),
    ("mv a b lib/", [move("a", "lib/a"), move("b", "lib/b")]),
    ("cd /p && mv src/a .", [move("/p/src/a", "/p/a")]),
    ("mv src/a .", [move("src/a", "a")]),
    ("mv a $X", [RUN]),
    ("mv -t lib a b", [RUN]),
    ("cp a b", [sent("b")]),
    ("touch a", [sent("a")]),
    ("git checkout -- a b", [edit("a", None), edit("b", None)]),
    ("git checkout HEAD~1 -- src/a.py", [edit("src/a.py", None)]),
    ("git checkout src/a.py", [edit("src/a.py", None)]),
    ("git checkout feature/x", [RUN]),
    ("git checkout -b a.b", [RUN]),
    ("git restore src/a.py", [edit("src/a.py", None)]),
    ("git restore --staged a", [RUN]),
    ("cat a > b", [RUN, sent("b")]),
    ("make 2>&1 | tee log.txt", [RUN, sent("log.txt")]),
    ("make >> log.txt", [RUN, FileEffect("log.txt", "edit", exact=False, grown=None)]),
    ("make > /dev/stderr", [RUN]),
    (f"git apply <<'EOF'\n{UNIFIED}EOF", [edit("src/a.py", 1), delete("b.py"), write("c.py")]),
    ("patch -p1 <<'EOF'\nno patch\nEOF", [RUN]),
    ("for f in a b; do rm $f; done", [RUN]),
    ("find . -name x | xargs rm", [RUN]),
    ("echo mv a b", []),
    ("cd /w", []),
    ("echo hi", []),
    ("cat a # all of it", [read("a")]),
    ("cat a#1", [read("a#1")]),
    ('cat "a', [RUN]),
    ("./pvlib/tools.py | cat", [RUN]),
    ("cat ./pvlib/tools.py", [read("pvlib/tools.py")]),
]


@pytest.mark.parametrize(("command", "expected"), SHELL)
def test_the_effects_of_a_command_line(command: str, expected: list[FileEffect]) -> None:
    assert list(effects("bash", {"command": command})) == expected


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


def test_a_shell_tells_where_it_went() -> None:
    assert went("cd /w/a && cd b && ls") == "/w/a/b"
    assert went("ls") == ""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("./a//b/../c.py", "a/c.py"),
        ("/a/./b/", "/a/b"),
        ("../a", "../a"),
        ("/../a", "/a"),
        ("C:\\a\\b.py", "C:/a/b.py"),
        ("src\\a.py", "src/a.py"),
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
    ],
)
def test_which_paths_are_one_file(name: str, paths: list[str], expected: dict[str, str]) -> None:
    assert same(paths) == expected


CAT_N = "     1\ta\n     2\tb\n     3\tc\n"
REMINDER = "\n<system-reminder>\nbe good\n12: no\n</system-reminder>\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CAT_N, (1, 3)),
        ("Here's the result of running `cat -n` on x:\n" + CAT_N, (1, 3)),
        ("   198→a\n   199→\n   200→c" + REMINDER, (198, 200)),
        ("<path>x</path>\n<content>1: a\n2: b\n\n(End of file - total 2 lines)\n</content>", (1, 2)),
        ("[File: x (90 lines total)]\r\n(11 more lines above)\r\n12:a\r\n13:b\r\n(77 more lines below)", (12, 13)),
        ("     1\ta\n     2\tb\n<NOTE>cut</NOTE>\n     90\tc\n", (1, 2)),
        ("no numbers\nhere", None),
        ("12 apples\n13 pears", None),
        ("", None),
        ("1: only the first\nof these\nlooks so", (1, 1)),
    ],
)
def test_the_lines_a_result_numbers(text: str, expected: tuple[int, int] | None) -> None:
    assert notes(text).numbered == expected


def test_what_a_result_says_of_itself() -> None:
    assert notes("a\n\n[461 more lines in file. Use offset=795 to continue]").more == 795
    assert notes("a\n[Showing lines 1-200 of 900. Use offset=201 to continue.]").more == 201
    assert notes("1: a\n(File has more lines. Use 'offset' parameter to read beyond line 20)").more == 21
    assert notes("1: a\n\n(End of file - total 1 lines)").ended
    assert notes("a\n…12 tokens truncated…\nb").cut
    assert notes("[Showing lines 5-9 of 900. Full output: /tmp/x]").cut
    assert notes("Chunk ID: 1\nProcess running with session ID 7\nOutput:\n").cut
    assert not notes("it was truncated by hand").cut
    assert notes("cat: a: No such file or directory", shell=True).how == "hidden"
    assert notes("cat: a: No such file or directory").how == "shown"
    assert notes("[Old tool result content cleared]").how == "cleared"
    assert notes("File unchanged since last read. See above.").how == "cleared"
    assert notes("ERROR:\nNo replacement was performed, x").how == "refused"
    assert notes(" \n").how == "empty"
    assert notes("[File: /w/a.py (2 lines total)]\n1:a\n2:b\n").file == "/w/a.py"
    assert notes("Wall time: 1\nOutput:\na\nb\n").lines == 3


def test_a_patch_keeps_its_files_and_hunks() -> None:
    short = patches.shortened(PATCH, "[gone]")
    assert [section.path for section in patches.sections(short)] == ["src/a.py", "b.py"]
    assert short.count("@@") == PATCH.count("@@")
    assert "newer" not in short


words = st.sampled_from(
    [
        "cat",
        "sed",
        "-n",
        "'1,5p'",
        "a.py",
        "head",
        "-5",
        "|",
        "&&",
        ";",
        "||",
        ">",
        ">>",
        "<<EOF",
        "\n",
        "EOF",
        "$x",
        '"q"',
        "cd",
        "tail",
        "tee",
        "-i",
        "#",
        "\\",
        "(",
        "{",
        "&",
    ]
)


@given(st.lists(words, max_size=14).map(" ".join))
def test_no_command_line_is_an_error(line: str) -> None:
    for effect in effects("bash", {"command": line}):
        assert effect.kind in ("run", "list", "search") or effect.path or not effect.exact
        assert effect.start is None or effect.start > 1


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = [
    "path",
    "file_path",
    "filePath",
    "offset",
    "limit",
    "edits",
    "command",
    "cmd",
    "input",
    "view_range",
    "content",
]


@given(
    st.sampled_from(["read", "Write", "edit", "bash", "exec", "str_replace_editor", "apply_patch", "open", "grep"]),
    st.dictionaries(st.sampled_from(NAMES), json, max_size=5),
)
def test_no_arguments_are_an_error(tool: str, arguments: dict[str, Any]) -> None:
    assert tool_call(tool, arguments) == tool_call(tool, arguments)


@given(st.text(max_size=200))
def test_no_result_is_an_error(text: str) -> None:
    told = notes(text, shell=True)
    assert told.numbered is None or told.numbered[0] <= told.numbered[1]
