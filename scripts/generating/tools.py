"""Turns the catalog of tools into its page in the documentation, `docs/reference/tools.md`.

The prose is `tools.md`; this fills in its `{{name}}`. Every placeholder must have a part, and every part a
placeholder.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ctxmgr.engine.tools import CATALOG, SURE, VERBS, WHOLE, ArgumentRole, ToolRow
from ctxmgr.model import DeclaredTool

PROSE = Path(__file__).with_name("tools.md")
DOES = {
    "read": "reads files",
    "write": "writes whole files",
    "edit": "edits files",
    "delete": "deletes files",
    "move": "moves a file",
    "copy": "writes a copy of a file",
    "list": "lists",
    "search": "searches",
    "fetch": "fetches a page",
    "plan": "sets tasks",
    "delegate": "hands work to another agent",
    "run": "runs a command line or code",
    "editor": "does what an argument says: view, create, replace, insert",
    "patch": "applies a patch",
    "call": "calls the tool that an argument names",
    "": "changes nothing",
}
TELLS = {
    "instructions": "its result is instructions",
    "tasks": "its result is the state of tasks",
    "answers": "its result is the user's answer",
    "plan": "its result is whether the user approved",
}
_PLACE = re.compile(r"\{\{([a-z ]+)\}\}")


def page() -> str:
    """The page; the same for the same catalog."""
    parts = {
        "tools": "\n".join(map(_row, CATALOG.rows)),
        "declared": "\n".join(_declared()),
        "roles": "\n".join(_roles()),
        "words": "\n".join(_words()),
    }
    prose = PROSE.read_text(encoding="utf-8")
    if set(_PLACE.findall(prose)) != set(parts):
        raise ValueError(f"{PROSE.name} and its parts differ: {set(_PLACE.findall(prose)) ^ set(parts)}")
    return _PLACE.sub(lambda match: parts[match[1]], prose)


def _row(row: ToolRow) -> str:
    notes = [f"`{name}` is {_role(role)}" for name, role in row.roles.items()]
    notes += [f"with `{row.where}`"] if row.where else []
    notes += [TELLS[row.tells]] if row.tells else []
    return f"| {_code(row.names)} | {DOES[row.family]} | {row.hosts} | {'; '.join(notes)} |"


def _declared() -> Iterable[str]:
    info = msgspec.inspect.type_info(DeclaredTool)
    assert isinstance(info, msgspec.inspect.StructType)
    for field in info.fields:
        if field.name != "name":
            assert isinstance(field.type, msgspec.inspect.Metadata)
            about = (field.type.extra_json_schema or {})["description"]
            yield f"| `{field.name}` | {about[0].lower()}{about[1:].removesuffix('.')} |"


def _roles() -> Iterable[str]:
    names: dict[ArgumentRole, list[str]] = {}
    for name, role in WHOLE.items():
        names.setdefault(role, []).append(name)
    return (f"| {_role(role)} | {_code(several)} |" for role, several in names.items())


def _words() -> Iterable[str]:
    words: dict[str, list[str]] = {}
    for table in (SURE, VERBS):
        for word, kind in table.items():
            words.setdefault(kind, []).append(word)
    return (f"| {DOES[kind]} | {_code(several)} |" for kind, several in words.items())


def _role(role: ArgumentRole) -> str:
    return "not used" if role == "aside" else role


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
