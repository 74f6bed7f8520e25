"""JSON as JavaScript reads and writes it: numbers, order of keys, halves of surrogate pairs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats.pi_tree.js_spelling import spelled, value

# JSON text, and what JSON.stringify(JSON.parse(text)) is in Node 20
SPELLED: list[tuple[str, str]] = [
    ("1.0", "1"),
    ("-0.0", "0"),
    ("-1.5e3", "-1500"),
    ("1e20", "100000000000000000000"),
    ("1e21", "1e+21"),
    ("123456789012345678901", "123456789012345680000"),
    ("1234567890123456789012", "1.2345678901234568e+21"),
    ("1e-7", "1e-7"),
    ("0.00000015", "1.5e-7"),
    ("1e400", "null"),
    ("5e-324", "5e-324"),
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
