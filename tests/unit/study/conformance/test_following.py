"""What the conformance kit compares, and which transcripts another process can follow."""

from typing import Any

import pytest

from ctxmgr.study.conformance.following import reason
from ctxmgr.study.conformance.golden import difference, path_of, read
from ctxmgr.study.recordings.recording import UnreadableRecording
from tests.unit.study.goldens import LATCH, NAMES, doctored, golden, path

ROW = {"handle": "h", "key": "k", "call": "read", "text": "text"}


def archive(**fields: Any) -> dict[str, Any]:
    return {"from": "ctxmgr", "archive": "s", **fields}


@pytest.mark.parametrize(
    ("one", "other", "chosen", "where"),
    [
        ({"a": 1, "b": [0.0]}, {"b": [0], "a": 1.0}, [], None),
        ({"a": 1}, {"a": "1"}, [], "$.a"),
        ({"a": True}, {"a": 1}, [], "$.a"),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "c": 2}}, ["$.a.b"], None),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "c": 4}}, ["$.a.b"], "$.a.c"),
        ({"m": [{"t": 1, "x": 1}, {"t": 2}]}, {"m": [{"t": 5, "x": 1}, {}]}, ["$.m[*].t"], None),
        ({"m": [1, 2]}, {"m": [3, 2]}, ["$.m[0]"], None),
        ({"m": [1, 2]}, {"m": [3]}, ["$.m[*]"], "$.m[1]"),
        ({"a": {"x": {"t": 1}, "y": {"t": 2}}}, {"a": {"x": {}, "y": {"t": 3}}}, ["$.a.*.t"], None),
        ({"a b": 1}, {"a b": 2}, ['$["a b"]'], None),
    ],
)
def test_differences_as_values(one: Any, other: Any, chosen: list[str], where: str | None) -> None:
    found = difference(one, other, [path_of(text) for text in chosen])
    assert (found.path if found else None) == where


@pytest.mark.parametrize("text", ["", "$", "a.b", "$a", "$.a[", "$.a.", "$.a[-1]"])
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(ValueError, match="no path"):
        path_of(text)


def test_what_is_no_transcript() -> None:
    with pytest.raises(UnreadableRecording, match="line 2"):
        read("x", path(LATCH).read_bytes().split(b"\n")[0] + b"\n{owl\n")
    with pytest.raises(UnreadableRecording, match="no header"):
        read("x", b'{"from":"host","message":{}}\n')


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("compaction/deadline", "a deadline passes"),
        ("compaction/prepared-ahead", "nobody outside sees"),
        ("errors/cancelled", "may have been answered"),
        ("errors/internal-error", "planted"),
        ("errors/request-failed", "held by another process"),
        ("notes/scratchpad-kept", "each program's own"),
        ("safety/a-fault-with-a-raw-list-that-fits", "planted"),
        ("recovery/pages-of-an-original", "each program's own"),
        ("recovery/pins", None),
        ("compaction/prepared-ahead-is-waited-for", None),
        ("compaction/cancelled", None),
        (LATCH, None),
    ],
)
def test_what_can_be_followed(name: str, words: str | None) -> None:
    why = reason(golden(name), False, False)
    assert why is None if words is None else words in (why or "")


@pytest.mark.parametrize(
    ("doctor", "words"),
    [
        (lambda lines: lines[0]["ctxmgr"].update(tokenizer="o200k_base"), "weights are those of o200k_base"),
        (lambda lines: lines.insert(4, {"from": "ctxmgr", "weigher": "o200k_base"}), "line 5: weights become"),
        (lambda lines: lines[1]["message"]["params"].pop("policy"), "does not set the tokenizer"),
        (lambda lines: lines.insert(4, {"from": "ctxmgr", "completed": 1, "completion": {}}), "an endpoint"),
        (lambda lines: lines.insert(4, archive(retrieve="h", answer={"row": ROW})), "line 5: an archive answers"),
        (lambda lines: lines.insert(4, archive(put=["h"], answer={"fault": "full"})), "an archive answers"),
        (lambda lines: lines.insert(4, archive(retrieve="h", answer={"note": "set aside"})), "an archive answers"),
    ],
)
def test_what_is_recorded_with_something_else_is_not_followed(doctor: Any, words: str) -> None:
    assert words in (reason(doctored(LATCH, doctor), True, True) or "")


def test_what_an_archive_gives_back_of_the_same_run_is_followed() -> None:
    def same_run(lines: list[Any]) -> None:
        lines[4:4] = [archive(put=["h"], answer={}), archive(retrieve="h", answer={"row": ROW})]
        lines.append(archive(retrieve="nonesuch", answer={}))

    def and_another(lines: list[Any]) -> None:
        same_run(lines)
        lines.append(archive(retrieve="other", answer={"row": {**ROW, "handle": "other"}}))

    assert reason(doctored(LATCH, same_run), True, True) is None
    assert "an archive answers" in (reason(doctored(LATCH, and_another), True, True) or "")


def test_few_transcripts_are_skipped() -> None:
    """Of those that are committed: a rule that grew too wide would skip all and say that all is well."""
    skipped = [name for name in NAMES if reason(golden(name), True, True)]
    assert len(skipped) <= len(NAMES) // 8, skipped
