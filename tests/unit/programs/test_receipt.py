"""A receipt: one prompt in two copies of a work tree, what each was billed and what each left."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.programs.receipt import TreeChanges, alike, changes, copied
from tests.provider import Provider, script

pytestmark = pytest.mark.long

BOUND = 120.0  # seconds; only a failing test waits so long
STEPS = 14
# a program that speaks as Claude Code does: it sends its list step by step, and writes a file at the end
PROGRAM = f"""#!{sys.executable}
import json, os, sys, urllib.request
from pathlib import Path
messages = [{{"role": "user", "content": sys.argv[2]}}]
text = "\\n".join(f"line {{line}} of a file" for line in range(400))
headers = {{"x-claude-code-session-id": str(Path.cwd()), "content-type": "application/json", "x-api-key": "k",
           "anthropic-version": "2023-06-01"}}
tools = [{{"name": "Read", "description": "reads", "input_schema": {{"type": "object", "properties": {{}}}}}}]
for number in range({STEPS}):
    mark = {{"cache_control": {{"type": "ephemeral"}}}}
    last = messages[-1]
    blocks = [{{"type": "text", "text": last["content"]}}] if isinstance(last["content"], str) else last["content"]
    sent = [*messages[:-1], {{**last, "content": [*blocks[:-1], {{**blocks[-1], **mark}}]}}]
    body = {{"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": sent, "tools": tools, "stream": False}}
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    asked = urllib.request.Request(url, json.dumps(body, separators=(",", ":")).encode(), headers)
    urllib.request.urlopen(asked).read()
    call = {{"type": "tool_use", "id": f"t{{number}}", "name": "Read", "input": {{"file_path": f"/p/{{number}}"}}}}
    messages += [{{"role": "assistant", "content": [call]}}]
    result = {{"type": "tool_result", "tool_use_id": f"t{{number}}", "content": f"{{number}} " + text}}
    messages += [{{"role": "user", "content": [result]}}]
Path("made.txt").write_text(sys.argv[2])
print("done", sys.argv[1:])
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    (made / ".git").mkdir(parents=True)
    (made / "kept.txt").write_text("kept")
    (made / "link").symlink_to("kept.txt")
    return made


def receipt(
    tmp_path: Path, tree: Path, *arguments: str, program: str = PROGRAM
) -> "subprocess.CompletedProcess[str]":
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "claude").write_text(program)
    (folder / "claude").chmod(stat.S_IRWXU)
    with Provider.threaded(script("Write a file"), root=tree) as provider:
        environ = {
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "ANTHROPIC_BASE_URL": provider.url,
            "TMPDIR": str(tmp_path),
        }
        command = [sys.executable, "-m", "ctxmgr", "ab", "--window", "24000", *arguments]
        return subprocess.run(command, cwd=tree, env=environ, capture_output=True, text=True, timeout=BOUND)


def test_both_bills_both_times_and_both_trees_are_compared(tmp_path: Path, tree: Path) -> None:
    done = receipt(tmp_path, tree, "--json", "--", "Write", "a file")
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    direct, managed = told["direct"], told["managed"]
    assert direct["callCount"] == managed["callCount"] == STEPS
    assert direct["rewrittenCallCount"] == 0 < managed["rewrittenCallCount"]
    assert managed["billed"]["read_tokens"] + managed["billed"]["written_tokens"] < 0.8 * (
        direct["billed"]["read_tokens"] + direct["billed"]["written_tokens"]
    )
    assert direct["changes"] == managed["changes"] == {"added": ["made.txt"], "changed": [], "deleted": []}
    assert told["alike"] is True
    assert sorted(one.name for one in tree.iterdir()) == [".git", "kept.txt", "link"]
    assert list(tmp_path.glob("ctxmgr-ab-*")) == []


def test_people_get_a_verdict_first_and_the_copies_where_they_ask_for_them(tmp_path: Path, tree: Path) -> None:
    done = receipt(tmp_path, tree, "--keep", "--", "Write a file")
    verdict, *_ = done.stdout.splitlines()
    assert verdict.startswith("with ctxmgr ")
    assert verdict.endswith("; both runs made the same changes")
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
    (folder,) = tmp_path.glob("ctxmgr-ab-*")
    assert (folder / "managed" / "work" / "made.txt").read_text() == "Write a file"
    assert "done ['-p', 'Write a file']" in done.stderr


def test_where_no_list_was_changed_no_difference_is_put_to_ctxmgrs_account(tmp_path: Path, tree: Path) -> None:
    """The second run reads what the first wrote to the provider's cache: that is no saving."""
    alike = PROGRAM.replace("str(Path.cwd())", '"s-1"').replace("range(400)", "range(40)")
    done = receipt(tmp_path, tree, "--window", "200000", "--", "Write a file", program=alike)
    verdict, *rows = done.stdout.splitlines()
    assert (
        verdict
        == "ctxmgr changed no list and saved nothing: any difference is chance; both runs made the same changes"
    )
    assert ["with", "a", "pruned", "list", "0", "0"] in [row.split() for row in rows]


def test_a_run_that_fails_is_told_by_the_exit_code(tmp_path: Path, tree: Path) -> None:
    done = receipt(tmp_path, tree, "--", "x", program=f"#!{sys.executable}\nexit(3)\n")
    assert done.returncode == 1
    assert "the provider counted no tokens" in done.stdout


def test_without_a_prompt_nothing_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ab"]) == 2
    assert "put the prompt after --" in capsys.readouterr().err


def test_changes_of_a_copy_are_found(tmp_path: Path, tree: Path) -> None:
    (tree / "gone.txt").write_text("gone")
    copy = copied(tree, tmp_path / "copy")
    assert changes(tree, copy) == TreeChanges()
    (copy / "gone.txt").unlink()
    (copy / "kept.txt").write_text("other")
    (copy / ".git" / "index").write_text("of the repository")
    (copy / "folder").mkdir()
    (copy / "folder" / "new.txt").write_text("new")
    (copy / "link").unlink()
    (copy / "link").symlink_to("folder")
    assert changes(tree, copy) == TreeChanges(("folder/new.txt",), ("kept.txt", "link"), ("gone.txt",))
    assert not alike(tree, copy, ("kept.txt",))
