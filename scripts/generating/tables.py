"""Turns the types of the schema into Markdown: tables of members, and types as text."""

import json
import re
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
WORDS = 3  # the most words of a type that a table shows in full
_ELSEWHERE = re.compile(r"reference\.md#([a-z-]+)")


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def linked_text(text: str) -> str:
    """A description with its links in Markdown."""
    return _ELSEWHERE.sub(lambda match: f"[{match[1].replace('-', ' ')}](#{match[1]})", text)


def type_of(schema: Json, words: Mapping[str, list[str]] | None = None) -> str:
    """`words`: short types, which are shown in full."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        text = " or ".join(map(_code, words[name])) if words and name in words else name
        return f"[{text}](#{slug(name)})"
    if "const" in schema:
        return _code(schema["const"])
    if "enum" in schema:
        return ", ".join(map(_code, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(type_of(option, words) for option in schema["anyOf"])
    kind = schema.get("type", "any")
    if kind == "array":
        if schema.get("minItems"):
            return f"list of {schema['minItems']} × {type_of(schema['items'], words)}"
        items = type_of(schema.get("items", {}), words)
        return f"list of ({items})" if " or " in items and not items.startswith("[") else f"list of {items}"
    if kind == "object" and "additionalProperties" in schema:
        values = type_of(schema["additionalProperties"], words)
        return f"object of ({values})" if " or " in values else f"object of {values}"
    return f"{kind}{_bounds(schema)}"


def _bounds(schema: Json) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    parts = [f"≥ {low}"] if low is not None else []
    parts += [f"> {schema['exclusiveMinimum']}"] if "exclusiveMinimum" in schema else []
    parts += [f"≤ {'2⁵³' if high == 2**53 else high}"] if high is not None else []
    parts += ["not empty"] if schema.get("minLength") == 1 else []
    parts += [f"at most {schema['maxLength']:,} characters"] if "maxLength" in schema else []
    return f" {' and '.join(parts)}" if parts else ""


def _code(value: Any) -> str:
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def short(types: Mapping[str, Json]) -> dict[str, list[str]]:
    """The types that consist of a few words."""
    words = {name: schema.get("enum", []) for name, schema in types.items()}
    return {name: enum for name, enum in words.items() if 1 <= len(enum) <= WORDS}


def members(schema: Json, words: Mapping[str, list[str]], out: bool = False) -> str:
    """A table of members. `out`: ctxmgr writes it, so the column shows what is present instead of what is
    required.
    """
    if not schema.get("properties"):
        return ""
    required = schema.get("required", ())
    column = "always present" if out else "required"
    rows = [f"| member | type | {column} | meaning |", "|---|---|---|---|"]
    for name, shape in schema["properties"].items():
        text = linked_text(str(shape.get("description", "")))
        if "default" in shape:
            text += f" Default {_code(shape['default'])}."
        mark = "yes" if name in required else ""
        rows.append(f"| `{name}` | {_cell(type_of(shape, words))} | {mark} | {_cell(text)} |")
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def refs(schema: Any) -> set[str]:
    """The types it names."""
    if isinstance(schema, list):
        return set().union(*map(refs, schema))
    if not isinstance(schema, dict):
        return set()
    names = set().union(*map(refs, schema.values())) if schema else set()
    return names | ({str(schema["$ref"]).rpartition("/")[2]} if "$ref" in schema else set())
