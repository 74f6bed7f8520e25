"""Turns what a host declares of a tool into its row of the catalog, and a call of such a tool into its effects.

Rules:
1. What is declared goes before what names say, of the tool and of its arguments: no other argument of the call is
   taken for a file or a command.
2. A call does what it has the arguments for, each by the rules of its family: lines that are asked for, a shell's
   words. Where it has none it looks where the host is, if that is what the tool is for.
3. A write surely holds the whole text only where the call has one.
"""

from collections.abc import Iterator

from ctxmgr.engine.tools.arguments import Arguments, CallArguments
from ctxmgr.engine.tools.effects import CERTAIN, CallEffects
from ctxmgr.engine.tools.families import FAMILIES, Counting
from ctxmgr.engine.tools.roles import ArgumentRole, role_of
from ctxmgr.engine.tools.rows import Does, ToolRow
from ctxmgr.model import DeclaredTool

_DOES: tuple[tuple[Does, str], ...] = (  # what says most of a call comes first: it is of that kind
    ("run", "runs"), ("write", "writes"), ("edit", "edits"), ("delete", "deletes"), ("read", "reads"),
    ("search", "searches"), ("list", "lists"),
)  # fmt: skip
_LOOKS: frozenset[Does] = frozenset(("search", "list"))
_FILES: frozenset[ArgumentRole] = frozenset(("path", "paths", "source", "destination"))
_COMMANDS: frozenset[ArgumentRole] = frozenset(("command", "input"))


def row_of(tool: DeclaredTool) -> ToolRow:
    """Its row, which counts before those of the catalog."""
    does = tuple((family, name) for family, field in _DOES if (name := getattr(tool, field)) is not None)
    roles: dict[str, ArgumentRole] = {}
    for family, name in does:
        roles.setdefault(name, "command" if family == "run" else "path")
    return ToolRow(does[0][0], (tool.name,), "", roles, does=does)


def done(row: ToolRow, arguments: Arguments) -> tuple[Does, CallEffects]:
    """What a call of it does, and the kind of call that it is by that (rule 2)."""
    each = list(_each(row, arguments))
    if not each:
        family = next((family for family, _ in row.does if family in _LOOKS), row.does[0][0])
        return family, FAMILIES[family](CallArguments({}), Counting())
    shell = next((one for family, one in each if family == "run"), CallEffects())
    return each[0][0], CallEffects(
        tuple(effect for _, one in each for effect in one.effects),
        all(one.repeats for _, one in each),
        shell.directory,
        shell.command,
        shell.scripted,
        shell.status if shell.command else CERTAIN,
        shell.result_names,
    )


def _each(row: ToolRow, arguments: Arguments) -> Iterator[tuple[Does, CallEffects]]:
    for family, name in row.does:
        if arguments.get(name) is None:
            continue
        role: ArgumentRole = "command" if family == "run" else "path"
        if role == "path" and isinstance(arguments[name], list):
            role = "paths"
        beside = _COMMANDS if family == "run" else _FILES
        alone = {one: value for one, value in arguments.items() if one == name or role_of(one) not in beside}
        yield family, FAMILIES[family](CallArguments(alone, {name: role}), Counting(listed=family != "write"))
