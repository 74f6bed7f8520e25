"""Turns a tool call into everything known of it before its result, by the rows of a catalog.

Rules:

1. A tool with a row is known by it: by its whole name, or by the part behind a server's or host's prefix.
2. Any other tool is understood by the words of its name and the roles of its arguments: with a path and an old and
   a new text it edits, with a path and a content it writes. What it asks for is uncertain then.
3. If neither says anything, only the paths that its arguments name are known.
4. A host's declaration of its tools and arguments has priority: no other argument of the call is taken for a file
   or a command.
5. Arguments may have any type. A call within a call (`use_mcp_tool`) counts as the inner one.
6. A call of a declared tool does what it has arguments for, each by the rules of its family. Without any, it looks
   where the host is, if that is its purpose. A write certainly holds the whole text only if the call has one.
7. Whether a result is a host's or a user's word (`tells`) depends on the whole name: a server's tool may have any.
"""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from functools import lru_cache
from typing import Any

import msgspec

from ctxmgr.engine.tools import families
from ctxmgr.engine.tools.arguments import Arguments, CallArguments
from ctxmgr.engine.tools.effects import CallEffects, ToolCall
from ctxmgr.engine.tools.families import FAMILIES
from ctxmgr.engine.tools.names import (
    ArgumentRole,
    EffectKind,
    is_of_a_service,
    kind_of,
    leaves_its_source,
    role_of,
    without_prefix,
)
from ctxmgr.engine.tools.rows import ROWS, Does, Tells, ToolRow
from ctxmgr.engine.tools.tasks import tasks_of
from ctxmgr.model import Block, Call, DeclaredTool, DeclaredTools, Message, once

_KINDS = {"copy": "write", "patch": "edit", "call": ""}
_KEYS: tuple[tuple[ArgumentRole, ...], ...] = (
    ("path", "paths", "source", "destination", "directory"),
    ("command",),
    ("pattern",),
    ("query",),
    ("url",),
    ("filter",),
    ("offset", "start", "range"),
    ("limit", "end"),
    ("id",),
)
_RANK: dict[ArgumentRole, int] = {role: rank for rank, roles in enumerate(_KEYS) for role in roles}
_DOES: tuple[tuple[Does, str], ...] = (  # most informative first; it determines the kind
    ("run", "runs"), ("write", "writes"), ("edit", "edits"), ("delete", "deletes"), ("read", "reads"),
    ("search", "searches"), ("list", "lists"),
)  # fmt: skip
_LOOKS: frozenset[Does] = frozenset(("search", "list"))
_FILES: frozenset[ArgumentRole] = frozenset(("path", "paths", "source", "destination"))
_COMMANDS: frozenset[ArgumentRole] = frozenset(("command", "input"))
FEW = 2  # arguments named for a call without a key argument
NESTED = 2  # calls within calls that are followed
USERS_SHELL = "shell"
_PI_LISTED: dict[str, EffectKind] = {
    "read": "read",
    "write": "write",
    "edit": "edit",
}

Memo = MutableMapping[Any, Any]
"""What was written in the place of blocks, kept from call to call; may be cleared at any time."""


