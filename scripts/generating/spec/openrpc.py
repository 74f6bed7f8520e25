"""Turns the table of methods and their schemas into an OpenRPC 1.3.2 document.

In addition to OpenRPC, a method's `x-direction` says who sends it (`x-both-ways`: both), and its `x-kind` whether
it is a request, a notification, or an event (either, as the host likes). The host defines the errors of ctxmgr's
requests.
"""

from typing import Any

from ctxmgr.model.api import since
from ctxmgr.wire import TABLE, Method, errors
from scripts.generating.spec import schema
from scripts.generating.spec.shapes import Json, ref

OPENRPC = "1.3.2"
TITLE = "ctxmgr"
ABOUT = "Rewrites a coding agent's message lists and asks for compaction in time."
# the possible errors of any request to ctxmgr
GENERAL = (
    errors.INVALID_REQUEST,
    errors.INVALID_PARAMS,
    errors.INTERNAL_ERROR,
    errors.NOT_INITIALIZED,
    errors.CANCELLED,
)


def document(version: str) -> dict[str, Any]:
    """All methods in both directions, with params, answers and errors. `version`: the server's."""
    types = {name: relocated(definition) for name, definition in schema.types().items()}
    return {
        "openrpc": OPENRPC,
        "info": {"title": TITLE, "version": version, "description": ABOUT},
        "x-protocolVersion": since.PROTOCOL_VERSION,
        "methods": [_method(row, types) for row in TABLE],
        "components": {
            "schemas": types,
            "errors": {name: {"code": code, "message": text} for code, name, text in named_errors()},
        },
    }


def named_errors() -> list[tuple[int, str, str]]:
    """Code, name in camel case and meaning of every error."""
    codes = {value: name for name, value in vars(errors).items() if name.isupper() and isinstance(value, int)}
    return [(code, codes[code].title().replace("_", ""), text) for code, text in errors.MEANINGS.items()]


def errors_of(row: Method) -> tuple[int, ...]:
    """The errors of a request."""
    return (*row.errors, *GENERAL) if row.direction == "to ctxmgr" and row.kind != "notification" else ()


def relocated(value: Any) -> Any:
    """A schema whose references point to the components of this document."""
    if isinstance(value, list):
        return [relocated(item) for item in value]
    if isinstance(value, dict):
        return {key: relocated(item) for key, item in value.items()}
    return value.replace("#/$defs/", "#/components/schemas/") if isinstance(value, str) else value


def _method(row: Method, types: dict[str, Json]) -> Json:
    params = types[row.params.__name__]
    required = params.get("required", [])
    out: Json = {
        "name": row.name,
        "summary": row.summary,
        "paramStructure": "by-name",
        "params": [
            {"name": member, "required": member in required, "schema": shape}
            for member, shape in sorted(params["properties"].items(), key=lambda item: item[0] not in required)
        ],
        "x-kind": row.kind,
        "x-direction": row.direction,
        "x-params": relocated(ref(row.params.__name__)),
    }
    if row.both_ways:
        out["x-both-ways"] = True
    if row.kind != "notification":
        out["result"] = {"name": "result", "schema": relocated(schema.result_of(row))}
    if codes := errors_of(row):
        names = {code: name for code, name, _ in named_errors()}
        out["errors"] = [{"$ref": f"#/components/errors/{names[code]}"} for code in codes]
    return out
