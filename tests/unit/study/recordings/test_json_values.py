"""The objects in the bytes of a recording, and where it is said to be broken."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.study.recordings.json_values import objects
from ctxmgr.study.recordings.recording import UnreadableRecording

EXPORT = {
    "info": {"id": "ses"},
    "messages": [{"info": {"role": "user"}, "parts": [{"type": "text", "text": "go"}]}],
}


# name, content, (line, JSON) of each value
TABLE: list[tuple[str, bytes, list[tuple[int, bytes]]]] = [
    ("a value a line", b'{"a":1}\n\n{"b":2}\n', [(1, b'{"a":1}'), (3, b'{"b":2}')]),
    ("two on a line", b'{"a":1} {"b":2}', [(1, b'{"a":1}'), (1, b'{"b":2}')]),
    ("one over many lines", b'{\n "a": 1\n}\n', [(1, b'{\n "a": 1\n}\n')]),
    ("as Windows writes it", b'{\r\n "a": 1\r\n}\r\n', [(1, b'{\r\n "a": 1\r\n}\r\n')]),
    ("several over many lines", b'{\n "a": 1\n}\n{\n "b": 2\n}\n', [(1, b'{\n "a": 1\n}'), (4, b'{\n "b": 2\n}')]),
]


def test_the_values_of_a_file() -> None:
    for _, content, expected in TABLE:
        assert [(line, piece.strip()) for line, piece in objects(content, "f")] == [
            (line, piece.strip()) for line, piece in expected
        ]


# name, content, the line and the words of what is wrong
BROKEN: list[tuple[str, bytes, int, str]] = [
    ("a line that is none", b'{"a":1}\n{"b":\n', 2, "the value is incomplete"),
    ("words", b'{"a":1}\nthe owl\n', 2, "not JSON at character 1: 'the owl'"),
    ("cut off between members", b'{\n "a": 1,\n', 2, "the value is incomplete"),
    ("cut off in a text", b'{\n "a": 1,\n "b": "the ow', 3, "not JSON at character 7: '\"the ow'"),
    ("words inside", b'{\n "a": 1,\n "b": owl,\n "c": 2\n}\n', 3, "not JSON at character 7: 'owl,'"),
    ("bytes of no text inside", b'{\n "a": 1,\n "b": "\xff", owl\n}\n', 3, "not UTF-8 at byte 7"),
]


def test_where_it_is_broken() -> None:
    for name, content, line, words in BROKEN:
        with pytest.raises(UnreadableRecording) as caught:
            list(objects(content, "f"))
        assert str(caught.value) == f"f, line {line}: {words}", name


@given(st.integers(min_value=3, max_value=len(json.dumps(EXPORT, indent=1)) - 1))
def test_a_file_that_was_cut_off_is_broken_in_its_last_line(size: int) -> None:
    """Wherever: never the first line, where a reader would look for nothing."""
    content = json.dumps(EXPORT, indent=1).encode()[:size]
    with pytest.raises(UnreadableRecording) as caught:
        list(objects(content, "f"))
    assert str(caught.value).startswith(f"f, line {len(content.rstrip().splitlines())}: ")
