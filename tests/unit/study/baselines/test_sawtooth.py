"""The sawtooth policy, and the course that it is simulated on."""

import json
from collections.abc import Sequence
from itertools import pairwise

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.study.baselines import sawtooth
from ctxmgr.study.baselines.sawtooth import Bounds
from ctxmgr.study.driving import PeerList
from ctxmgr.study.metrics import timeline
from ctxmgr.study.metrics.observations import Observation, ProjectedMessage
from ctxmgr.study.metrics.timeline import Timeline
from ctxmgr.study.recordings.recording import RecordedEntry, Recording
from tests.notation import Said, a, branch, call, note, r, sh, summary, u, written

BOUNDS = Bounds(full_tokens=400, recent_tokens=200, packet_tokens=40)
READ = a(call("read", path="src/one.py")), r("pad " * 30)


def weigh(raw: bytes) -> int:
    return len(raw) // 4


def made(*said: Said, times: Sequence[int | None] = ()) -> Timeline:
    entries = []
    for number, message in enumerate(written(*said)):
        at = times[number] if number < len(times) else None
        kind = {"compactionSummary": "compaction", "branchSummary": "branch_summary"}.get(
            message["role"], "message"
        )
        entries.append(RecordedEntry(kind, f"e{number}", at, msgspec.json.encode(message), message["role"]))  # type: ignore[arg-type]
    return timeline.of(Recording("tiny", "s", "m", tuple(entries)))


def sawn(course: Timeline, bounds: Bounds = BOUNDS) -> list[Observation]:
    """What is shown at each call of a session whose host never compacts; `epoch_number` counts the cuts."""
    sent: tuple[ProjectedMessage, ...] = ()
    count = epoch = 0
    sights = []
    for asked in course.asked:
        came = (*sent, *course.wholes[count : asked.end_index])
        count = asked.end_index
        sent = sawtooth.cut(PeerList(came, course.items[:count], 0, 0, weigh), bounds)
        epoch += sent is not came
        sights.append(timeline.observation(course, asked, sent, epoch))
    return sights


def packet(sight: Observation) -> str:
    content: str = json.loads(sight.projected_messages[0].raw)["content"]
    return content


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
    assert [(one.time_ms, one.end_index) for one in found.asked] == [(2, 1), (7, 2)]
    assert [one.role for one in found.items] == ["user", "assistant", "assistant"]


def test_it_grows_and_is_cut_and_grows_again() -> None:
    found = made(u("mend the loader"), *READ * 12, a("done"))
    sights = sawn(found)
    weights = [sum(weigh(one.raw) for one in sight.projected_messages) for sight in sights]
    epochs = [sight.epoch_number for sight in sights]
    assert max(weights) <= BOUNDS.full_tokens
    assert epochs == sorted(epochs)
    assert epochs[-1] >= 2
    for before, now in pairwise(sights):
        if before.epoch_number == now.epoch_number:
            assert now.projected_messages[: len(before.projected_messages)] == before.projected_messages
        else:
            tail = now.projected_messages[1:]
            assert now.projected_messages[0].index == -1
            assert weigh(b"".join(one.raw for one in tail)) <= BOUNDS.recent_tokens
            assert [one.index for one in tail] == list(range(tail[0].index, len(now.items)))
            assert tail[0].index in found.cuts


def test_the_packet_says_what_was_asked_and_which_files_were_named() -> None:
    old = (
        a(call("read", path="src/old.py"), call("bash", command=["sed", "-n", "1,9p lib/other.ts"])),
        r("t"),
        r("t"),
    )
    found = made(u("mend the loader"), *old, u("and the tests"), *READ * 6, a("done"))
    (last,) = sawn(found, Bounds(full_tokens=400, recent_tokens=100, packet_tokens=200))[-1:]
    assert packet(last).splitlines() == [
        "Goal: mend the loader",
        "Newest request: and the tests",
        "Files:",
        "src/one.py",
        "lib/other.ts",
        "src/old.py",
    ]


def test_a_packet_holds_no_more_than_its_bound() -> None:
    many = [one for number in range(60) for one in (a(call("read", path=f"src/file_{number}.py")), r("pad " * 10))]
    for tokens in (10, 40, 100):
        sights = sawn(made(u("go " * 400), *many, a("done")), Bounds(400, 200, tokens))
        assert sights[-1].epoch_number > 0
        assert len(packet(sights[-1])) <= max(tokens * 4, len("Goal: Files:") + tokens)


def test_one_heavy_step_stays_whole() -> None:
    found = made(u("x"), *READ, a(call("read", path="big.py")), r("pad " * 900), a("done"))
    last = sawn(found)[-1]
    assert [one.index for one in last.projected_messages] == [-1, 3, 4]


def test_a_short_session_is_shown_whole() -> None:
    found = made(u("x"), *READ, a("done"))
    sights = sawn(found, Bounds())
    assert [sight.projected_messages for sight in sights] == [
        found.wholes[: asked.end_index] for asked in found.asked
    ]
    assert sawn(made(u("x"))) == []


SAID = st.one_of(
    st.just(u("mend it")), st.just(note("n")), st.just(a("words")), st.just(a(call("read", path="a/b.py"))),
    st.integers(0, 300).map(lambda size: r("pad " * size)),
)  # fmt: skip


@given(st.lists(SAID, max_size=40))
def test_pairs_are_never_parted(said: list[Said]) -> None:
    """Whatever comes: results without a call, calls without a result, two at a time."""
    waiting = 0
    legal = []
    for one in said:
        calls = one.fields["role"] == "assistant" and any(
            part["type"] == "toolCall" for part in one.fields["content"]
        )
        if one.fields["role"] == "toolResult":
            if not waiting:
                continue
            waiting -= 1
        waiting += calls
        legal.append(one)
    found = made(*legal)
    for sight in sawn(found):
        shown = [json.loads(one.raw) for one in sight.projected_messages]
        calls_shown = {call["id"] for one in shown if one["role"] == "assistant"
                       for call in one["content"] if call["type"] == "toolCall"}  # fmt: skip
        assert all(one["toolCallId"] in calls_shown for one in shown if one["role"] == "toolResult")
        assert sight.reply == found.items[len(sight.items)]
