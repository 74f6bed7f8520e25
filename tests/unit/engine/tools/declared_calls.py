"""Calls of tools that their host declares, in words that say nothing or mislead. `does` as in `known_calls`."""

from typing import Any

from tests.unit.engine.tools.known_calls import LONG, Known, delete, edit, read, write


def declared(tool: str, does: dict[str, str], arguments: dict[str, Any], *done: tuple[str, str]) -> Known:
    return Known("declared", tool, arguments, done, declared=does)


CARRIES = {"reads": "from", "writes": "to"}
DECLARED = [
    declared("peruse", {"reads": "what"}, {"what": "src/a.py"}, *read("src/a.py")),
    declared("peruse", {"reads": "what"}, {"what": ["a.py", "b.py"]}, *read("a.py", "b.py")),
    declared("delete_cache", {"reads": "key"}, {"key": "a.py", "path": "/var/cache"}, *read("a.py")),
    declared("commit", {"writes": "doc"}, {"doc": "a.py", "body": LONG}, *write("a.py")),
    declared("read", {"writes": "to"}, {"to": "a.py", "path": "template.j2"}, *write("a.py")),
    declared("polish", {"edits": "doc"}, {"doc": "a.py", "old_str": "a", "new_str": LONG}, *edit("a.py")),
    declared("retire", {"deletes": "doc"}, {"doc": "src/a.py"}, *delete("src/a.py")),
    declared("carry", CARRIES, {"from": "a.py", "to": "b.py"}, *read("a.py"), *write("b.py")),
    declared("carry", CARRIES, {"from": "a.py"}, *read("a.py")),
    declared("toolbox", {"runs": "line"}, {"line": "sed -n 1,20p src/a.py", "note": "look"}, *read("src/a.py")),
    declared("read_all", {"runs": "line"}, {"line": "rm src/a.py", "path": "b.py"}, *delete("src/a.py")),
    declared("read_mail", {"lists": "box"}, {"box": "inbox", "path": "a.py"}),
    declared("open", {"searches": "where"}, {"where": "src", "path": "a.py"}),
    declared("open", {"searches": "where"}, {"text": "order"}),
]
