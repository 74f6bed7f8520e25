"""Turns the schema of the protocol into TypeScript: types, the map of methods, the error codes. Requires no
package.

1. An optional member has `?`; a nullable one has `| null`.
2. Any JSON value is `unknown`: a host passes its own messages and knows what comes back.
3. Only two constants exist at run time, so types can be stripped.
"""

import json
import textwrap
from typing import Any

Json = dict[str, Any]
WIDTH = 116  # characters of a line, as everywhere in the project

HEAD = """\
// Written by scripts/gen from ctxmgr's own types: change those, not this. reference.md tells what they mean.

/** What `initialize` names. */
export const PROTOCOL_VERSION = {version};
"""

FOOT = """
export type MethodName = keyof Methods;

/** Methods that a host sends. */
export type ToCtxmgr = {
  [Name in MethodName]: Methods[Name]["direction"] extends "to ctxmgr" ? Name : never;
}[MethodName];

/** Methods that a host serves. */
export type ToHost = Exclude<MethodName, ToCtxmgr>;

/** Methods that may be sent with an id, and are answered then. */
export type Answered = {
  [Name in MethodName]: Methods[Name]["kind"] extends "notification" ? never : Name;
}[MethodName];

export type ParamsOf<Name extends MethodName> = Methods[Name]["params"];

/** `void` for a notification. */
export type ResultOf<Name extends MethodName> = Methods[Name]["result"];
"""


def module(schema: Json, codes: list[tuple[int, str, str]]) -> str:
    """`codes`: number, name and meaning of each error."""
    parts = [HEAD.format(version=json.dumps(schema["protocolVersion"])), _codes(codes)]
    parts += [_declared(name, definition) for name, definition in schema["$defs"].items()]
    return "\n".join([*parts, _methods(schema["methods"])]) + FOOT


def _codes(codes: list[tuple[int, str, str]]) -> str:
    lines = [f"{_comment(text, '  ')}  {name}: {code},\n" for code, name, text in codes]
    return f"/** Codes of error answers. */\nexport const ErrorCode = {{\n{''.join(lines)}}} as const;\n"


def _declared(name: str, schema: Json) -> str:
    comment = _comment(schema.get("description", ""), "")
    if not schema.get("properties"):
        return f"{comment}export type {name} = {_broken(name, _type(schema))};\n"
    return f"{comment}export interface {name} {{\n{_members(schema)}}}\n"


def _members(schema: Json) -> str:
    required = schema.get("required", ())
    lines = []
    for member, shape in schema["properties"].items():
        mark = "" if member in required else "?"
        lines.append(f"{_comment(described(shape), '  ')}  {member}{mark}: {_type(shape)};\n")
    return "".join(lines)


def described(shape: Json) -> str:
    """The meaning of a member, with its default."""
    text = str(shape.get("description", ""))
    if "default" in shape:
        text += f" Default: {json.dumps(shape['default'], ensure_ascii=False)}."
    return text.strip()


def _type(schema: Json) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_type(option) for option in schema["anyOf"])
    kind = schema.get("type")
    if kind == "array":
        return _array(schema)
    if kind == "object":
        values = schema.get("additionalProperties", {})
        return f"Record<string, {_type(values)}>"
    return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}.get(
        str(kind), "unknown"
    )


def _array(schema: Json) -> str:
    items = _type(schema.get("items", {}))
    if "maxItems" in schema and schema.get("minItems") == schema["maxItems"]:
        return f"[{', '.join([items] * schema['maxItems'])}]"
    return f"({items})[]" if " " in items else f"{items}[]"


def _broken(name: str, text: str) -> str:
    """A long union has one line for each of its members."""
    if len(f"export type {name} = {text};") <= WIDTH:
        return text
    return "".join(f"\n  | {member}" for member in text.split(" | "))


def _methods(methods: dict[str, Json]) -> str:
    lines = []
    for name, entry in methods.items():
        result = _type(entry["result"]) if "result" in entry else "void"
        fields = f"params: {_type(entry['params'])}; result: {result}"
        fields += f'; direction: "{entry["direction"]}"; kind: "{entry["kind"]}"'
        lines.append(f"{_comment(entry['summary'], '  ')}  {json.dumps(name)}: {{ {fields} }};\n")
    comment = '/** What each method takes and gives. An "event" may be sent with an id or without. */\n'
    return f"{comment}export interface Methods {{\n{''.join(lines)}}}\n"


def _comment(text: str, indent: str) -> str:
    text = text.replace("*/", "*\\/")
    if not text:
        return ""
    if len(indent) + len(text) + 7 <= WIDTH:
        return f"{indent}/** {text} */\n"
    lines = textwrap.wrap(text, WIDTH - len(indent) - 3, break_long_words=False, break_on_hyphens=False)
    body = "".join(f"{indent} * {line}\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"
