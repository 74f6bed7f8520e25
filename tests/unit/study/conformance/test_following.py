"""What the conformance kit compares, and which transcripts another process can follow."""

from typing import Any

import pytest

from ctxmgr.study.conformance.following import reason
from ctxmgr.study.conformance.golden import difference, path_of, read
from ctxmgr.study.recordings import UnreadableRecording
from tests.unit.study.goldens import LATCH, doctored, golden, path

ROW = {"handle": "h", "key": "k", "call": "read", "text": "text"}


def test_differences_as_values() -> None:
    cases: list[tuple[Any, Any, list[str], str | None]] = [
        ({"a": 1, "b": [0.0]}, {"b": [0], "a": 1.0}, [], None),
        ({"a": 1}, {"a": "1"}, [], "$.a"),
        ({"a": True}, {"a": 1}, [], "$.a"),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "c": 2}}, ["$.a.b"], None),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "c": 4}}, ["$.a.b"], "$.a.c"),
        ({"m": [{"t": 1, "x": 1}, {"t": 2}]}, {"m": [{"t": 5, "x": 1}, {}]}, ["$.m[*].t"], None),
        ({"m": [1, 2]}, {"m": [3]}, ["$.m[*]"], "$.m[1]"),
        ({"a": {"x": {"t": 1}, "y": {"t": 2}}}, {"a": {"x": {}, "y": {"t": 3}}}, ["$.a.*.t"], None),
    ]
    for before, after, chosen, where in cases:
        differing = difference(before, after, [path_of(text) for text in chosen])
        assert (differing.path if differing else None) == where
    for text in ("", "$", "a.b", "$a", "$.a[", "$.a.", "$.a[-1]"):
        with pytest.raises(ValueError, match="no path"):
            path_of(text)


def test_what_is_no_transcript() -> None:
    with pytest.raises(UnreadableRecording, match="line 2"):
        read("x", path(LATCH).read_bytes().split(b"\n")[0] + b"\n{owl\n")
    with pytest.raises(UnreadableRecording, match="no header"):
        read("x", b'{"from":"host","message":{}}\n')


def test_what_can_be_followed() -> None:
    cases = {
        "compaction/deadline": "a deadline passes",
        "compaction/prepared-ahead": "nobody outside sees",
        "errors/cancelled": "may have been answered",
        "errors/internal-error": "planted",
        "errors/request-failed": "held by another process",
        "notes/scratchpad-kept": "each program's own",
        "safety/a-fault-with-a-raw-list-that-fits": "planted",
        "recovery/pins": None,
        "compaction/prepared-ahead-is-waited-for": None,
        "compaction/cancelled": None,
        LATCH: None,
    }
    for name, words in cases.items():
        why = reason(golden(name), snapshots=False)
        assert why is None if words is None else words in (why or ""), name
    assert reason(golden("recovery/pages-of-an-original"), snapshots=False) != reason(
        golden("recovery/pages-of-an-original"), snapshots=True
    )


def archive(**fields: Any) -> dict[str, Any]:
    return {"from": "ctxmgr", "archive": "s", **fields}


def test_what_is_recorded_with_something_else_is_not_followed() -> None:
    def inserted(*lines: dict[str, Any]) -> Any:
        def doctor(all_lines: list[Any]) -> None:
            all_lines[4:4] = lines

        return doctor

    put, ours = archive(put=["h"], answer={}), archive(retrieve="h", answer={"row": ROW})
    other = archive(retrieve="other", answer={"row": {**ROW, "handle": "other"}})
    cases: list[tuple[Any, str | None]] = [
        (lambda lines: lines[0]["ctxmgr"].update(tokenizer="o200k_base"), "weights are those of o200k_base"),
        (inserted({"from": "ctxmgr", "weigher": "o200k_base"}), "line 5: weights become"),
        (lambda lines: lines[1]["message"]["params"].pop("policy"), "does not set the tokenizer"),
        (inserted({"from": "ctxmgr", "completed": 1, "completion": {}}), "an endpoint"),
        (inserted(ours), "line 5: an archive answers"),
        (inserted(archive(put=["h"], answer={"fault": "full"})), "an archive answers"),
        (inserted(archive(retrieve="h", answer={"note": "set aside"})), "an archive answers"),
        (inserted(put, ours, archive(retrieve="nonesuch", answer={})), None),
        (inserted(put, ours, other), "an archive answers"),
    ]
    for doctor, words in cases:
        why = reason(doctored(LATCH, doctor), snapshots=True)
        assert why is None if words is None else words in (why or ""), words
