"""What a line expects against what came: each placeholder where it matches, and where it does not."""

from typing import Any

from ctxmgr.study.conformance.golden import ABSENT
from ctxmgr.study.conformance.script import match

NAMES: dict[str, Any] = {"n": 2, "who": {"name": "Ann"}, "list": [1, {"a": 1}]}
ANY, REST, ABSENCE = {"$any": True}, {"$rest": True}, {"$absent": True}

MATCHING: list[tuple[Any, Any]] = [
    (ANY, None),
    ({"a": 1}, {"a": 1.0, "b": 2}),
    ({"a": ABSENCE}, {"b": 1}),
    ({"$type": "string"}, "x"),
    ({"$type": "number"}, 0.5),
    ({"$type": "integer"}, 3.0),
    ({"$type": "boolean"}, False),
    ({"$type": "object"}, {}),
    ({"$type": "array"}, []),
    ({"$type": "null"}, None),
    ({"$contains": "owl"}, {"a": [{"b": "an owl"}]}),
    ({"$gte": 2.5, "$lte": 2.5}, 2.5),
    ({"$gt": 1, "$lt": 5}, 4),
    ({"$not": {"$contains": "owl"}}, {"a": ["a hawk"]}),
    ({"a": {"$not": 5}}, {}),
    ({"a": {"$not": ABSENCE}}, {"a": None}),
    ([REST], []),
    ([1, REST], [1, 2, 3]),
    ([1, REST, 3], [1, 3]),
    ([REST, 2, REST, {"a": {"$contains": "x"}}, REST], [1, 2, 2, {"a": "axb"}, 5]),
    ([REST, 2, 3], [2, 2, 3]),
    ({"$exact": {"a": ANY}}, {"a": 1}),
    ({"$literal": {"$any": True}}, {"$any": True}),
    ({"$literal": [REST]}, [{"$rest": True}]),
    ({"$ref": "n"}, 2.0),
    ({"a": {"$capture": "a"}, "b": {"$ref": "a"}}, {"a": 7, "b": 7}),
]
DIFFERING: list[tuple[Any, Any, str, str, str]] = [
    ({"a": ANY}, {}, "$.a", '{"$any": true}', "nothing"),
    ({"a": ABSENCE}, {"a": None}, "$.a", '{"$absent": true}', "null"),
    ({"a": 1}, {"a": True}, "$.a", "1", "true"),
    ({"a": None}, {}, "$.a", "null", "nothing"),
    ({"c d": 1}, {"c d": 2}, '$["c d"]', "1", "2"),
    ({"a": 1}, [1], "$", '{"a": 1}', "[1]"),
    ({"$type": "string"}, 1, "$", '{"$type": "string"}', "1"),
    ({"$type": "number"}, True, "$", '{"$type": "number"}', "true"),
    ({"$type": "integer"}, float("inf"), "$", '{"$type": "integer"}', "Infinity"),
    ({"$type": "object"}, [], "$", '{"$type": "object"}', "[]"),
    ({"$contains": "x"}, {"x": 1}, "$", '{"$contains": "x"}', '{"x": 1}'),
    ({"$gt": 3}, 3, "$", '{"$gt": 3}', "3"),
    ({"$gte": 3}, 2, "$", '{"$gte": 3}', "2"),
    ({"$lt": 3}, 3, "$", '{"$lt": 3}', "3"),
    ({"$lte": 3}, 4, "$", '{"$lte": 3}', "4"),
    ({"$gt": 0}, True, "$", '{"$gt": 0}', "true"),
    ({"$not": ANY}, 1, "$", '{"$not": {"$any": true}}', "1"),
    ([1, 2], [1], "$[1]", "2", "nothing"),
    ([1], [1, 2], "$[1]", "nothing", "2"),
    ([REST, 3], [3, 4], "$[1]", "3", "4"),
    ([7, REST], [1], "$[0]", "7", "1"),
    ([1, REST, 2], [1], "$", "2 items or more", "1 items"),
    ([1, REST, 7, REST], [1, 2], "$", "[7] from item 1 on", "[2]"),
    ({"$exact": {"a": {"b": ANY}}}, {"a": {"b": 1, "c": 2}}, "$.a.c", "nothing", "2"),
    ({"$literal": {"$any": True}}, 1, "$", '{"$any": true}', "1"),
    ({"$ref": "who"}, {"name": "Ann", "age": 3}, "$.age", "nothing", "3"),
    ({"$ref": "list"}, [1], "$[1]", '{"a": 1}', "nothing"),
]


def test_what_matches_and_where_something_does_not() -> None:
    for pattern, value in MATCHING:
        assert match(pattern, value, "subset", dict(NAMES)) is None, (pattern, value)
    for pattern, value, *where in DIFFERING:
        mismatch = match(pattern, value, "subset", dict(NAMES))
        assert mismatch is not None, (pattern, value)
        assert [mismatch.path, mismatch.recorded, mismatch.received] == where


def test_the_modes() -> None:
    more = {"a": {"b": 1}}
    assert match({"a": {}}, more, "subset", {}) is None
    assert (mismatch := match({"a": {}}, more, "exact", {}))
    assert mismatch.path == "$.a.b"
    assert match({"a": ANY}, more, "exact", {}) is None
    assert match({"a": ANY}, more, "literal", {}) is not None
    assert match({"a": ANY}, {"a": ANY}, "literal", {}) is None
    assert match([REST], [], "literal", {}) is not None


def test_what_matches_is_captured_and_nothing_else() -> None:
    names = {"kept": 1}
    pattern = {"a": {"$capture": "a", "$gt": 1}, "b": [REST, {"c": {"$capture": "c"}, "d": 2}, REST]}
    assert match(pattern, {"a": 5, "b": [{"c": 1, "d": 1}, {"c": 3, "d": 2}]}, "subset", names) is None
    assert names == {"kept": 1, "a": 5, "c": 3}
    assert match({"b": {"$capture": "b"}, "d": 1}, {"b": 5, "d": 2}, "subset", names) is not None
    assert "b" not in names


def test_a_failed_place_of_an_array_leaves_no_name_behind() -> None:
    """The first item captures `c` and fails at `d`: the second must be held against the `c` of before."""
    item = {"a": {"$ref": "c"}, "b": {"$capture": "c"}, "d": 2}
    names: dict[str, Any] = {"c": 0}
    assert match([REST, item, REST], [{"a": 0, "b": 5, "d": 1}, {"a": 0, "b": 6, "d": 2}], "subset", names) is None
    assert names == {"c": 6}


def test_an_absent_value_matches_absence_alone() -> None:
    assert match(ANY, ABSENT, "subset", {}) is not None
    assert match(ABSENCE, ABSENT, "subset", {}) is None
