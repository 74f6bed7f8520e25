"""What a line expects against what came: each placeholder where it matches, and where it does not."""

from typing import Any

import pytest

from ctxmgr.study.hostscript.matching import MatchMode, match
from ctxmgr.study.spawning.differences import ABSENT

NAMES: dict[str, Any] = {"n": 2, "who": {"name": "Ann"}, "list": [1, {"a": 1}]}
ANY, REST, ABSENCE = {"$any": True}, {"$rest": True}, {"$absent": True}


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        (ANY, None),
        ({"a": 1}, {"a": 1.0, "b": 2}),
        ({"a": 0.0}, {"a": 0}),
        ({"a": ANY}, {"a": None}),
        ({"a": ABSENCE}, {"b": 1}),
        ({"$type": "string"}, "x"),
        ({"$type": "number"}, 0.5),
        ({"$type": "integer"}, 3.0),
        ({"$type": "boolean"}, False),
        ({"$type": "object"}, {}),
        ({"$type": "array"}, []),
        ({"$type": "null"}, None),
        ({"$contains": "owl"}, "the owl flies"),
        ({"$contains": "owl"}, {"a": [{"b": "an owl"}]}),
        ({"$gt": 1}, 2),
        ({"$gte": 2.5}, 2.5),
        ({"$lt": 1}, -1),
        ({"$lte": 2}, 2),
        ({"$gte": 1, "$lt": 5}, 4),
        ({"$not": {"$contains": "owl"}}, {"a": ["a hawk"]}),
        ({"a": {"$not": 5}}, {"a": 6}),
        ({"a": {"$not": 5}}, {}),
        ({"a": {"$not": ABSENCE}}, {"a": None}),
        ([REST], []),
        ([1, REST], [1, 2, 3]),
        ([REST, 3], [1, 2, 3]),
        ([1, REST, 3], [1, 3]),
        ([REST, 2, REST, {"a": {"$contains": "x"}}, REST], [1, 2, 2, {"a": "axb"}, 5]),
        ([REST, 2, 3], [2, 2, 3]),
        ({"$exact": {"a": ANY}}, {"a": 1}),
        ({"$literal": {"$any": True}}, {"$any": True}),
        ({"$literal": [REST]}, [{"$rest": True}]),
        ({"$ref": "n"}, 2.0),
        ({"$ref": "who"}, {"name": "Ann"}),
        ({"a": {"$capture": "a"}, "b": {"$ref": "a"}}, {"a": 7, "b": 7}),
        ("é", "é"),
    ],
)
def test_what_matches(pattern: Any, value: Any) -> None:
    assert match(pattern, value, "subset", dict(NAMES)) is None


