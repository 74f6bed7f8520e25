"""The Rust types are those of the schema as it is committed, by the generator's rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.generating import rust

PROTOCOL = Path(__file__).resolve().parents[2] / "protocol"
TEXT, COUNT, RAW = {"type": "string"}, {"type": "integer", "minimum": 0}, {"$ref": "#/$defs/Message"}


def module(definitions: dict[str, Any], methods: dict[str, Any] | None = None) -> str:
    known = {"Message": {}, "Entry": {"type": "object", "properties": {"id": TEXT}}, "Envelope": {"not": {}}}
    schema = {"protocolVersion": "9.1", "anyOf": [{"$ref": "#/$defs/Envelope"}], "methods": methods or {}}
    return rust.text({**schema, "$defs": {**known, **definitions}})


def shape(member: Any, *, required: bool = True) -> str:
    """The field of a member `someName`, with its attributes, in one line."""
    definition = {"type": "object", "properties": {"someName": member}, "required": ["someName"] * required}
    _, _, rest = module({"One": definition}).partition("pub struct One {")
    return " ".join(rest.partition("}")[0].split())


def test_types_are_those_of_the_committed_schema() -> None:
    schema = json.loads((PROTOCOL / "schema.json").read_text(encoding="utf-8"))
    committed = (PROTOCOL / "hosts" / "rust" / "src" / "types.rs").read_text(encoding="utf-8")
    assert committed == rust.text(schema), "protocol/hosts/rust/src/types.rs has fallen behind: run scripts/gen"


def test_what_rust_can_not_say_is_refused() -> None:
    for member in [
        {"enum": [1, 2]},
        {"type": "decimal"},
        {"anyOf": [RAW, TEXT]},  # trying would have to read raw JSON twice
        {"anyOf": [TEXT, {"type": "array", "items": RAW}]},
        {"anyOf": [{"type": "object"}, TEXT]},
    ]:
        with pytest.raises(rust.Unclear, match="OneSomeName"):
            shape(member)
