"""Turns the JSON Schema of the protocol into the Rust types of protocol/hosts/rust. Loaded only on request.

It depends on the schema as `scripts.generating.spec.schema` writes it, but on no particular struct or method.

Rules:
1. The host's own data (`STAYS_RAW`), and whatever the schema leaves open, is `Raw`: the exact bytes, in both
   directions.
2. An optional member is an `Option` that is not written if it is None; a nullable one is written as null.
3. A set of words is an enum with a variant `Other(String)`: a newer ctxmgr may send other words, and that must not
   make the whole answer unreadable.
4. The options of a union are distinguished in the cheapest way that serde offers: by a member that only one option
   has, by a member that is constant in each, otherwise by trying. Trying reads an option twice, which `Raw` does
   not support, so that is refused here.
5. What Rust cannot express raises Unclear, since a type looser than the schema would hide mistakes.
"""

import re
import textwrap
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

STAYS_RAW = ("Message", "Entry", "RequestId")
KEYWORDS = {"type", "ref", "match", "move", "use", "where", "loop", "fn", "in", "mod", "box", "self"}
WIDTH = 112  # characters of a doc comment's text, so that its line fits the project's 116
HEAD = """\
//! The params and answers of every method. Written by scripts/gen from protocol/schema.json: do not edit.
#![allow(clippy::large_enum_variant, rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::raw::Raw;

/// The version of the protocol that these types are of.
pub const PROTOCOL_VERSION: &str = "%s";
"""
TRAITS = """\

/// What ctxmgr answers.
pub trait Request {
    const NAME: &'static str;
    type Params: Serialize;
    type Answer: serde::de::DeserializeOwned;
}

/// What ctxmgr takes without an answer.
pub trait Notification {
    const NAME: &'static str;
    type Params: Serialize;
}

/// The methods that ctxmgr serves, by name. No values: they choose `Client::request` and `Client::notify`.
pub mod methods {
    use super::*;
"""
PLAIN = {"string": "String", "boolean": "bool", "number": "f64", "null": "()"}


class Unclear(Exception):
    """A shape without a Rust type by the rules above."""


def text(schema: Json) -> str:
    """The content of types.rs. Raises Unclear, with the place."""
    types = _Types(schema["$defs"], [_target(option) for option in schema["anyOf"]])
    parts = [HEAD % schema["protocolVersion"], *types.written(), TRAITS]
    parts += [_method(name, row) for name, row in schema["methods"].items() if row["direction"] == "to ctxmgr"]
    return "".join([*parts, "}\n"])


