"""What the conformance kit compares, and which transcripts another process can follow."""

from typing import Any

import pytest

from ctxmgr.study.conformance.golden import difference, path_of, read, reason, text_difference
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
        with pytest.raises(ValueError, match="not a path"):
            path_of(text)


# two JSON texts


def test_the_first_path() -> None:
    for recorded, now, where, old, new in (
        ('{"a":1}', '{"a":2}', "$.a", "1", "2"),
        ('{"a":[1,{"b":"x"}]}', '{"a":[1,{"b":"y"}]}', "$.a[1].b", '"x"', '"y"'),
        ('{"a":1,"b":2}', '{"a":1}', "$.b", "2", "nothing"),
        ('{"a":1}', '{"a":1,"c d":null}', '$["c d"]', "nothing", "null"),
        ("[1,2]", "[1]", "$[1]", "2", "nothing"),
        ("[true]", "[1]", "$[0]", "true", "1"),
        ("[1]", "[1.0]", "$[0]", "1", "1.0"),
        ('{"a":1}', "[1]", "$", '{"a": 1}', "[1]"),
        ("not json", '{"a":1}', "$", "not json", '{"a":1}'),
    ):
        difference = text_difference(recorded.encode(), now.encode())
        assert difference is not None, recorded
        assert (difference.path, difference.recorded, difference.received) == (where, old, new), recorded


def test_other_bytes_of_the_same_values_differ() -> None:
    difference = text_difference(b'{"a":1,"b":2}', b'{"a":1, "b":2}')
    assert difference is not None
    assert "other bytes from 7 on" in difference.path


def test_long_values_are_shortened_in_the_middle() -> None:
    difference = text_difference(b'"' + b"a" * 900 + b'"', b'"' + b"a" * 900 + b'b"')
    assert difference is not None
    assert len(difference.received) < 140
    assert difference.received.endswith('ab"')


# transcripts


def test_what_is_no_transcript() -> None:
    with pytest.raises(UnreadableRecording, match="line 2"):
        read("x", path(LATCH).read_bytes().split(b"\n")[0] + b"\n{owl\n")
    with pytest.raises(UnreadableRecording, match="not the header"):
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
