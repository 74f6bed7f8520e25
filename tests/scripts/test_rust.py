"""The Rust types are those of the schema as it is committed, by the generator's rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.generating import rust

PROTOCOL = Path(__file__).resolve().parents[2] / "protocol"
ROW = {"direction": "to ctxmgr", "kind": "request", "summary": "Does.", "params": {"$ref": "#/$defs/Entry"}}
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


@pytest.mark.parametrize(
    ("member", "wanted"),
    [
        (TEXT, "String"),
        ({"const": "2.0"}, "String"),
        ({"type": "boolean"}, "bool"),
        ({"type": "number", "minimum": 0}, "f64"),
        ({"type": "integer"}, "i64"),
        (COUNT, "u64"),
        ({}, "Raw"),
        ({"type": "object"}, "Raw"),
        ({"type": "array"}, "Vec<Raw>"),
        (RAW, "Message"),
        ({"type": "array", "items": RAW}, "Vec<Message>"),
        ({"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2}, "[u64; 2]"),
        ({"type": "object", "additionalProperties": TEXT}, "BTreeMap<String, String>"),
        ({"anyOf": [TEXT, {"type": "null"}]}, "Option<String>"),
        ({"anyOf": [TEXT, COUNT, {"type": "null"}]}, "Option<OneSomeName>"),
        ({"enum": ["a", "b-c"]}, "OneSomeName"),
    ],
)
def test_shape_of_a_member(member: Any, wanted: str) -> None:
    assert shape(member) == f"pub some_name: {wanted},"
    optional = wanted if wanted.startswith("Option") else f"Option<{wanted}>"
    skipped = '#[serde(skip_serializing_if = "Option::is_none")]'
    assert shape(member, required=False) == f"{skipped} pub some_name: {optional},"


@pytest.mark.parametrize(
    ("members", "wanted"),
    [
        (["sessionId"], ["pub session_id:"]),
        (["type"], ['rename = "type"', "pub type_:"]),
        (["some_name"], ['rename = "some_name"', "pub some_name:"]),
        (["someName", "some_name"], ["pub some_name:", 'rename = "some_name"', "pub some_name_:"]),
    ],
)
def test_names_of_members_lead_back_to_the_wire(members: list[str], wanted: list[str]) -> None:
    definition = {"type": "object", "properties": dict.fromkeys(members, TEXT), "required": members}
    text = module({"One": definition})
    places = [text.find(part) for part in wanted]
    assert -1 not in places
    assert places == sorted(places)
    assert text.count("rename = ") == sum("rename" in part for part in wanted)


def test_choice_of_words_bears_a_word_of_tomorrow() -> None:
    text = module({"Zone": {"enum": ["green", "single-shot"], "description": "Where."}})
    assert "/// Where.\n" in text
    assert '#[serde(rename = "single-shot")]\n    SingleShot,\n    #[serde(untagged)]\n    Other(String),' in text


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        # by the one member of each
        ({"A": {"keep": COUNT}, "B": {"put": RAW}}, ["pub enum U {", "Keep(u64),", "Put(Message),"]),
        # by a constant member, which the options then do not hold themselves
        (
            {"A": {"op": {"const": "a_b"}, "x": RAW}, "B": {"op": {"const": "c"}, "x": TEXT}},
            ['#[serde(tag = "op")]', '#[serde(rename = "a_b")]', "A(A),", "B(B),"],
        ),
        # by trying
        ({"A": {"x": TEXT, "y": TEXT}, "B": {"x": COUNT, "z": TEXT}}, ["#[serde(untagged)]", "A(A),", "B(B),"]),
    ],
)
def test_unions(options: dict[str, Any], wanted: list[str]) -> None:
    definitions = {name: {"type": "object", "properties": one, "required": [*one]} for name, one in options.items()}
    text = module({**definitions, "U": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in options]}})
    assert [part for part in wanted if part not in text] == []
    assert "pub op:" not in text


def test_what_needs_a_choice_has_no_default() -> None:
    choice = {"type": "object", "properties": {"zone": {"enum": ["a", "b"]}}, "required": ["zone"]}
    text = module({"One": choice, "Two": {**choice, "required": []}})
    assert ("Default" in _derived(text, "One"), "Default" in _derived(text, "Two")) == (False, True)


def _derived(text: str, name: str) -> str:
    return text.partition(f"pub struct {name} {{")[0].rpartition("#[derive(")[2]


def test_methods_and_their_ways() -> None:
    methods = {
        "session_start": {**ROW, "result": {"$ref": "#/$defs/Entry"}},
        "$/cancelRequest": {**ROW, "kind": "notification"},
        "turn_end": {**ROW, "kind": "event", "result": {"type": "null"}},
        "complete": {**ROW, "direction": "to host", "result": {"type": "null"}},
    }
    text = module({}, methods)
    assert text.count("impl Request for SessionStart {") == 1
    assert "type Answer = Entry;" in text
    assert "impl Notification for SessionStart" not in text
    assert 'impl Notification for CancelRequest {\n        const NAME: &\'static str = "$/cancelRequest";' in text
    assert "impl Request for CancelRequest" not in text
    assert ("impl Request for TurnEnd {" in text, "impl Notification for TurnEnd {" in text) == (True, True)
    assert "Complete" not in text  # what the host serves is a trait of the client
    assert "Envelope" not in text
    assert 'PROTOCOL_VERSION: &str = "9.1"' in text


@pytest.mark.parametrize(
    "member",
    [
        {"enum": [1, 2]},
        {"type": "decimal"},
        {"anyOf": [RAW, TEXT]},  # trying would have to read raw JSON twice
        {"anyOf": [TEXT, {"type": "array", "items": RAW}]},
        {"anyOf": [{"type": "object"}, TEXT]},
    ],
)
def test_what_rust_can_not_say_is_refused(member: Any) -> None:
    with pytest.raises(rust.Unclear, match="OneSomeName"):
        shape(member)
