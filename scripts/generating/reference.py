"""Turns the table of methods, the schema, the transcripts and a page of prose into the reference, reference.md.

The prose is `reference.md`; this fills in its `{{name}}`. Every placeholder must have a part, and every part a
placeholder.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ctxmgr.study.conformance import FORMAT
from ctxmgr.wire import TABLE, Method
from scripts.generating import diagrams, tables
from scripts.generating.beyond import RULES
from scripts.generating.excerpts import Exchange, best, shown
from scripts.generating.spec import openrpc
from tests.contract.behaviours import Behaviour

Json = dict[str, Any]
PROSE = Path(__file__).with_name("reference.md")
_PLACE = re.compile(r"\{\{([a-z ]+)\}\}")
ANY = "-32700, -32600, -32601, -32602, -32603, -32002 and -32800"
SENT = {
    ("to ctxmgr", "request"): "host → ctxmgr, request",
    ("to ctxmgr", "notification"): "host → ctxmgr, notification",
    ("to ctxmgr", "event"): "host → ctxmgr, event: as a request or as a notification",
    ("to host", "request"): "ctxmgr → host, request",
    ("to host", "notification"): "ctxmgr → host, notification",
}


def page(
    schema: Json, transcripts: Mapping[str, str], corpus: Mapping[str, str], manifest: Mapping[str, Behaviour]
) -> str:
    """`transcripts` and `corpus`: texts by path. The best exchange of each method becomes its example."""
    types = schema["$defs"]
    examples = best(transcripts, corpus)
    parts = {
        "version": schema["protocolVersion"],
        "openrpc": openrpc.OPENRPC,
        "jobs": _names(row for row in TABLE if row.job),
        "counted": _names(row for row in TABLE if row.counted),
        "capabilities": tables.members(types["HostCapabilities"], tables.short(types)),
        "errors": errors(),
        "general": ANY,
        "overview": overview(),
        "methods": "\n".join(method(row, schema, examples.get(row.name)) for row in TABLE),
        "types": types_of(schema),
        "zones": diagrams.zone_states(),
        "thresholds": diagrams.zone_table(),
        "latch": diagrams.latch_states(),
        "latch words": diagrams.latch_words(),
        "transcripts": _transcripts(manifest),
        "script": f"```text\n{FORMAT.rstrip()}\n```",
        "beyond": "\n".join(f"- {rule.sentence}" for rule in RULES),
    }
    return filled(PROSE, parts)


def filled(path: Path, parts: Mapping[str, str]) -> str:
    """The prose of this file with its parts. Raises ValueError if a part has no placeholder, or a placeholder no
    part.
    """
    prose = path.read_text(encoding="utf-8")
    if set(_PLACE.findall(prose)) != set(parts):
        raise ValueError(f"{path.name} and its parts differ: {set(_PLACE.findall(prose)) ^ set(parts)}")
    return _PLACE.sub(lambda match: parts[match[1]].rstrip("\n"), prose)


def _names(rows: Any) -> str:
    names = [f"`{row.name}`" for row in rows]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _link(row: Method) -> str:
    return f"[`{row.name}`](#{tables.slug(row.name)})"


def errors() -> str:
    rows = ["| code | name | meaning |", "|---|---|---|"]
    rows += [f"| {code} | {name} | {text} |" for code, name, text in openrpc.named_errors()]
    return "\n".join(rows) + "\n"


def _sent(row: Method) -> str:
    sent = SENT[row.direction, row.kind]
    return sent.replace("→", "↔") if row.both_ways else sent


def overview() -> str:
    lines = []
    for direction, title in (("to ctxmgr", "A host sends"), ("to host", "ctxmgr sends")):
        lines += [f"| {title} | kind | |", "|---|---|---|"]
        rows = (row for row in TABLE if row.direction == direction or row.both_ways)
        lines += [f"| {_link(row)} | {row.kind} | {row.summary} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def method(row: Method, schema: Json, example: Exchange | None) -> str:
    types, entry = schema["$defs"], schema["methods"][row.name]
    params = types[row.params.__name__]
    parts = [f"### `{row.name}`\n", f"*{_sent(row)}*\n", f"{row.summary}\n"]
    if params["properties"]:
        parts.append(f"**Params** (`{row.params.__name__}`): {_sentence(params)}")
        parts.append(tables.members(params, tables.short(types), out=row.direction == "to host"))
    else:
        parts.append(f"No params (`{row.params.__name__}`).\n")
    if "result" in entry:
        parts.append(_answer(entry["result"], types, row, owned_by_a_method(schema)))
    if row.errors and row.direction == "to ctxmgr":
        names = {code: name for code, name, _ in openrpc.named_errors()}
        own = ", ".join(f"{code} {names[code]}" for code in row.errors)
        parts.append(f"**[Errors](#errors)** of this method: {own}.\n")
    if example is not None:
        parts += [f"**Example** ({_linked_source(example.source)}):\n", shown(example)]
    return "\n".join(parts)


def _sentence(schema: Json) -> str:
    return tables.linked_text(str(schema.get("description", ""))) + "\n"


def _answer(result: Json, types: dict[str, Json], row: Method, own: set[str]) -> str:
    if result == {"type": "null"}:
        return "**Answer**: `null`.\n"
    (name,) = tables.refs(result)
    if name not in own:
        return f"**Answer**: [{name}](#{tables.slug(name)}).\n"
    text = f"**Answer** (`{name}`): {_sentence(types[name])}"
    table = tables.members(types[name], tables.short(types), out=row.direction == "to ctxmgr")
    return f"{text}\n{table}" if table else text


def _linked_source(source: str) -> str:
    """Turns paths into links."""
    return re.sub(r"((?:transcripts|corpus)/[^\s,]+)", r"[\1](\1)", source)


def owned_by_a_method(schema: Json) -> set[str]:
    """Types described only with the one method that takes or returns them."""
    methods, types = schema["methods"].values(), schema["$defs"]
    inner: set[str] = set().union(*(tables.refs(definition) for definition in types.values()))
    results = [name for entry in methods for name in tables.refs(entry.get("result", {}))]
    params = {name for entry in methods for name in tables.refs(entry["params"])}
    return (params | {name for name in results if results.count(name) == 1}) - inner


def types_of(schema: Json) -> str:
    return types_named(sorted(set(schema["$defs"]) - owned_by_a_method(schema), key=str.lower), schema)


def types_named(names: Iterable[str], schema: Json) -> str:
    """These types, in this order."""
    types, answered = schema["$defs"], _answered(schema)
    return "\n".join(_type(name, types, name in answered) for name in names)


def _answered(schema: Json) -> set[str]:
    """Types that only ctxmgr writes."""
    types, roots = schema["$defs"], {"to ctxmgr": set[str](), "to host": set[str]()}
    for entry in schema["methods"].values():
        back = "to host" if entry["direction"] == "to ctxmgr" else "to ctxmgr"
        roots[entry["direction"]] |= tables.refs(entry["params"])
        roots[back] |= tables.refs(entry.get("result", {}))
    for names in roots.values():
        while more := set().union(*(tables.refs(types[name]) for name in names)) - names:
            names |= more
    return roots["to host"] - roots["to ctxmgr"]


def _type(name: str, types: dict[str, Json], out: bool) -> str:
    definition = types[name]
    parts = [f"### {name}\n"]
    keys = types.get(f"{name}Keys")
    if keys is not None and definition.get("properties"):
        link = f"[{name}Keys](#{tables.slug(name)}keys)"
        return "\n".join([*parts, f"{_text(definition)} In answers, all members of {link} are present.\n"])
    parts.append(f"{_text(definition)}\n")
    if definition.get("properties"):
        parts.append(tables.members(definition, tables.short(types), out))
    elif set(definition) - {"title", "description"}:
        text = tables.type_of(definition)
        parts.append(f"One of: {text}.\n" if "enum" in definition else f"{_upper(text)}.\n")
    return "\n".join(parts)


def _text(schema: Json) -> str:
    return tables.linked_text(str(schema.get("description", "")))


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _transcripts(manifest: Mapping[str, Behaviour]) -> str:
    areas: dict[str, list[str]] = {}
    for name, scenario in sorted(manifest.items()):
        area, _, behaviour = name.partition("/")
        mark = " (A fault is planted inside: to be read, not replayed.)" if scenario.planted else ""
        row = f"| [{behaviour}](transcripts/{name}.jsonl) | {scenario.sentence}{mark} |"
        areas.setdefault(area, ["| transcript | what it shows |", "|---|---|"]).append(row)
    return "\n".join(f"### In `{area}`\n\n" + "\n".join(rows) + "\n" for area, rows in areas.items())
