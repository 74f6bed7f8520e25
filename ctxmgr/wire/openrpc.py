"""Turns the table of methods and the structs into an OpenRPC document. Loaded only when asked for."""

from typing import Any

import msgspec

from ctxmgr.wire import errors
from ctxmgr.wire.methods import TABLE, Method

REF = "#/components/schemas/{name}"
OPENRPC = "1.3.2"


def _hook(kind: Any) -> dict[str, Any]:
    if kind is msgspec.Raw:
        return {"description": "any JSON value, kept as it came"}
    raise NotImplementedError(f"no schema for {kind!r}")


def document(version: str) -> dict[str, Any]:
    """All methods, either way, with their params, answers and errors; `version` is the server's."""
    kinds: list[Any] = []
    for row in TABLE:
        kinds.append(row.params)
        if row.result is not None:
            kinds.append(row.result)
    schemas, components = msgspec.json.schema_components(kinds, schema_hook=_hook, ref_template=REF)
    shapes = dict(zip(map(id, kinds), schemas, strict=True))
    return {
        "openrpc": OPENRPC,
        "info": {
            "title": "ctxmgr",
            "version": version,
            "description": "Rewrites a coding agent's message lists and asks for compaction in time.",
        },
        "methods": [_method(row, shapes) for row in TABLE],
        "components": {"schemas": components},
    }


def _method(row: Method, shapes: dict[int, Any]) -> dict[str, Any]:
    fields = msgspec.structs.fields(row.params)
    out: dict[str, Any] = {
        "name": row.name,
        "summary": row.summary,
        "paramStructure": "by-name",
        "params": [
            {
                "name": field.encode_name,
                "required": field.required,
                "schema": {"$ref": f"{REF.format(name=row.params.__name__)}/properties/{field.encode_name}"},
            }
            for field in fields
        ],
        "x-kind": row.kind,
        "x-direction": row.direction,
    }
    if row.kind != "notification":
        schema = shapes[id(row.result)] if row.result is not None else {"type": "null"}
        out["result"] = {"name": "result", "schema": schema}
        out["errors"] = [{"code": code, "message": errors.MEANINGS[code]} for code in row.errors]
    return out
