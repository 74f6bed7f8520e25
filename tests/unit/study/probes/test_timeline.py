"""The course of a recorded session: its messages, its calls, and where its list may be cut."""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.probes import timeline
from ctxmgr.study.probes.timeline import Timeline
from ctxmgr.study.recordings.recording import RecordedEntry, Recording
from tests.notation import Said, a, branch, call, note, r, sh, summary, u, written

KINDS = {"compactionSummary": "compaction", "branchSummary": "branch_summary"}


def made(*said: Said, times: Sequence[int | None] = ()) -> Timeline:
    entries = []
    for number, message in enumerate(written(*said)):
        at = times[number] if number < len(times) else None
        kind = KINDS.get(message["role"], "message")
        entries.append(RecordedEntry(kind, f"e{number}", at, msgspec.json.encode(message), message["role"]))  # type: ignore[arg-type]
    return timeline.of(Recording("tiny", "s", "m", tuple(entries)))


CUTS = [
    ((u("x"), a("y"), u("z"), a("y")), (0, 1, 2, 3)),
    ((a(call("read")), r("t"), a("done")), (0, 2)),
    ((a(call("read"), call("read")), r("t"), r("t"), u("x")), (0, 3)),
    ((a(call("read")), u("not so fast"), r("t"), u("x")), (0, 3)),
    ((a(call("read")), a("between"), r("t"), a("done")), (0, 3)),
    ((r("of nobody", "none"), u("x")), (1,)),
    ((u("x"), note("n"), sh("ls", "a"), branch("b"), a("y")), (0, 4)),
]


def test_a_list_is_never_cut_between_a_call_and_its_result() -> None:
    for said, cuts in CUTS:
        assert made(*said).cuts == cuts, said


def test_calls_are_where_replies_are_and_compactions_are_left_out() -> None:
    found = made(u("x"), a("one"), summary("all of it"), a("two", timestamp=7), times=[1, 2, 3, 4])
    assert [(one.time_ms, one.end_index) for one in found.calls] == [(2, 1), (7, 2)]
    assert [one.role for one in found.items] == ["user", "assistant", "assistant"]