class Catalog:
    """Rows by the names of their tools. A host's own rows come first."""

    def __init__(self, rows: Iterable[ToolRow] = ROWS) -> None:
        self.rows = tuple(rows)
        self._by_name: dict[str, list[ToolRow]] = {}
        for row in self.rows:
            for name in row.names:
                self._by_name.setdefault(_plain(name), []).append(row)

    def with_rows(self, rows: Iterable[ToolRow]) -> "Catalog":
        """This catalog plus rows that take precedence."""
        return Catalog((*rows, *self.rows))

    def row(self, tool: str, arguments: Arguments) -> ToolRow | None:
        """The row of a tool, None if it is unknown."""
        for name in _spellings(tool):
            for row in self._by_name.get(name, ()):
                if not row.where or row.where in arguments:
                    return row
        return None

    def tells(self, tool: str, arguments: Arguments) -> Tells:
        """Whose word the result of a call is (rule 7)."""
        row = self.listed(tool, arguments)
        return row.tells if row is not None else ""

    def listed(self, tool: str, arguments: Arguments) -> ToolRow | None:
        """The row of a tool with this whole name."""
        row = self.row(tool, arguments)
        return row if row is not None and _plain(tool) in map(_plain, row.names) else None

    def keys(self, tool: str, arguments: Arguments) -> tuple[tuple[str, Any], ...]:
        """Only the key arguments of a call, which are cheap."""
        _, row, given = self._outer(tool, arguments)
        return _keys(given, families.scripted(given) if row is None or row.family == "run" else "")

    def arguments(self, tool: str, arguments: Arguments) -> CallArguments:
        """The arguments of the effective call (rule 5), with roles."""
        return self._outer(tool, arguments)[2]

    def _outer(self, tool: str, arguments: Arguments) -> tuple[str, ToolRow | None, CallArguments]:
        """Rule 5: the effective call, with its row."""
        for _ in range(NESTED):
            row = self.row(tool, arguments)
            given = CallArguments(arguments, row.roles if row else None)
            inner = _inner(given) if row is not None and row.family == "call" else None
            if inner is None:
                break
            tool, arguments = inner
        return tool, row, given

    def call(self, tool: str, arguments: Arguments) -> ToolCall:
        """Everything known of a call. Never raises; linear in the arguments."""
        tool, row, given = self._outer(tool, arguments)
        if row is not None and row.does:
            return _of(tool, given, *_declared_done(row, given.arguments))
        family: str = row.family if row else _family(tool, given)
        read = FAMILIES.get(family, families.nothing)
        done = read(given, row is not None)
        kind = families.editing(given) if family == "editor" else _KINDS.get(family, family)
        return _of(tool, given, kind, done)  # type: ignore[arg-type]


@lru_cache(maxsize=512)
def _spellings(tool: str) -> tuple[str, ...]:
    """The names that a row may have: the whole one, and the part behind a prefix."""
    return tuple(dict.fromkeys((_plain(tool), _plain(without_prefix(tool)))))


@lru_cache(maxsize=1_024)
def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _family(tool: str, given: CallArguments) -> str:
    """Rule 2."""
    kind = kind_of(tool)
    named = bool(given.path or given.several or any(part.path for part in given.parts))
    if not named:
        is_patch = given.patch is not None and (kind == "edit" or given.text("patch", "input") == given.patch)
        if is_patch and kind in ("", "edit"):
            return "patch"
        return "run" if kind == "run" or (not kind and given.text("command")) else kind
    if kind == "run" and not given.has("command", "input"):
        kind = ""
    if kind == "fetch" and not given.has("url"):
        kind = "read"
    if kind in ("", "write", "edit", "delete", "move") and is_of_a_service(tool):
        return ""
    if kind in ("", "edit", "write") and given.text("old text") is not None and given.text("new text") is not None:
        return "edit"
    if kind == "delete" and given.has("start", "end", "range", "line"):
        return "edit"
    if kind == "move" and leaves_its_source(tool):
        return "copy"
    if not kind and given.text("operation") and families.editing(given):
        return "editor"
    if not kind and not given.has("command"):
        return "write" if given.text("content") is not None else "edit" if given.has("new text") else ""
    if kind == "edit" and given.text("operation", "command") and families.editing(given):
        return "editor"
    return kind


def _inner(given: CallArguments) -> tuple[str, Mapping[str, Any]] | None:
    """The call inside a call."""
    tool = given.text("tool")
    handed = next(given.values("arguments"), None)
    if isinstance(handed, str):
        try:
            handed = msgspec.json.decode(handed)
        except msgspec.DecodeError:
            handed = None
    return (tool, handed if isinstance(handed, Mapping) else {}) if tool else None


def _of(tool: str, given: CallArguments, kind: EffectKind, done: CallEffects) -> ToolCall:
    named = (name for effect in done.effects for name in (effect.path, effect.to) if name)
    names = tuple(dict.fromkeys((*given.paths(), *named)))
    keys = _keys(given, done.shell.command if done.shell is not None and done.shell.scripted else "")
    return ToolCall(tool, kind, done.effects, names, keys, done.shell, tasks_of(tool, kind, given), done.repeats)


