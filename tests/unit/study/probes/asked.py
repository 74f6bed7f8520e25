"""Lists that are asked, for tests."""

from collections.abc import Sequence

from ctxmgr.study.observations import Observation
from ctxmgr.study.probes import timeline
from ctxmgr.study.probes.evidence import EvidenceIndex
from ctxmgr.study.probes.figures import PolicyGrades, ProjectedLists, answers
from ctxmgr.study.probes.kinds import Examined, examined
from ctxmgr.study.probes.timeline import Timeline
from ctxmgr.study.recordings.recording import RecordedEntry, Recording
from tests.notation import Said, a, call, err, r, raws, u
from tests.unit.study.sighted import packed

WEIGHT = 5_000  # of each message: points are asked from 30,000 tokens on


def weigh(raw: bytes) -> int:
    return WEIGHT


def recording(*said: Said, compacted: Sequence[int] = ()) -> Recording:
    """`compacted`: before these messages stands a recorded compaction."""
    entries: list[RecordedEntry] = []
    for place, raw in enumerate(raws(*said)):
        if place in compacted:
            entries.append(
                RecordedEntry("compaction", f"compaction-{place}", None, summary="short", first_kept=str(place))
            )
        role = str(said[place].fields["role"])
        entries.append(RecordedEntry("message", str(place), None, raw, role))
    return Recording("made", "session", "model", tuple(entries))


def of(*said: Said, window: int = 200_000) -> Examined:
    return examined(recording(*said), window, weigh)


def asked(found: Examined, *some: Sequence[Observation]) -> list[PolicyGrades]:
    index = EvidenceIndex(found.names)
    lists = [ProjectedLists(index, sights) for sights in some]
    return [answers(found, index, one) for one in lists]


SESSION = (
    u("Please raise the limit of the parser. Never touch the lock file."),
    a("I'll read it.", call("bash", command="cat src/parse.ts")),
    r("const limit = 20;\n" * 3),
    a("The root cause is that parseBlock stops at twenty."),
    u("no, that is wrong. Look at #4512"),
    a(call("edit", path="src/parse.ts", oldText="const limit = 20;", newText="const limit = 25;")),
    r("ok"),
    a(call("bash", command="npm run test")),
    err("FAIL src/parse.test.ts\n1 failed"),
    a(call("TodoWrite", todos=[{"content": "mend the test", "status": "pending"}])),
    r("ok"),
    a("I'll use a queue instead of a stack, because order matters. Shall I commit?"),
    u("yes"),
    a(call("bash", command="git commit -m x")),
    r("[topic 1a2b3c4] Raise the limit of the parser"),
    a("Committed 1a2b3c4 on topic; parseBlock and src/parse.ts are mended. Next I'll mend the test."),
    u("go on"),
    a("done"),
)


def sights(found: Timeline, shown: Sequence[Sequence[int]], packets: Sequence[str] = ()) -> list[Observation]:
    """At each call the messages with these numbers, behind a packet where there is one; an epoch a call."""
    whole = timeline.whole(found)
    out = []
    for call_number, sight in enumerate(whole):
        places = shown[call_number] if call_number < len(shown) else range(len(sight.projected_messages))
        packet = packets[call_number] if call_number < len(packets) else ""
        kept = tuple(sight.projected_messages[place] for place in places)
        before = (packed(packet),) if packet else ()
        out.append(
            Observation(
                None, sight.items, (*before, *kept), sight.reply, epoch_number=call_number, own=call_number == 2
            )
        )
    return out


def empty(course: Timeline) -> list[Observation]:
    """Nothing shown, at each call."""
    return [timeline.observation(course, call, (), 0) for call in course.calls]
