"""Entries of a session tree: what is read of each, and the path to a leaf, of sound and of broken trees."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.formats.pi_tree.entries import PiEntry, entry, milliseconds, path

ISO = "2026-01-02T03:04:05.678Z"
ISO_MS = 1_767_323_045_678

TIMES: list[tuple[Any, int | None]] = [
    (5, 5),
    (5.9, 5),
    (-5, -5),
    (ISO, ISO_MS),
    ("2026-01-02T03:04:05.678", ISO_MS),  # without a zone: UTC
    ("2026-01-02T04:04:05.678+01:00", ISO_MS),
    ("1970-01-01", 0),
    ("soon", None),
    ("", None),
    (None, None),
    (True, None),
    (2**60, None),
    (float("nan"), None),
    (float("inf"), None),
    ([5], None),
    ("0001-01-01T00:00:00+23:59", -62_135_683_140_000),  # before the first moment a datetime can hold
]


def test_times() -> None:
    for time, expected in TIMES:
        assert milliseconds(time) == expected, time


MESSAGE = b'{"role":"user","n":1.50,"content":"go"}'

ENTRIES: list[tuple[str, str, PiEntry | None]] = [
    (
        "a message, byte for byte",
        f'{{"id":"e2","parentId":"e1","type":"message","timestamp":"{ISO}","message":{MESSAGE.decode()}}}',
        PiEntry("e2", "e1", "message", ISO_MS, MESSAGE),
    ),
    (
        "a compaction",
        '{"id":"e3","parentId":"e2","type":"compaction","timestamp":5,"summary":"s","tokensBefore":9}',
        PiEntry("e3", "e2", "compaction", 5, summary="s"),
    ),
    (
        "a branch summary",
        '{"id":"e4","type":"branch_summary","summary":"s"}',
        PiEntry("e4", None, "branch", None, summary="s"),
    ),
    ("no context", '{"id":"e5","parentId":"e4","type":"model_change","modelId":"x"}', PiEntry("e5", "e4", "")),
    ("an unknown type", '{"id":"e6","type":"hologram"}', PiEntry("e6", None, "")),
    ("a compaction without a summary", '{"id":"e7","type":"compaction"}', PiEntry("e7", None, "")),
    ("a message without one", '{"id":"e8","type":"message"}', PiEntry("e8", None, "")),
    ("a parent that is no text", '{"id":"e9","parentId":5,"type":"label"}', PiEntry("e9", None, "")),
    ("a time that is none", '{"id":"e1","type":"label","timestamp":{}}', PiEntry("e1", None, "")),
    ("no id", '{"type":"message","message":{}}', None),
    ("an id that is no text", '{"id":5,"type":"message","message":{}}', None),
    ("no object", '["e1"]', None),
    ("no JSON", '{"id":"e1"', None),
    ("nothing", "", None),
    ("nesting without end", '{"id":' + "[" * 100_000, None),
]


def test_what_is_read_of_each() -> None:
    for name, raw, expected in ENTRIES:
        assert entry(raw.encode()) == expected, name


def tree(*edges: tuple[str, str | None]) -> list[PiEntry]:
    return [PiEntry(id, parent, "") for id, parent in edges]


FORKED = tree(("a", None), ("b", "a"), ("c", "b"), ("d", "b"), ("e", "d"))

PATHS: list[tuple[str, list[PiEntry], str | None, str]] = [
    ("to a leaf", FORKED, "c", "abc"),
    ("to another", FORKED, "e", "abde"),
    ("to an inner entry", FORKED, "b", "ab"),
    ("to the last one", FORKED, None, "abde"),
    ("to one that is not there", FORKED, "x", ""),
    ("of nothing", [], None, ""),
    ("of nothing to a leaf", [], "a", ""),
    ("a parent is missing", tree(("b", "a"), ("c", "b")), "c", "bc"),
    ("a circle", tree(("a", "c"), ("b", "a"), ("c", "b")), "c", "abc"),
    ("its own parent", tree(("a", "a")), "a", "a"),
    ("children before their parents", FORKED[::-1], "e", "abde"),
]


def test_the_path_to_a_leaf() -> None:
    for name, entries, leaf, ids in PATHS:
        assert "".join(one.id for one in path(entries, leaf)) == ids, name


names = st.sampled_from("abcdef")


@given(st.lists(st.tuples(names, st.none() | names), max_size=12), st.none() | names)
def test_any_tree_has_a_path_without_repeats(edges: list[tuple[str, str | None]], leaf: str | None) -> None:
    found = path(tree(*edges), leaf)
    ids = [one.id for one in found]
    assert len(set(ids)) == len(ids)
    assert all(child.parent == parent.id for parent, child in pairwise(found))
    known = {id for id, _ in edges}
    newest = edges[-1][0] if edges else None
    assert (ids[-1] if ids else None) == (newest if leaf is None else leaf if leaf in known else None)


values = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers(), max_size=2)
fields = ("id", "parentId", "type", "timestamp", "summary", "message")
types = st.sampled_from(("message", "compaction", "branch_summary", "custom_message"))


@settings(max_examples=100)
@given(
    st.binary() | st.dictionaries(st.sampled_from(fields), types | values).map(lambda one: json.dumps(one).encode())
)
def test_no_entry_is_an_error(raw: bytes) -> None:
    found = entry(raw)
    assert found is None or isinstance(found.id, str)
