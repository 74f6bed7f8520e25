"""What a story is made of: turns notations such as `step("...", read("cli.py"))` into frozen moves.

A move says what somebody does, never what comes of it: outcomes are found out by running the tools. A call
that is meant to fail says so (`fails(...)`), and the recorder stops when the tools disagree.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Call:
    """One tool call of the agent."""

    tool: str
    arguments: dict[str, Any]
    fails: bool = False


@dataclass(frozen=True)
class User:
    """The user writes, `after` seconds after the previous entry."""

    text: str
    after: int


@dataclass(frozen=True)
class Shell:
    """The user runs a command in the host's own shell, `after` seconds after the previous entry."""

    command: str
    after: int


@dataclass(frozen=True)
class Step:
    """One message of the agent; `aborted` when the user stops it before its calls run."""

    text: str
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    aborted: bool = False


Move = User | Shell | Step
Story = tuple[Move, ...]


def user(text: str, after: int = 90) -> User:
    return User(text.strip(), after)


def shell(command: str, after: int = 60) -> Shell:
    return Shell(command, after)


def step(text: str, *calls: Call, thinking: str = "") -> Step:
    return Step(text.strip(), calls, thinking.strip())


def aborted(text: str, *calls: Call, thinking: str = "") -> Step:
    return Step(text.strip(), calls, thinking.strip(), aborted=True)


def fails(call: Call) -> Call:
    return dataclasses.replace(call, fails=True)


def read(path: str, offset: int | None = None, limit: int | None = None) -> Call:
    return Call("read", given(path=path, offset=offset, limit=limit))


def write(path: str, content: str) -> Call:
    """A whole file; the line break after the opening quotes is not part of it."""
    return Call("write", {"path": path, "content": content.removeprefix("\n")})


def edit(path: str, old: str, new: str) -> Call:
    """Replaces text; line breaks just inside the quotes are not part of it."""
    return Call("edit", {"path": path, "oldText": old.strip("\n"), "newText": new.strip("\n")})


def bash(command: str) -> Call:
    return Call("bash", {"command": command})


def grep(pattern: str, path: str | None = None, glob: str | None = None) -> Call:
    return Call("grep", given(pattern=pattern, path=path, glob=glob))


def find(pattern: str, path: str | None = None) -> Call:
    return Call("find", given(pattern=pattern, path=path))


def ls(path: str | None = None) -> Call:
    return Call("ls", given(path=path))


def todo(*lines: str) -> Call:
    """The task list as "x done", "> in progress" and ". still to do" lines."""
    status = {"x": "completed", ">": "in_progress", ".": "pending"}
    return Call("todo_write", {"todos": [{"content": line[2:], "status": status[line[0]]} for line in lines]})


def run(command: str) -> Call:
    """A command of an agent that has a shell alone; the line breaks just inside the quotes are not part of it."""
    return Call("exec_command", {"cmd": command.strip("\n"), "workdir": "/home/dev/tally"})


def patch(text: str) -> Call:
    return Call("apply_patch", {"input": f"*** Begin Patch\n{text.strip(chr(10))}\n*** End Patch\n"})


def plan(*lines: str) -> Call:
    """The same lines as `todo` has."""
    status = {"x": "completed", ">": "in_progress", ".": "pending"}
    return Call("update_plan", {"plan": [{"step": line[2:], "status": status[line[0]]} for line in lines]})


def given(**arguments: Any) -> dict[str, Any]:
    """Only the arguments that were given."""
    return {name: value for name, value in arguments.items() if value is not None}


HERE = "/home/dev/almanac"


def look(path: str, offset: int | None = None, limit: int | None = None) -> Call:
    """Reads as an editor's agent does: whole paths, numbered lines."""
    return Call("Read", given(file_path=f"{HERE}/{path}", offset=offset, limit=limit))


def put(path: str, content: str) -> Call:
    return Call("Write", {"file_path": f"{HERE}/{path}", "content": content.removeprefix("\n")})


def change(path: str, old: str, new: str) -> Call:
    """Line breaks just inside the quotes are not part of it."""
    return Call(
        "Edit", {"file_path": f"{HERE}/{path}", "old_string": old.strip("\n"), "new_string": new.strip("\n")}
    )


def command(text: str, why: str) -> Call:
    return Call("Bash", {"command": text, "description": why})


def search(pattern: str, path: str | None = None, names_only: bool = False) -> Call:
    return Call("Grep", given(pattern=pattern, path=path, output_mode="files_with_matches" if names_only else None))


def names(pattern: str) -> Call:
    return Call("Glob", {"pattern": pattern})


def tasks(*lines: str) -> Call:
    """The same lines as `todo` has."""
    todos = todo(*lines).arguments["todos"]
    return Call("TodoWrite", {"todos": [{**one, "activeForm": f"Doing: {one['content']}"} for one in todos]})