def camel(name: str) -> str:
    """`$/cancelRequest` and `cancel_request` become CancelRequest."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


class _Types:
    """All definitions except the envelope's, which belong to the framing."""

    def __init__(self, definitions: dict[str, Json], envelope: list[str]) -> None:
        self.definitions = {name: definition for name, definition in definitions.items() if name not in envelope}
        self.extra: list[str] = []  # types of members without a name in the schema
        self.dropped: dict[str, str] = {}  # by type: the constant member that distinguishes its union
        for name, definition in self.definitions.items():
            if name not in STAYS_RAW and "anyOf" in definition and (tag := self._tag(definition["anyOf"])):
                self.dropped |= {_target(option): tag for option in definition["anyOf"]}

    def written(self) -> Iterator[str]:
        for name, schema in self.definitions.items():
            yield "\n" + _doc(schema.get("description"))
            yield self._definition(name, schema)
            yield from self.extra
            self.extra.clear()

    def _definition(self, name: str, schema: Json) -> str:
        if name in STAYS_RAW:
            return f"pub type {name} = Raw;\n"
        if "enum" in schema:
            return _words(name, schema["enum"])
        if "anyOf" in schema:
            return self._union(name, schema["anyOf"])
        if "properties" in schema:
            return self._struct(name, schema)
        return f"pub type {name} = {self._type(schema, name)};\n"

    def _struct(self, name: str, schema: Json) -> str:
        lines = [_derive(*(["Default"] if self._has_default(schema) else [])), '#[serde(rename_all = "camelCase")]']
        lines.append(f"pub struct {name} {{")
        taken: set[str] = set()
        for member, shape in schema["properties"].items():
            if member == self.dropped.get(name):
                continue
            field = snake(member)
            field += "_" * (field in taken or field in KEYWORDS)  # total_tokens beside totalTokens
            taken.add(field)
            lines += _doc(shape.get("description"), "    ").splitlines()
            kind = self._type(shape, f"{name}{camel(member)}")
            if camel(field) != member[:1].upper() + member[1:] or "_" in member or field.endswith("_"):
                lines.append(f'    #[serde(rename = "{member}")]')
            if member not in schema.get("required", ()):  # rule 2
                kind = kind if kind.startswith("Option<") else f"Option<{kind}>"
                lines.append('    #[serde(skip_serializing_if = "Option::is_none")]')
            lines.append(f"    pub {field}: {kind},")
        return "\n".join([*lines, "}\n"])

    def _union(self, name: str, options: list[Json]) -> str:
        """Rule 4."""
        members, more = [self._members(option) for option in options], list[str]()
        keys = {key for fields in members for key in fields}
        if all(len(fields) == 1 for fields in members) and len(keys) == len(options):
            lines = [_derive(), '#[serde(rename_all = "camelCase")]', f"pub enum {name} {{"]
            for fields in members:
                ((member, shape),) = fields.items()
                lines.append(f"    {camel(member)}({self._type(shape, name + camel(member))}),")
        elif tag := self._tag(options):
            lines = [_derive(), f'#[serde(tag = "{tag}")]', f"pub enum {name} {{"]
            for option, fields in zip(options, members, strict=True):
                lines.append(f'    #[serde(rename = "{fields[tag]["const"]}")]')
                lines.append(f"    {_target(option)}({_target(option)}),")
        else:
            lines = [_derive(), "#[serde(untagged)]", f"pub enum {name} {{"]
            for option in options:
                if self._holds_raw(option):
                    raise Unclear(f"{name}: what holds raw JSON cannot be told apart by trying")
                kind = self._type(option, f"{name}Word")
                lines.append(f"    {camel(kind)}({kind}),")
                more += [f"\nimpl From<{kind}> for {name} {{", f"    fn from(it: {kind}) -> Self {{"]
                more += [f"        Self::{camel(kind)}(it)", "    }", "}"]
        return "\n".join([*lines, "}", *more, ""])

    def _type(self, schema: Json, name: str) -> str:
        """The Rust type of a shape. `name`: for a shape that needs its own definition."""
        if "$ref" in schema:
            return _target(schema)
        if "anyOf" in schema:
            options = [option for option in schema["anyOf"] if option != {"type": "null"}]
            if len(options) == 1:
                kind = self._type(options[0], name)
            else:
                self.extra.append("\n" + self._union(name, options))
                kind = name
            return kind if len(options) == len(schema["anyOf"]) else f"Option<{kind}>"
        if "enum" in schema:
            self.extra.append("\n" + _words(name, schema["enum"]))
            return name
        if "const" in schema and isinstance(schema["const"], str):
            return "String"
        kind = schema.get("type", "")
        if kind == "integer":
            return "u64" if schema.get("minimum", -1) >= 0 else "i64"
        if kind == "array":
            items = self._type(schema.get("items", {}), f"{name}Item")
            fixed = schema.get("minItems") if schema.get("minItems") == schema.get("maxItems") else None
            return f"[{items}; {fixed}]" if fixed else f"Vec<{items}>"
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            return f"BTreeMap<String, {self._type(schema['additionalProperties'], f'{name}Value')}>"
        if _is_open(schema):
            return "Raw"  # rule 1
        if kind not in PLAIN:
            raise Unclear(f"{name}: {kind}")
        return PLAIN[kind]

    def _members(self, option: Json) -> dict[str, Json]:
        members: dict[str, Json] = self.definitions.get(_target(option), {}).get("properties", {})
        return members

    def _tag(self, options: list[Json]) -> str | None:
        """A member that is constant in each option, with a different word in each."""
        members = [self._members(option) for option in options]
        for tag in members[0]:
            words = [fields.get(tag, {}).get("const") for fields in members]
            if None not in words and len(set(words)) == len(options):
                return tag
        return None

    def _holds_raw(self, schema: Json) -> bool:
        if "$ref" in schema:
            return _target(schema) in STAYS_RAW or self._holds_raw(self.definitions[_target(schema)])
        parts = [*schema.get("anyOf", ()), *schema.get("properties", {}).values()]
        parts += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
        return any(map(self._holds_raw, parts)) if parts else _is_open(schema)

    def _has_default(self, schema: Json) -> bool:
        """Whether nothing in it requires a choice, so that `..Default::default()` fills in what is not given."""
        if "$ref" in schema:
            return _target(schema) in STAYS_RAW or self._has_default(self.definitions[_target(schema)])
        if "anyOf" in schema:
            return {"type": "null"} in schema["anyOf"]
        required = [schema.get("properties", {})[member] for member in schema.get("required", ())]
        return "enum" not in schema and all(map(self._has_default, required))


def _is_open(schema: Json) -> bool:
    """Whether it says nothing about its value, or about an array's items or an object's members."""
    keywords = schema.keys() & {"$ref", "anyOf", "enum", "const", "items", "properties"}
    closed = isinstance(schema.get("additionalProperties"), dict)
    return not keywords and not closed and schema.get("type", "object") in ("object", "array")


def _words(name: str, words: list[str]) -> str:
    """Rule 3."""
    if not all(isinstance(word, str) for word in words):
        raise Unclear(f"{name}: a choice of other things than words")
    lines = [_derive("Eq"), f"pub enum {name} {{"]
    lines += [f'    #[serde(rename = "{word}")]\n    {camel(word)},' for word in words]
    return "\n".join([*lines, "    #[serde(untagged)]\n    Other(String),", "}\n"])


def _method(name: str, row: Json) -> str:
    marker, params = camel(name), _target(row["params"])
    lines = ["", *_doc(row["summary"]).splitlines(), f"pub struct {marker};"]
    if row["kind"] != "notification":
        answer = row["result"]
        kind = "()" if answer == {"type": "null"} else _target(answer)
        lines += _impl("Request", marker, name, params, f"    type Answer = {kind};")
    if row["kind"] != "request":
        lines += _impl("Notification", marker, name, params)
    return textwrap.indent("\n".join(lines) + "\n", "    ")


def _impl(trait: str, marker: str, name: str, params: str, *more: str) -> list[str]:
    head = [f"impl {trait} for {marker} {{", f'    const NAME: &\'static str = "{name}";']
    return [*head, f"    type Params = {params};", *more, "}"]


def _derive(*more: str) -> str:
    return f"#[derive({', '.join(['Clone', 'Debug', 'PartialEq', *more, 'Serialize', 'Deserialize'])})]"


def _doc(text: str | None, indent: str = "") -> str:
    lines = textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False) if text else []
    return "".join(f"{indent}/// {line}\n" for line in lines)


def _target(schema: Json) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]
