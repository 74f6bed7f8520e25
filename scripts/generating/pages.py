"""Turns the table of methods, the schema and the command line into the reference pages below docs/.

1. Links in descriptions lead to the page that explains the subject here: `ELSEWHERE`.
2. The output of `--help` depends on Python's release and on the terminal, so pages are made from the parser's
   values.
"""

import argparse
from collections.abc import Iterator
from types import NoneType
from typing import Any, get_args, get_origin

from ctxmgr.cli import COMMANDS, parser
from ctxmgr.study.corpus import tasks
from scripts.generating import methods, tables, tools

Json = dict[str, Any]
ELSEWHERE = {
    "#the-zones": "explanation/pressure.md#the-zones",
    "#the-latch": "explanation/pressure.md#the-latch",
    "#order": "explanation/determinism.md#order",
}


ROWS = f"""# Rows of a corpus

`ctxmgr corpus run` writes Parquet. `recordings/` has one `RecordingRow` per recording and policy, `calls/` has one
`CallRow` per call. Join them by `key`. The schema's version is {tasks.SCHEMA_VERSION}. Each file has it in its
metadata, as `ctxmgr.schema`. The version changes if a column is removed or its meaning or type changes. New columns
do not change it.
"""
POLICY = "reference/policy.md"
IN_PARQUET = {str: "string", int: "int64", float: "double", bool: "bool"}


def files(schema: Json) -> dict[str, str]:
    """Texts by path below `docs/`."""
    of_policy = dict.fromkeys(_policy_types(schema["$defs"]), POLICY)
    return {
        **{path: _led(text, path) for path, text in methods.files(schema, of_policy).items()},
        POLICY: _led(_policy(schema["$defs"]), POLICY),
        "reference/commands.md": "\n".join(_commands()),
        "reference/tools.md": tools.page(),
        "reference/corpus.md": _rows(),
    }


def _led(text: str, path: str) -> str:
    """Rule 1, for this page."""
    up = "../" * path.count("/")
    for here, there in ELSEWHERE.items():
        text = text.replace(f"({here})", f"({up}{there})")
    return text


def _policy_types(types: dict[str, Json]) -> list[str]:
    """The keys, then the types they consist of, in order of occurrence."""
    names = ["PolicyKeys"]
    for name in names:
        names += sorted(tables.refs(types[name]) - set(names))
    return names


def _policy(types: dict[str, Json]) -> str:
    whole = {name: types[name] for name in _policy_types(types)}
    parts = [
        "# The policy\n",
        f"{methods.MADE} A host sets these with `initialize` and `setPolicy`. A key that is null or absent has its "
        "default.\n",
    ]
    for name, schema in whole.items():
        parts += [f"## {name}\n", f"{tables.linked_text(str(schema.get('description', '')))}\n"]
        if schema.get("properties"):
            parts.append(tables.members(schema, tables.short(types)))
        else:
            parts.append(f"One of: {tables.type_of(schema)}.\n")
    return "\n".join(parts)


def _commands() -> Iterator[str]:
    yield f"# Commands\n\n{methods.MADE} `ctxmgr COMMAND --help` says the same.\n"
    for command in COMMANDS:
        for name, subparser in _parsers("ctxmgr", parser(command), command):
            yield f"## `{name}`\n\n{subparser.description}\n"
            rows = [row for action in subparser._actions for row in _row(action)]
            if rows:
                yield "\n".join(["| argument | meaning |", "|---|---|", *rows]) + "\n"


def _parsers(
    above: str, top: argparse.ArgumentParser, only: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The commands below one; with `only`, this one of them."""
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
    """The page about the output of `ctxmgr corpus`; the same for the same tables of columns."""
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
