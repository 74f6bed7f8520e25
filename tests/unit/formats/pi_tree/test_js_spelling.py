"""JSON as JavaScript reads and writes it: numbers, order of keys, halves of surrogate pairs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats.pi_tree.js_spelling import entries, spelled, units, value, whole

# JSON text, and what JSON.stringify(JSON.parse(text)) is in Node 20
SPELLED: list[tuple[str, str]] = [
    ("1.0", "1"),
    ("-0", "0"),
    ("-0.0", "0"),
    ("2.50", "2.5"),
    ("-1.5e3", "-1500"),
    ("1E5", "100000"),
    ("1e20", "100000000000000000000"),
    ("1e21", "1e+21"),
    ("123456789012345678901", "123456789012345680000"),
    ("9007199254740993", "9007199254740992"),
    ("1234567890123456789012", "1.2345678901234568e+21"),
    ("0.000001", "0.000001"),
    ("1e-7", "1e-7"),
    ("0.00000015", "1.5e-7"),
    ("1e400", "null"),
    ("5e-324", "5e-324"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ("true", "true"),
    ("null", "null"),
    ('[1, 2.0, [ ], {"a" : null}]', '[1,2,[],{"a":null}]'),
    ('{"b":1,"10":2,"2":3,"02":4,"-1":5}', '{"2":3,"10":2,"b":1,"02":4,"-1":5}'),
    ('{"4294967295":1,"4294967294":2}', '{"4294967294":2,"4294967295":1}'),
    ('{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'),
    (r'"\u0041\/\b\u001f\u007f\u2028"', '"A/\\b\\u001f\x7f\u2028"'),
    (r'"\ud83d\ude00"', '"\U0001f600"'),
    (r'"\ud83d!"', r'"\ud83d!"'),
    (r'"\uDE00\uD83D"', r'"\ude00\ud83d"'),
    (r'{"\ud83d":"\\ud83d"}', r'{"\ud83d":"\\ud83d"}'),
]


def test_spelled_as_javascript_does() -> None:
    for text, expected in SPELLED:
        assert spelled(value(text.encode())) == expected, text


def test_what_is_no_json_is_a_value_error() -> None:
    for text in ("", "{", "NaN", '{"a":Infinity}', '"\\ud83d', "\udcff"):
        with pytest.raises(ValueError):  # noqa: PT011  (whose words they are does not matter)
            value(text.encode("utf-8", "surrogateescape"))


def test_nesting_that_is_too_deep_to_follow_is_spelled_all_the_same() -> None:
    deep: list[object] = []
    for _ in range(400):
        deep = [deep]
    assert spelled(deep) == "[" * 401 + "]" * 401


def test_members_of_what_is_no_object() -> None:
    assert entries({"a": 1, "0": 2}) == [("0", 2), ("a", 1)]
    assert entries(["x"]) == [("0", "x")]
    assert entries(None) == entries(5) == []


def test_units() -> None:
    for text, size in (("", 0), ("é", 1), ("\U0001f600", 2), ("\ud83d", 1), ("a\U0001f600é", 4)):
        assert units(text) == size, text


def test_halves_that_meet_are_whole() -> None:
    assert whole("\ud83d" + "\ude00") == "\U0001f600"
    assert whole("a\ud83db") == "a\ufffdb"
    assert whole("plain") == "plain"


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(values | st.floats(allow_nan=False, allow_infinity=False))
def test_spelling_keeps_the_value(one: object) -> None:
    text = spelled(one)
    assert json.loads(text, parse_int=float) == one  # a number is a double
    assert spelled(value(text.encode("utf-8"))) == text