def _keys(given: CallArguments, script: str) -> tuple[tuple[str, Any], ...]:
    """(name, value) of what a model would repeat to get the same; without any such, the first short ones.

    `script`: the commands in one, "" for none.
    """
    if script:
        return (("cmd", script),)
    ranked = [(_RANK[role], name) for name in given.arguments if (role := given.role(name)) in _RANK]
    names = [name for _, name in sorted(ranked, key=lambda entry: entry[0])]
    inside = [part.path for part in given.parts if part.path] if not names else []
    if inside:
        return (("paths", list(dict.fromkeys(inside))),)
    if not names:
        short = (name for name, value in given.arguments.items() if isinstance(value, str | int | float))
        names = list(short)[:FEW]
    return tuple((name, given.arguments[name]) for name in names)


def identity(arguments: Arguments) -> dict[str, Any]:
    """The arguments that identify a call: all except those that do not change what it does."""
    return {name: value for name, value in arguments.items() if role_of(name) != "aside"}


CATALOG = Catalog()


@lru_cache(maxsize=64)
def catalog_of(tools: DeclaredTools) -> Catalog:
    """Includes a host's declarations."""
    return CATALOG.with_rows(map(_declared_row, tools)) if tools else CATALOG


def tool_call(tool: str, arguments: Arguments | None, own: DeclaredTools = ()) -> ToolCall:
    """Everything known of a call before its result. `own`: the host's declarations of its tools."""
    return catalog_of(own).call(tool, arguments or {})


def key_arguments(call: Call) -> tuple[tuple[str, Any], ...]:
    """The key arguments of a call, as in its `ToolCall`."""
    return catalog_of(call.declared).keys(call.tool, call.arguments)


def result_kind(call: Call) -> Tells:
    """What its result is, if not just a tool's text."""
    return catalog_of(call.declared).tells(call.tool, call.arguments)


@once
def calls_of(message: Message) -> tuple[ToolCall | None, ...]:
    """The calls of a message by block, None for blocks that are no call."""
    return tuple(map(call_of_block, message.view.blocks))


def call_of_block(block: Block) -> ToolCall | None:
    """The call in a block; a user's own shell run counts as one."""
    return _call_of(block) if block.kind in ("call", "shell") else None


@once
def _call_of(block: Block) -> ToolCall:
    tool = block.tool or USERS_SHELL if block.kind == "shell" else block.tool
    return tool_call(tool, block.arguments, block.declared)


def pi_file(block: Block) -> tuple[EffectKind, str] | None:
    """(action, path as spelled) of a call of pi's `read`, `write` or `edit`; None for anything else."""
    kind = _PI_LISTED.get(block.tool) if block.kind == "call" else None
    path = (block.arguments or {}).get("path")
    return (kind, path) if kind and isinstance(path, str) and path else None


def _declared_row(tool: DeclaredTool) -> ToolRow:
    """Its row, which precedes those of the catalog."""
    does = tuple((family, name) for family, field in _DOES if (name := getattr(tool, field)) is not None)
    roles: dict[str, ArgumentRole] = {}
    for family, name in does:
        roles.setdefault(name, "command" if family == "run" else "path")
    return ToolRow(does[0][0], (tool.name,), "", roles, does=does)


def _declared_done(row: ToolRow, arguments: Arguments) -> tuple[Does, CallEffects]:
    """What a call of it does, and the resulting kind of call (rule 6)."""
    each = list(_declared_each(row, arguments))
    if not each:
        family = next((family for family, _ in row.does if family in _LOOKS), row.does[0][0])
        return family, FAMILIES[family](CallArguments({}), True)
    effects = tuple(effect for _, done in each for effect in done.effects)
    shell = next((done.shell for _, done in each if done.shell is not None), None)
    return each[0][0], CallEffects(effects, all(done.repeats for _, done in each), shell)


def _declared_each(row: ToolRow, arguments: Arguments) -> Iterator[tuple[Does, CallEffects]]:
    for family, name in row.does:
        if arguments.get(name) is None:
            continue
        role: ArgumentRole = "command" if family == "run" else "path"
        if role == "path" and isinstance(arguments[name], list):
            role = "paths"
        beside = _COMMANDS if family == "run" else _FILES
        alone = {
            argument: value
            for argument, value in arguments.items()
            if argument == name or role_of(argument) not in beside
        }
        yield family, FAMILIES[family](CallArguments(alone, {name: role}), family != "write")
