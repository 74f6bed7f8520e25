"""The agent's tools: turns a call into what really came of it, in a repository on disk.

1. Every outcome is the same on every machine: the repository is shown as its `home` and the interpreter as PYTHON,
   listings are sorted, and a command sees none of the caller's environment.
2. A tool that can not do what was asked answers with an error text; only a fault in here raises.

Knows nothing of the story and of the session file.
"""

import difflib
import fnmatch
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HOME = "/home/dev/greenhouse"
PYTHON = "/usr/bin/python3"

# What one read gives at most, as in pi's read tool.
MAX_LINES = 2000
MAX_BYTES = 50 * 1024

MAX_MATCHES = 100  # lines that one grep gives at most

# Without bytecode files, site-packages or the user's own: the standard library alone.
PYTHON_FLAGS = "-B -s -S"


@dataclass(frozen=True)
class Outcome:
    """What a tool answers. `details` are for the host's screen, the model never sees them."""

    text: str
    is_error: bool = False
    details: dict[str, Any] = field(default_factory=dict)


class ToolError(Exception):
    """What was asked can not be done; the text is the answer."""


class Toolbox:
    """The tools over the repository in `root`, which is shown as `home`.

    `bin` is an empty folder for a `python3` that is this one."""

    def __init__(self, root: Path, bin: Path, home: str = HOME) -> None:
        self.root, self.home = root, home
        self.todos: list[dict[str, str]] = []
        self.path = f"{bin}:/usr/local/bin:/usr/bin:/bin"
        self.shown = self._shown_names()
        wrapper = bin / "python3"
        wrapper.write_text(f"#!/bin/sh\nexec '{sys.executable}' {PYTHON_FLAGS} \"$@\"\n", encoding="utf-8")
        wrapper.chmod(0o755)

    def _shown_names(self) -> list[tuple[str, str]]:
        """Real paths and what is shown for them, the longest first."""
        names = {sys.executable: PYTHON, os.path.realpath(sys.executable): PYTHON}
        names |= {str(self.root): self.home, os.path.realpath(self.root): self.home}
        return sorted(names.items(), key=lambda pair: -len(pair[0]))

    def run(self, tool: str, arguments: dict[str, Any]) -> Outcome:
        """Carries out one call."""
        try:
            outcome: Outcome = getattr(self, f"tool_{tool}")(**arguments)
            return outcome
        except ToolError as error:
            return Outcome(str(error), is_error=True)

    def tool_read(self, path: str, offset: int = 1, limit: int = MAX_LINES) -> Outcome:
        lines = self._text(path).split("\n")
        if lines[-1] == "":
            lines.pop()
        if offset > max(1, len(lines)):
            raise ToolError(f"Offset {offset} is past the end of {path} ({len(lines)} lines)")
        chosen = fitting(lines[offset - 1 : offset - 1 + min(limit, MAX_LINES)])
        last = offset + len(chosen) - 1
        note = f"\n\n[Lines {offset}-{last} of {len(lines)}. Use offset={last + 1} to go on.]"
        return Outcome("\n".join(chosen) + (note if last < len(lines) else ""))

    def tool_write(self, path: str, content: str) -> Outcome:
        target = self._real(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode("utf-8"))
        return Outcome(f"Wrote {len(content.encode('utf-8'))} bytes to {path}")

    def tool_edit(self, path: str, oldText: str, newText: str) -> Outcome:  # noqa: N803 (the tool's own names)
        before = self._text(path)
        found = before.count(oldText)
        if found == 0:
            raise ToolError(f"Text not found in {path}. oldText must match exactly, white space included.")
        if found > 1:
            raise ToolError(f"oldText occurs {found} times in {path}. Add lines until it is unique.")
        after = before.replace(oldText, newText)
        self._real(path).write_bytes(after.encode("utf-8"))
        return Outcome(f"Replaced 1 block in {path}", details={"diff": diff(before, after)})

    def tool_bash(self, command: str) -> Outcome:
        output, code = self.shell(command)
        text = output.rstrip("\n") or "(no output)"
        if code:
            return Outcome(f"{text}\n\nCommand exited with code {code}", is_error=True)
        return Outcome(text)

    def shell(self, command: str) -> tuple[str, int]:
        """Runs a command in the repository; its output, errors included, and its exit code."""
        done = subprocess.run(
            [shutil.which("bash") or "/bin/bash", "--norc", "--noprofile", "-c", self._hidden(command)],
            cwd=self.root,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return self._visible(done.stdout.decode("utf-8")), done.returncode

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": self.path,
            "HOME": str(self.root.parent),
            "LC_ALL": "C",
            "TZ": "UTC",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "COLUMNS": "80",
            "PYTHONHASHSEED": "0",
            "PYTHONUTF8": "1",
            "PYTHONUNBUFFERED": "1",  # output and errors in the order they were written
        }

    def tool_grep(self, pattern: str, path: str = ".", glob: str = "*") -> Outcome:
        wanted = re.compile(pattern)
        matches = []
        for name in self._files(path):
            if not fnmatch.fnmatchcase(Path(name).name, glob):
                continue
            for number, line in enumerate(self._text(name).splitlines(), start=1):
                if wanted.search(line):
                    matches.append(f"{name}:{number}: {line}")
        if len(matches) > MAX_MATCHES:
            note = f"[{MAX_MATCHES} of {len(matches)} matches. Narrow the pattern to see more.]"
            matches[MAX_MATCHES:] = ["", note]
        return Outcome("\n".join(matches) or "No matches found")

    def tool_find(self, pattern: str, path: str = ".") -> Outcome:
        names = [name for name in self._files(path) if fnmatch.fnmatchcase(Path(name).name, pattern)]
        return Outcome("\n".join(names) or "No files found")

    def tool_ls(self, path: str = ".") -> Outcome:
        folder = self._real(path)
        if not folder.is_dir():
            raise ToolError(f"Not a folder: {path}")
        return Outcome("\n".join(sorted(child.name + "/" * child.is_dir() for child in folder.iterdir())))

    def tool_todo_write(self, todos: list[dict[str, str]]) -> Outcome:
        self.todos = list(todos)
        counts = dict.fromkeys(("completed", "in_progress", "pending"), 0)
        for each in self.todos:
            counts[each["status"]] += 1
        told = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in counts.items() if count)
        return Outcome(f"Task list stored: {told}", details={"todos": self.todos})

    def _files(self, path: str) -> list[str]:
        """Names of the files under a folder (or of the file itself) as the agent writes them, sorted."""
        start = self._real(path)
        if not start.exists():
            raise ToolError(f"No such file or folder: {path}")
        found = [start] if start.is_file() else [each for each in start.rglob("*") if each.is_file()]
        return sorted(each.relative_to(self.root).as_posix() for each in found)

    def _text(self, path: str) -> str:
        target = self._real(path)
        if not target.is_file():
            raise ToolError(f"File not found: {self.home}/{path.removeprefix(self.home + '/')}")
        return target.read_bytes().decode("utf-8")

    def _real(self, path: str) -> Path:
        return self.root / path.removeprefix(self.home).lstrip("/")

    def _hidden(self, text: str) -> str:
        return text.replace(self.home, str(self.root))

    def _visible(self, text: str) -> str:
        for real, shown in self.shown:
            text = text.replace(real, shown)
        return text


def fitting(lines: list[str]) -> list[str]:
    """The first lines that together fit MAX_BYTES."""
    size = 0
    for count, line in enumerate(lines):
        size += len(line.encode("utf-8")) + 1
        if size > MAX_BYTES:
            return lines[:count]
    return lines


def diff(before: str, after: str) -> str:
    """What changed, as a unified diff without its file names."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm="")
    return "\n".join(list(lines)[2:])
