"""The schema's own rules: one name a type, words for everything, the shape each side sees."""

from collections.abc import Iterator
from typing import Any

from scripts.generating.spec import schema

Json = dict[str, Any]
DOCUMENT = schema.document()
TYPES: dict[str, Json] = DOCUMENT["$defs"]
# any JSON value, on purpose
OPEN = {
    "Message",
    "Entry",
    "HostPreparation.fileOps",
    "GivenSettings.reserveTokens",
    "GivenSettings.keepRecentTokens",
    "CompleteResult.usage",
    "ResultMessage.result",
}


def walk(value: Any, place: str) -> Iterator[tuple[str, Json]]:
    """Every schema inside a type, with the member it belongs to."""
    yield place, value
    for name, inner in value.get("properties", {}).items():
        yield from walk(inner, f"{place}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(value.get(key), dict):
            yield from walk(value[key], place)
    for inner in value.get("anyOf", ()):
        yield from walk(inner, place)


EVERY = [found for name, one in TYPES.items() for found in walk(one, name)]


def test_every_set_of_words_has_a_name() -> None:
    assert [place for place, one in EVERY if "enum" in one and place not in TYPES] == []
    values = [frozenset(one["enum"]) for one in TYPES.values() if "enum" in one]
    assert len(values) == len(set(values))


def test_what_is_any_value_is_so_on_purpose() -> None:
    plain = {"description", "title", "default"}
    assert {place for place, one in EVERY if not set(one) - plain} == OPEN
    for place, one in EVERY:
        assert one.get("items") != {}, f"{place} is a list of anything: name it in scripts.generating.spec.shapes"


def test_everything_says_what_it_is() -> None:
    silent = [name for name, one in TYPES.items() if not one.get("description")]
    for name, one in TYPES.items():
        silent += [f"{name}.{member}" for member, shape in one.get("properties", {}).items() if not _says(shape)]
    assert silent == [], "say it in the docstring of the struct, or in the Meta of its field"


def _says(shape: Json) -> bool:
    return bool(shape.get("description"))
