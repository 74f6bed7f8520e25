"""Entries of a session tree: what is read of each, and the path to a leaf, of sound and of broken trees."""

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats.pi_tree.entries import PiEntry, milliseconds, path

ISO = "2026-01-02T03:04:05.678Z"
ISO_MS = 1_767_323_045_678

TIMES: list[tuple[Any, int | None]] = [
    (5, 5),
    (-5, -5),
    (ISO, ISO_MS),
    ("2026-01-02T03:04:05.678", ISO_MS),  # without a zone: UTC
    ("2026-01-02T04:04:05.678+01:00", ISO_MS),
    ("soon", None),
    (None, None),
    (True, None),
    (2**60, None),
    ([5], None),
    ("0001-01-01T00:00:00+23:59", -62_135_683_140_000),  # before the first moment a datetime can hold
]


def test_times() -> None:
    for time, expected in TIMES:
        assert milliseconds(time) == expected, time


def tree(*edges: tuple[str, str | None]) -> list[PiEntry]:
    return [PiEntry(id, parent, "") for id, parent in edges]


FORKED = tree(("a", None), ("b", "a"), ("c", "b"), ("d", "b"), ("e", "d"))

PATHS: list[tuple[str, list[PiEntry], str | None, str]] = [
    ("to a leaf", FORKED, "c", "abc"),
    ("to another", FORKED, "e", "abde"),
    ("to the last one", FORKED, None, "abde"),
    ("to one that is not there", FORKED, "x", ""),
    ("of nothing", [], None, ""),
    ("a parent is missing", tree(("b", "a"), ("c", "b")), "c", "bc"),
    ("a circle", tree(("a", "c"), ("b", "a"), ("c", "b")), "c", "abc"),
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
