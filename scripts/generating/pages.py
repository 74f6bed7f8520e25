"""Turns the table of methods, the schema and the command line into the reference pages below docs/.

1. Links of descriptions lead to the page that explains the thing here: `ELSEWHERE`.
2. What `--help` prints hangs on the release of Python and on the terminal; a page is made of the parser's own
   values instead.
"""

import argparse
from collections.abc import Iterator
from types import NoneType
from typing import Any, get_args, get_origin

from ctxmgr.cli import COMMANDS, parser
from ctxmgr.study.corpus import tasks
from ctxmgr.wire import TABLE
from scripts.generating import reference, tables, tools

Json = dict[str, Any]
MADE = "Made by `scripts/gen` from the program itself."
ELSEWHERE = {
    "#the-zones": "../explanation/pressure.md#the-zones",
    "#the-latch": "../explanation/pressure.md#the-latch",
    "#order": "../explanation/determinism.md#order",
}


ROWS = f"""# Rows of a corpus

What `ctxmgr corpus run` writes, as Parquet: `recordings/` has a `RecordingRow` a recording and policy, `calls/` a
`CallRow` a call, joined by `key`. The schema's version is {tasks.SCHEMA_VERSION}; it stands in each file's
metadata, as `ctxmgr.schema`. A version counts up where a column's meaning or type changes, or one goes; columns may
be added without.
"""
IN_PARQUET = {str: "string", int: "int64", float: "double", bool: "bool"}


def files(schema: Json) -> dict[str, str]:
    """Text by path below `docs/`."""
    return {
        "reference/methods.md": _led(_methods(schema)),
        "reference/policy.md": _led(_policy(schema["$defs"])),
        "reference/commands.md": "\n".join(_commands()),
        "reference/tools.md": tools.page(),
        "reference/corpus.md": _rows(),
    }


def _led(text: str) -> str:
    for here, there in ELSEWHERE.items():
        text = text.replace(f"({here})", f"({there})")
    return text


def _methods(schema: Json) -> str:
    parts = [
        "# Methods\n",
        f"{MADE} `protocol/reference.md` has the same with an example of each; `protocol/openrpc.json` and "
        "`protocol/schema.json` have it for machines, and `ctxmgr describe` prints it.\n",
        reference.overview(),
        "## Errors\n",
        reference.errors(),
        f"Any request may be answered with the general ones: {reference.ANY}.\n",
        "## Every method\n",
        *(reference.method(row, schema, None) for row in TABLE),
        "## Types\n",
        "Types that one method alone takes or gives stand with the method.\n",
        reference.types_of(schema),
    ]
    return "\n".join(parts)


def _policy(types: dict[str, Json]) -> str:
    """The keys, and below them the types they are made of, in the order in which they come."""
    names = ["PolicyKeys"]
    for name in names:
        names += sorted(tables.refs(types[name]) - set(names))
    whole = {name: types[name] for name in names}
    parts = [
        "# The policy\n",
        f"{MADE} A host sets these in `initialize` and by `setPolicy`; what is null or absent is as by default.\n",
    ]
    for name, schema in whole.items():
        parts += [f"## {name}\n", f"{tables.linked_text(str(schema.get('description', '')))}\n"]
        if schema.get("properties"):
            parts.append(tables.members(schema, tables.short(types)))
        else:
            parts.append(f"One of: {tables.type_of(schema)}.\n")
    return "\n".join(parts)


def _commands() -> Iterator[str]:
    yield f"# Commands\n\n{MADE} `ctxmgr COMMAND --help` says the same.\n"
    for command in COMMANDS:
        for name, subparser in _parsers("ctxmgr", parser(command), command):
            yield f"## `{name}`\n\n{subparser.description}\n"
            rows = [row for action in subparser._actions for row in _row(action)]
            if rows:
                yield "\n".join(["| argument | meaning |", "|---|---|", *rows]) + "\n"


def _parsers(
    above: str, top: argparse.ArgumentParser, only: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The commands below one; `only` this one of them."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner, below in action.choices.items():
                if only in ("", inner):
                    yield f"{above} {inner}", below
                    yield from _parsers(f"{above} {inner}", below)


def _row(action: argparse.Action) -> Iterator[str]:
    if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
        return
    value = action.metavar or (f"{{{','.join(action.choices)}}}" if action.choices else "")
    takes = value if action.nargs != 0 else ""
    named = [" ".join(filter(None, (name, str(takes)))) for name in action.option_strings] or [str(takes)]
    help = (action.help or "") % {"default": action.default, "prog": "ctxmgr"}
    cell = help.replace("|", "\\|")
    yield f"| {', '.join(f'`{name}`' for name in named)} | {cell} |"


def _rows() -> str:
    """The page of what `ctxmgr corpus` writes, the same for the same tables of columns."""
    return "\n".join([ROWS, *("\n".join(_row_table(name)) for name in tasks.TABLES)])


def _row_table(name: str) -> Iterator[str]:
    about, columns = tasks.TABLES[name]
    yield f"## {name}\n\n{about}\n\n| column | type | what it is |\n|---|---|---|"
    for column in columns:
        yield f"| `{column.name}` | {_in_parquet(column.type)} | {column.about} |"
    yield ""


def _in_parquet(of: Any) -> str:
    """The type's name in Parquet."""
    if isinstance(of, tuple):
        return "list of `ProbeRow`"
    if NoneType in get_args(of):
        (whole,) = (member for member in get_args(of) if member is not NoneType)
        return f"{_in_parquet(whole)} or null"
    if get_origin(of) is list:
        return f"list of {_in_parquet(*get_args(of))}"
    return IN_PARQUET[of]
