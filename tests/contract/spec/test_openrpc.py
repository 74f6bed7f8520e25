"""The OpenRPC document keeps the rules of the meta-schema (1.3.2), as far as they go without a network."""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from ctxmgr import __version__
from scripts.generating.spec import openrpc

Json = dict[str, Any]
DOCUMENT = openrpc.document(__version__)
# what the meta-schema knows of each object; everything else begins with x-
KNOWN = {
    "document": {"openrpc", "info", "methods", "components"},
    "info": {"title", "version", "description"},
    "method": {"name", "summary", "paramStructure", "params", "result", "errors"},
    "content": {"name", "required", "schema", "description"},
}


def faults(document: Json) -> list[str]:
    """What a reader of OpenRPC would stumble over."""
    found = [f"{document.get('openrpc')} is no version of ours"] if document.get("openrpc") != "1.3.2" else []
    found += _strange("document", document) + _strange("info", document["info"])
    found += [f"info has no {one}" for one in ("title", "version") if not document["info"].get(one)]
    names = [one.get("name") for one in document["methods"]]
    found += [f"{name} is there twice" for name in set(names) if names.count(name) > 1]
    for one in document["methods"]:
        found += _method(one)
    found += [f"{ref} leads nowhere" for ref in references(document) if not _leads(document, ref)]
    for kind, parts in document["components"].items():
        found += [f"{kind}: {name}" for name in parts if not re.fullmatch(r"[a-zA-Z0-9.\-_]+", name)]
    return found


def _method(one: Json) -> list[str]:
    found = _strange("method", one) + [f"{one} has no {key}" for key in ("name", "params") if key not in one]
    names = [param.get("name") for param in one["params"]]
    found += [f"{one['name']}: a param is there twice"] if len(names) != len(set(names)) else []
    needed = [param.get("required", False) for param in one["params"]]
    found += [f"{one['name']}: required params come first"] if needed != sorted(needed, reverse=True) else []
    for param in [*one["params"], *([one["result"]] if "result" in one else [])]:
        found += _strange("content", param)
        found += [f"{one['name']}: {key} is missing" for key in ("name", "schema") if key not in param]
    return found


def _strange(kind: str, one: Json) -> list[str]:
    return [f"{kind} has {key}" for key in one if key not in KNOWN[kind] and not key.startswith("x-")]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def _leads(document: Json, ref: str) -> bool:
    place: Any = document
    for step in ref.removeprefix("#/").split("/"):
        if not isinstance(place, dict) or step not in place:
            return False
        place = place[step]
    return ref.startswith("#/")


def test_document_is_sound() -> None:
    assert faults(DOCUMENT) == []


def test_its_schemas_are_schemas() -> None:
    for name, one in DOCUMENT["components"]["schemas"].items():
        jsonschema_rs.meta.validate(one)
        assert one["title"] == name
    for method in DOCUMENT["methods"]:
        for content in [*method["params"], *([method["result"]] if "result" in method else [])]:
            jsonschema_rs.meta.validate(content["schema"])


def test_nothing_is_said_that_no_type_needs() -> None:
    """Every schema is reached from a method, or belongs to the envelope."""
    schemas, reached = DOCUMENT["components"]["schemas"], set(references(DOCUMENT["methods"]))
    prefix = "#/components/schemas/"
    todo = [one.removeprefix(prefix) for one in reached if one.startswith(prefix)]
    todo += ["RequestMessage", "NotificationMessage", "ResultMessage", "ErrorMessage"]
    names = set[str]()
    while todo:
        name = todo.pop()
        if name not in names:
            names.add(name)
            todo += [one.removeprefix(prefix) for one in references(schemas[name])]
    assert names == set(schemas)
