"""Turns the table of methods and the structs into a JSON Schema (draft 2020-12).

Rules:
1. A type is described as it is transmitted. To ctxmgr: as the decoder accepts it, so members with a default may be
   omitted. From ctxmgr: as the encoder writes it, so what is always written is required, and what is omitted if
   absent is never null.
2. Objects are open: unknown members from a host are ignored, and a later release may answer more. Only policies are
   closed, since a misspelled key would be a setting without effect.
3. A type has the name of its struct. A policy is two types: `Policy`, as ctxmgr answers it, complete, and
   `PolicyKeys`, as a host sets it, where every key may be absent, or null for its default.
4. Every type and every member is described: a type by its docstring, a member by the `Meta` of its field.
"""

import inspect
from typing import Any, Literal, get_args

import msgspec

from ctxmgr.model import policy
from ctxmgr.model.api import since
from ctxmgr.wire import TABLE, Method
from scripts.generating.spec.shapes import (
    DESCRIPTIONS,
    ENVELOPE,
    GIVEN,
    LITERALS,
    MEMBERS,
    TAGS,
    TYPES,
    Json,
    about,
    nullable,
    ref,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"

Side = Literal["from host", "from ctxmgr"]
_ENUMS = {frozenset(get_args(words.literal)): name for name, words in LITERALS.items()}
_POLICY = policy.__name__


class AmbiguousType(Exception):
    """Two types with the same name, or a type that differs by direction."""


def document() -> Json:
    """Every type by its name under `$defs`, and under `methods` what each method takes and returns."""
    return {
        "$schema": DRAFT,
        "title": "The ctxmgr protocol",
        "description": "What a host and ctxmgr send each other. `methods` names the types of each method.",
        "protocolVersion": since.PROTOCOL_VERSION,
        "anyOf": [ref(name) for name in ENVELOPE],
        "methods": {row.name: _method(row) for row in TABLE},
        "$defs": types(),
    }


def _method(row: Method) -> Json:
    out: Json = {"direction": row.direction, "kind": row.kind, "summary": row.summary}
    out["params"] = ref(row.params.__name__)
    if row.both_ways:
        out["bothWays"] = True
    if row.kind != "notification":
        out["result"] = result_of(row)
    return out


def result_of(row: Method) -> Json:
    """The schema of a method's answer."""
    if row.result is None:
        return {"type": "null"}
    return ref(row.result.__name__ if isinstance(row.result, type) else "DiscoverResult")


def types() -> dict[str, Json]:
    """All types by name, in the order in which the methods use them."""
    definitions: dict[str, Json] = {}
    for side in get_args(Side):
        for name, schema in _of_structs(side).items():
            if definitions.setdefault(name, schema) != schema:
                raise AmbiguousType(f"{name} is not the same in both directions")
    for name, words in LITERALS.items():
        definitions[name] = about(words.description, {"enum": list(get_args(words.literal))})
    definitions |= TYPES
    return {name: {"title": name, **definitions[name]} for name in _in_order(definitions)}


def _in_order(definitions: dict[str, Json]) -> list[str]:
    """Params, answer, and their types, method by method; then the envelope."""
    order: dict[str, None] = {}

    def visit(schema: Any) -> None:
        if isinstance(schema, list):
            for item in schema:
                visit(item)
        elif isinstance(schema, dict):
            name = str(schema.get("$ref", "")).rpartition("/")[2]
            if name and name not in order:
                order[name] = None
                visit(definitions[name])
            visit(list(schema.values()))

    for row in TABLE:
        visit([ref(row.params.__name__), result_of(row)])
    visit([ref(name) for name in ENVELOPE])
    return [*order, *(name for name in definitions if name not in order)]


def _kinds(side: Side) -> list[type[msgspec.Struct]]:
    """The structs that one side writes: its params, and its answers to the other's requests."""
    out: list[type[msgspec.Struct]] = [*GIVEN, policy.Policy] if side == "from host" else []
    for row in TABLE:
        mine = (row.direction == "to ctxmgr") == (side == "from host")
        written = row.params if mine else row.result
        if isinstance(written, type) and issubclass(written, msgspec.Struct) and written not in out:
            out.append(written)
    return out


def _of_structs(side: Side) -> dict[str, Json]:
    kinds = _kinds(side)
    _, components = msgspec.json.schema_components(kinds, ref_template="{name}")
    classes = _classes(kinds)
    by_name = {cls.__name__: cls for cls in classes} | {f"{cls.__module__}.{cls.__name__}": cls for cls in classes}
    names = {name: _name(by_name[name], side) for name in components}
    out: dict[str, Json] = {}
    for name, schema in components.items():
        if names[name] in out:
            raise AmbiguousType(f"two types are called {names[name]}")
        out[names[name]] = _struct(by_name[name], names[name], schema, names, side)
    return out


def _classes(kinds: list[type[msgspec.Struct]]) -> list[type[msgspec.Struct]]:
    """These structs and all structs in them."""
    structs: dict[type[msgspec.Struct], None] = {}

    def visit(node: Any) -> None:
        if isinstance(node, msgspec.inspect.StructType):
            if node.cls in structs:
                return
            structs[node.cls] = None
        if isinstance(node, msgspec.Struct):
            for name in node.__struct_fields__:
                visit(getattr(node, name))
        elif isinstance(node, tuple):
            for item in node:
                visit(item)

    visit(msgspec.inspect.multi_type_info(kinds))
    return list(structs)


def _name(cls: type[msgspec.Struct], side: Side) -> str:
    """Rule 3."""
    if cls.__module__ != _POLICY:
        return cls.__name__
    name = "CompactionPolicy" if cls is policy.CompactionPolicy else cls.__name__
    return f"{name}Keys" if side == "from host" else name


def _struct(cls: type[msgspec.Struct], name: str, schema: Json, names: dict[str, str], side: Side) -> Json:
    """Rules 1 and 2. Members are in the order of the struct."""
    members: dict[str, Json] = {}
    required: list[str] = list(schema["required"])
    defaults = {field.encode_name for field in msgspec.structs.fields(cls) if not field.required}
    omitted = cls.__struct_config__.omit_defaults
    for member, given in schema["properties"].items():
        description = _described(name, member, given.get("description") or TAGS.get(member))
        shape = _shaped(name, member, _renamed(given, names))
        default = shape.pop("default", None)
        first = since.is_in(f"{name}.{member}", since.FIRST_VERSION)  # an older host does not receive newer members
        if member in defaults and side == "from ctxmgr" and not omitted and first:
            required.append(member)
        elif member in defaults and side == "from ctxmgr" and omitted:
            shape = _without_null(shape)
        if name.endswith("Keys") and member in defaults:
            shape = shape if _takes_null(shape) else nullable(shape)
        if default is not None and member not in required:
            shape["default"] = default
        members[member] = about(description, shape) if description else shape
    description = DESCRIPTIONS.get(name) or _docstring(cls)
    out: Json = {**({"description": description} if description else {}), "type": "object", "properties": members}
    required = [member for member in members if member in required]
    out |= {"required": required} if required else {}
    out |= {"additionalProperties": False} if schema.get("additionalProperties") is False else {}
    return out


def _described(name: str, member: str, description: str | None) -> str | None:
    """With the version that added the member, unless it was the first."""
    version = since.SINCE.get(f"{name.removesuffix('Keys')}.{member}")
    return f"{description or ''} Since {version}.".lstrip() if version else description


def _docstring(cls: type[msgspec.Struct]) -> str:
    return " ".join(inspect.cleandoc(cls.__dict__.get("__doc__") or "").replace("\n\n", "\n").split())


def _shaped(name: str, member: str, shape: Json) -> Json:
    """The shape of what is open in the struct. A default stays; the caller restores the description."""
    shape = {key: value for key, value in shape.items() if key != "description"}
    wanted = MEMBERS.get(f"{name}.{member}") or MEMBERS.get(f"*.{member}")
    if wanted is None:
        return shape
    return {**wanted, **({"default": shape["default"]} if "default" in shape else {})}


def _renamed(schema: Any, names: dict[str, str]) -> Any:
    """With our names for structs and literals, and without repetitions."""
    if isinstance(schema, list):
        return [_renamed(item, names) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return {**ref(names[schema["$ref"]]), **rest}
    if "enum" in schema:
        rest = {key: value for key, value in schema.items() if key != "enum"}
        values = schema["enum"]
        if len(values) == 1:
            return {"const": values[0], **rest}
        named = _ENUMS.get(frozenset(values))
        return {**(ref(named) if named else {"enum": values}), **rest}
    plain = ("default", "required", "discriminator")
    out = {key: value if key in plain else _renamed(value, names) for key, value in schema.items()}
    out.pop("discriminator", None)  # OpenAPI's, not JSON Schema's
    return _merged(out)


def _merged(schema: Json) -> Json:
    """A number that may be an integer is a number; null comes last."""
    if "anyOf" not in schema:
        return schema
    options = schema["anyOf"]
    whole = [option for option in options if option.get("type") == "integer"]
    options = [option for option in options if option not in whole or {**option, "type": "number"} not in options]
    options.sort(key=lambda option: option == {"type": "null"})
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**options[0], **rest} if len(options) == 1 else {"anyOf": options, **rest}


def _takes_null(schema: Json) -> bool:
    return any(option.get("type") == "null" for option in schema.get("anyOf", [schema]))


def _without_null(schema: Json) -> Json:
    """Rule 1: absent instead of null."""
    if "anyOf" not in schema:
        return schema
    return _merged({**schema, "anyOf": [option for option in schema["anyOf"] if option != {"type": "null"}]})
