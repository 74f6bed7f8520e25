"""Effects on files in few letters."""

from typing import Any

from ctxmgr.engine.tools import FileEffect, tool_call


def read(path: str) -> FileEffect:
    return FileEffect(path, "read")


def part(path: str) -> FileEffect:
    """A read that may show less than the file."""
    return FileEffect(path, "read", whole=False)


def write(path: str) -> FileEffect:
    return FileEffect(path, "write")


def edit(path: str) -> FileEffect:
    return FileEffect(path, "edit")


def look(path: str = "") -> FileEffect:
    return FileEffect(path, "list")


def seek(path: str = "") -> FileEffect:
    return FileEffect(path, "search")


def delete(path: str) -> FileEffect:
    return FileEffect(path, "delete")


def sent(path: str) -> FileEffect:
    """A write of what the call does not hold."""
    return FileEffect(path, "write", whole=False)


def effects(tool: str, arguments: dict[str, Any]) -> tuple[FileEffect, ...]:
    return tool_call(tool, arguments).effects


RUN = FileEffect("", "run")

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
