"""Reads, writes and edits of a file, and what of them is out of date."""

from typing import Any

from tests.notation import Said, a, call, err, r

LINES = 100


def shown(start: int, end: int) -> str:
    text = "\n".join(f"line {number}" for number in range(start, min(end, LINES) + 1))
    return (
        text if end >= LINES else f"{text}\n\n[{LINES - end} more lines in file. Use offset={end + 1} to continue]"
    )


def read(path: str = "x", start: int | None = None, end: int | None = None) -> list[Said]:
    asked: dict[str, Any] = {"path": path}
    asked |= {} if start is None else {"offset": start}
    asked |= {} if end is None else {"limit": end - (start or 1) + 1}
    return [a(call("read", **asked)), r(shown(start or 1, end or LINES))]


def write(path: str = "x") -> list[Said]:
    return [a(call("write", path=path, content=shown(1, LINES))), r("written")]


def edit(path: str = "x", grown: int = 0) -> list[Said]:
    return [a(call("edit", path=path, oldText="a", newText="b" + "\nb" * grown)), r("replaced")]


def bash(command: str, output: str = "ok") -> list[Said]:
    return [a(call("bash", command=command)), r(output)]


def failed(tool: str, **arguments: Any) -> list[Said]:
    return [a(call(tool, **arguments)), err("no")]