@pytest.mark.parametrize(
    ("pattern", "value", "path", "expected", "got"),
    [
        ({"a": ANY}, {}, "$.a", '{"$any": true}', "nothing"),
        ({"a": ABSENCE}, {"a": None}, "$.a", '{"$absent": true}', "null"),
        ({"a": 1}, {"a": 2}, "$.a", "1", "2"),
        ({"a": 1}, {"a": True}, "$.a", "1", "true"),
        ({"a": None}, {}, "$.a", "null", "nothing"),
        ({"c d": 1}, {"c d": 2}, '$["c d"]', "1", "2"),
        ({"a": 1}, [1], "$", '{"a": 1}', "[1]"),
        ({"$type": "string"}, 1, "$", '{"$type": "string"}', "1"),
        ({"$type": "number"}, True, "$", '{"$type": "number"}', "true"),
        ({"$type": "integer"}, 0.5, "$", '{"$type": "integer"}', "0.5"),
        ({"$type": "integer"}, float("inf"), "$", '{"$type": "integer"}', "Infinity"),
        ({"$type": "boolean"}, 1, "$", '{"$type": "boolean"}', "1"),
        ({"$type": "object"}, [], "$", '{"$type": "object"}', "[]"),
        ({"$type": "array"}, {}, "$", '{"$type": "array"}', "{}"),
        ({"$type": "null"}, 0, "$", '{"$type": "null"}', "0"),
        ({"a": {"$contains": "x"}}, {"a": "y"}, "$.a", '{"$contains": "x"}', '"y"'),
        ({"$contains": "x"}, {"x": 1}, "$", '{"$contains": "x"}', '{"x": 1}'),
        ({"$gt": 3}, 3, "$", '{"$gt": 3}', "3"),
        ({"$gte": 3}, 2, "$", '{"$gte": 3}', "2"),
        ({"$lt": 3}, 3, "$", '{"$lt": 3}', "3"),
        ({"$lte": 3}, 4, "$", '{"$lte": 3}', "4"),
        ({"$gt": 3}, "4", "$", '{"$gt": 3}', '"4"'),
        ({"$gt": 0}, True, "$", '{"$gt": 0}', "true"),
        ({"$gte": 1, "$lt": 5}, 5, "$", '{"$gte": 1, "$lt": 5}', "5"),
        ({"$not": ANY}, 1, "$", '{"$not": {"$any": true}}', "1"),
        ({"a": {"$not": ABSENCE}}, {}, "$.a", '{"$not": {"$absent": true}}', "nothing"),
        ([1, 2], [1], "$[1]", "2", "nothing"),
        ([1], [1, 2], "$[1]", "nothing", "2"),
        ([REST, 3], [3, 4], "$[1]", "3", "4"),
        ([7, REST], [1], "$[0]", "7", "1"),
        ([1, REST, 2], [1], "$", "2 items or more", "1 items"),
        ([1, REST, 7, REST], [1, 2], "$", "[7] from item 1 on", "[2]"),
        ({"$exact": {"a": {"b": ANY}}}, {"a": {"b": 1, "c": 2}}, "$.a.c", "nothing", "2"),
        ({"$literal": {"$any": True}}, 1, "$", '{"$any": true}', "1"),
        ({"$literal": {}}, {"a": 1}, "$.a", "nothing", "1"),
        ({"$ref": "who"}, {"name": "Bob"}, "$.name", '"Ann"', '"Bob"'),
        ({"$ref": "who"}, {"name": "Ann", "age": 3}, "$.age", "nothing", "3"),
        ({"$ref": "list"}, [1], "$[1]", '{"a": 1}', "nothing"),
        ({"a": {"$capture": "x"}}, {}, "$.a", '{"$capture": "x"}', "nothing"),
    ],
)
def test_where_it_does_not_match(pattern: Any, value: Any, path: str, expected: str, got: str) -> None:
    found = match(pattern, value, "subset", dict(NAMES))
    assert found is not None
    assert (found.path, found.expected, found.got) == (path, expected, got)


@pytest.mark.parametrize(
    ("mode", "pattern", "value", "path"),
    [
        ("subset", {"a": {}}, {"a": {"b": 1}}, None),
        ("exact", {"a": {}}, {"a": {"b": 1}}, "$.a.b"),
        ("exact", {"a": ANY}, {"a": 1}, None),
        ("literal", {"a": ANY}, {"a": 1}, "$.a"),
        ("literal", {"a": ANY}, {"a": ANY}, None),
        ("literal", [REST], [], "$[0]"),
        ("literal", {"a": 1}, {"a": 1, "b": 1}, "$.b"),
    ],
)
def test_the_modes(mode: MatchMode, pattern: Any, value: Any, path: str | None) -> None:
    found = match(pattern, value, mode, {})
    assert (found and found.path) == path


def test_what_matches_is_captured() -> None:
    names = {"kept": 1}
    pattern = {"a": {"$capture": "a", "$gt": 1}, "b": [REST, {"c": {"$capture": "c"}, "d": 2}, REST]}
    assert match(pattern, {"a": 5, "b": [{"c": 1, "d": 1}, {"c": 3, "d": 2}]}, "subset", names) is None
    assert names == {"kept": 1, "a": 5, "c": 3}


def test_what_does_not_match_captures_nothing() -> None:
    names: dict[str, Any] = {}
    assert match({"a": {"$capture": "a"}, "b": 1}, {"a": 5, "b": 2}, "subset", names) is not None
    assert match({"$capture": "a", "$gt": 9}, 5, "subset", names) is not None
    assert match([REST, {"c": {"$capture": "c"}, "d": 9}, REST], [{"c": 1, "d": 2}], "subset", names) is not None
    assert names == {}


def test_a_failed_place_of_an_array_leaves_no_name_behind() -> None:
    """The first item captures `c` and fails at `d`: the second must be held against the `c` of before."""
    item = {"a": {"$ref": "c"}, "b": {"$capture": "c"}, "d": 2}
    names: dict[str, Any] = {"c": 0}
    assert match([REST, item, REST], [{"a": 0, "b": 5, "d": 1}, {"a": 0, "b": 6, "d": 2}], "subset", names) is None
    assert names == {"c": 6}


def test_an_absent_value_matches_absence_alone() -> None:
    assert match(ANY, ABSENT, "subset", {}) is not None
    assert match(ABSENCE, ABSENT, "subset", {}) is None
