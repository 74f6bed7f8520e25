"""Exact values in text: addresses, numbers, versions, hashes; and what only looks like one."""

import pytest

from ctxmgr.engine.text import exact_values

FOUND: list[tuple[str, list[str]]] = [
    ("Opened [#12](https://forge.example/a/b/pull/12).", ["#12", "https://forge.example/a/b/pull/12"]),
    ("[main 1a2b3c4] Mend it", ["1a2b3c4"]),
    ("   1a2b3c4..5d6e7f8  main -> main", ["1a2b3c4", "5d6e7f8"]),
    ("commit 0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c", ["0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"]),
    ("Published 1.4.0, then v2.0.0-rc.1.", ["1.4.0", "v2.0.0-rc.1"]),
    ("run 29523044449 of WEB-120", ["29523044449", "WEB-120"]),
    ("on http://localhost:5173/ and 127.0.0.1:8080", ["http://localhost:5173/", "127.0.0.1:8080"]),
    ("listens at localhost:3000.", ["localhost:3000"]),
    ("id 8f14e45f-ceea-467e-8d1b-5f2b3c4d5e6f", ["8f14e45f-ceea-467e-8d1b-5f2b3c4d5e6f"]),
    ("#7 and again #7", ["#7"]),
]
NONE = [
    "a plain sentence, with 12 and 3.4 and 12:30",
    "src/a.py:120, lib.rs:7 and 2026-07-07",
    "deadbeef is a word, 1234567.5 and 1,234,567 are numbers",
    "colour #fff123, entity &#123; and a/b#4",
    "https://" + "x" * 200,
]


@pytest.mark.parametrize(("text", "values"), FOUND)
def test_values_stand_in_their_order_each_once(text: str, values: list[str]) -> None:
    assert exact_values(text) == values


@pytest.mark.parametrize("text", NONE)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert exact_values(text) == []
