"""Lists are asked at the same calls, graded, and what they lost is told with the call that lost it; controls."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.study.metrics.observations import PACKET, Observation, ProjectedMessage
from ctxmgr.study.metrics.timeline import Timeline
from ctxmgr.study.probes import controls, figures
from ctxmgr.study.probes.asking import Lists, PolicyGrades, answers
from ctxmgr.study.probes.index import EvidenceIndex
from ctxmgr.study.probes.points import points
from ctxmgr.study.probes.session import Examined, examined
from ctxmgr.study.probes.stub import Stub
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
    lists = [Lists(index, sights) for sights in some]
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


def means(of: PolicyGrades) -> set[float]:
    return {one.grade for one in of.answers}


def test_the_whole_list_answers_all_and_the_empty_list_nothing() -> None:
    found = of(*SESSION)
    everything, nothing = asked(found, controls.whole(found.course), controls.empty(found.course))
    assert {one.probe.kind for one in everything.answers} == {*figures.KINDS} - {"files.read"}
    assert means(everything) == {1.0}
    assert means(nothing) == {0.0}
    assert all(one.loss is None for one in everything.answers)


SAID = """the parser must never stop because TypeError in src/a.ts #451 v1.2.3 was wrong? Let me mend it. 'quoted'
**x** - `npm run test` I'll use A_B instead of c.d <tag>b</tag> don\u2019t [x] [ ] changed: now root cause"""
WORDS = st.sampled_from([*SAID.split(), "\n", "```\ncode\n```"])
TEXTS = st.lists(WORDS, min_size=1, max_size=25).map(" ".join)
TURNS = st.lists(
    st.one_of(
        TEXTS.map(u),
        TEXTS.map(a),
        st.tuples(TEXTS, st.sampled_from(["src/a.ts", "b/a.ts", "/w/c d.py"])).map(
            lambda one: [a(call("edit", path=one[1], newText=one[0])), r("ok")]
        ),
        st.tuples(TEXTS, TEXTS, st.booleans()).map(
            lambda one: [a(call("bash", command=one[0])), r(one[1], is_error=one[2])]
        ),
        TEXTS.map(lambda text: [a(call("TodoWrite", todos=[{"content": text, "status": "pending"}])), r("ok")]),
    ),
    max_size=14,
)


@settings(deadline=None, max_examples=60)
@given(TURNS)
def test_of_any_conversation_the_whole_list_answers_all_and_the_empty_list_nothing(
    turns: list[Said | list[Said]],
) -> None:
    said = [one for turn in turns for one in (turn if isinstance(turn, list) else [turn])]
    found = of(*[u("go")] * 6, *said, a("done"))
    everything, nothing = asked(found, controls.whole(found.course), controls.empty(found.course))
    assert [one for one in everything.answers if one.grade < 1 - 1e-9] == []
    assert [one for one in nothing.answers if one.grade > 0] == []


def test_another_session_answers_what_everybody_says() -> None:
    found = of(*SESSION)
    other = of(u("paint the fence"), a("ok", call("bash", command="npm run test")), r("fine"), a("done")).course
    (foreign,) = asked(found, controls.foreign(found.course, other))
    by_kind = figures.scores(foreign).kinds
    assert by_kind["tests"].every.share == pytest.approx(0.5)  # everybody runs that
    assert by_kind["goal"].every.share == 0


def test_the_newest_tokens_answer_what_is_new() -> None:
    found = of(*SESSION)
    (newest,) = asked(found, controls.newest(found.course, weigh, 4 * WEIGHT))
    last = [one for one in newest.answers if one.call == found.points[-1].call]
    assert {one.grade for one in last if one.probe.kind == "goal"} == {0.0}
    assert {one.grade for one in last if one.probe.kind == "commits"} == {1.0}


# where it was lost

FIVE = (
    u("mend the parser"),
    a("one"),
    *(one for text in ("x", "y", "z", "v") for one in (u(text), a(f"re {text}"))),
)


def sights(found: Timeline, shown: Sequence[Sequence[int]], packets: Sequence[str] = ()) -> list[Observation]:
    """At each call the messages with these numbers, behind a packet where there is one; an epoch a call."""
    whole = controls.whole(found)
    out = []
    for call_number, sight in enumerate(whole):
        places = shown[call_number] if call_number < len(shown) else range(len(sight.shown))
        packet = packets[call_number] if call_number < len(packets) else ""
        kept = tuple(sight.shown[place] for place in places)
        before = (packed(packet),) if packet else ()
        out.append(
            Observation(None, sight.items, (*before, *kept), sight.reply, epoch=call_number, own=call_number == 2)
        )
    return out


def test_a_failed_probe_names_the_call_that_lost_it_and_what_left() -> None:
    said = (
        u("mend the parser"),
        a("one"),
        u("x"),
        a("two"),
        u("y"),
        a("three"),
        u("z"),
        a("four"),
        u("v"),
        a("five"),
    )
    found = of(*said)
    lists = sights(found.course, [[0], [0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8]])
    (result,) = asked(found, lists)
    goal = next(one for one in result.answers if one.probe.kind == "goal")
    assert goal.grade == 0
    assert goal.loss is not None
    assert (goal.loss.call, goal.loss.epoch, goal.loss.compacted) == (2, 2, True)
    assert goal.loss.left == ("user: mend the parser",)
    told = figures.failures(result)[0]
    assert told["question"] == "What was asked for at the start?"
    assert told["evidence"] == "mend the parser"
    assert told["lost"] == {"call": 2, "epoch": 2, "compacted": True, "left": ["user: mend the parser"]}


def test_what_never_stood_in_a_list_was_lost_nowhere() -> None:
    found = of(*SESSION)
    (result,) = asked(found, controls.empty(found.course))
    assert {one.loss.call for one in result.answers if one.loss} == {-1}


def test_what_came_back_was_lost_the_last_time_it_left() -> None:
    said = (
        u("mend the parser"),
        a("one"),
        u("x"),
        a("two"),
        u("y"),
        a("three"),
        u("z"),
        a("four"),
        u("v"),
        a("five"),
    )
    found = of(*said)
    (result,) = asked(found, sights(found.course, [[0], [], [0], [0], []]))
    lost = [one.loss for one in result.answers if one.probe.kind == "goal" and one.loss]
    assert [(one.call, one.left) for one in lost] == [(4, ("user: mend the parser",))]


# untrue


def untrue(said: Sequence[Said], packet: str, shown: Sequence[int] = ()) -> tuple[str, ...]:
    """What a packet states that does not hold, at the last call, beside these messages."""
    padded = (*said, u("go on"), a("fine"))
    fill = (u("start"), a("ok")) * 4
    found = of(*fill, *padded)
    calls = len(found.course.asked)
    lists = [list[int]()] * (calls - 1) + [[len(fill) + place for place in shown]]
    (result,) = asked(found, sights(found.course, lists, [""] * (calls - 1) + [packet]))
    assert found.points[-1].call == calls - 1
    return result.untrue[-1]


RUN = call("bash", command="npm run test")
FAILED = (a(RUN), err("1 failed"))
WORKED = (a(RUN), r("7 passed"))
FILTER = "cd /w && npm run test 2>&1 | tail -3"
FILTERED = (a(call("bash", command=FILTER)), r("1 failed"))
TASK = a(call("TodoWrite", todos=[{"content": "mend the test", "status": "completed"}]))

UNTRUE: list[tuple[Sequence[Said], str, str]] = [
    (FAILED, "## Commands that worked\n- `npm run test`", "told as working, is failed: npm run test"),
    ((*FAILED, *WORKED), "## Blockers\n- `npm run test`: 1 failed", "told as failed, is working: npm run test"),
    (WORKED, "## Commands that worked\n- `npm run test`", ""),
    (FAILED, "## Blockers\n- `npm run test`", ""),
    (FILTERED, "## Commands that worked\n- `npm run test`", f"told as working, is failed: {FILTER}"),
    (FILTERED, "## Blockers\n- `npm run test`: 1 failed", ""),
    (FAILED, "## Left out\n- `npm run test`", ""),
    (FAILED, "## Left out\n- `npm run test`; `npm run lint` (ok)", ""),
    (
        (a(call("write", path="src/a.ts", content="x")), r("ok"), a(call("bash", command="rm src/a.ts")), r("")),
        "- changed src/a.ts",
        "told as changed, is deleted: src/a.ts",
    ),
    ((a(call("write", path="src/a.ts", content="x")), r("ok")), "- changed src/a.ts", ""),
    (
        (a(call("write", path="src/a.ts", content="x")), r("ok"), a(call("bash", command="rm src/a.ts")), r("")),
        "- changed src/a.ts, deleted since",
        "",
    ),
    ((TASK, r("ok")), "- [ ] mend the test", "told as open, is done: mend the test"),
    ((TASK, r("ok")), "- [x] mend the test", ""),
    ((TASK, r("ok")), "- [x] mend the test, on to the next", ""),
]


@pytest.mark.parametrize(("said", "packet", "statement"), UNTRUE)
def test_a_packet_that_states_what_does_not_hold(said: Sequence[Said], packet: str, statement: str) -> None:
    assert untrue(said, packet) == ((statement,) if statement else ())


@pytest.mark.parametrize("shown", [[0], [1], []])
def test_a_list_that_shows_the_newer_call_states_nothing_untrue(shown: list[int]) -> None:
    packet = "## Commands that worked\n- `npm run test`"
    assert bool(untrue(FAILED, packet, shown)) == (shown == [])


def test_a_list_without_stand_ins_states_nothing() -> None:
    found = of(*SESSION)
    (result,) = asked(found, controls.whole(found.course))
    assert set(result.untrue) == {()}


# points


@pytest.mark.parametrize(
    ("weights", "window", "compacted", "calls"),
    [
        ([], 100, (), ()),
        ([10_000, 20_000], 1_000_000, (), ()),
        ([10_000 * number for number in range(1, 12)], 1_000_000, (), (3, 4, 5, 6, 7, 8, 9, 10)),
        ([10_000 * number for number in range(1, 12)], 20_000, (), (0, 1, 3, 4, 5, 6, 7, 8, 9, 10)),
        ([1_000 * number for number in range(1, 111)], 1_000_000, (), (39, 49, 59, 69, 79, 89, 99, 109)),
        ([1_000, 2_000, 3_000, 4_000], 4_000, (), (1, 2, 3)),
        ([1_000, 2_000], 1_000_000, (1, 9), (1,)),
    ],
)
def test_points_are_even_then_by_the_window_then_where_the_host_compacted(
    weights: list[int], window: int, compacted: tuple[int, ...], calls: tuple[int, ...]
) -> None:
    assert points(weights, window, compacted) == calls


def test_a_recorded_compaction_is_a_point() -> None:
    found = examined(recording(*SESSION[:5], a("x"), compacted=[4]), 1_000_000, lambda raw: 1)
    assert [point.call for point in found.points] == [2]


# the summary that stands for a host's


def test_the_stub_copies_what_users_said_the_files_and_the_last_words() -> None:
    found = of(*SESSION).course
    write = Stub()
    first = write(found.items[:9], found.items[9:])
    assert "Please raise the limit of the parser" in first
    assert "<changed-files>\nsrc/parse.ts\n</changed-files>" in first
    assert "parseBlock stops at twenty" in first
    assert "no, that is wrong" in write(found.items[9:], ())  # what the first one stands for stays


def test_the_stub_keeps_the_opening_and_the_newest_of_many_requests() -> None:
    found = of(
        u("the opening " + "x " * 2_500), *(u(f"request {number} " + "y" * 900) for number in range(12)), a("z")
    )
    said = Stub()(found.course.items, ())
    assert "the opening" in said
    assert "request 11" in said
    assert "request 0" not in said
    assert said.count("x") > 1_900  # half of the room is the opening's
    assert len(said) < 9_000


def test_the_sawtooth_stands_on_a_stub() -> None:
    found = of(*SESSION)
    shown = controls.sawtooth(found.course, weigh)[-1].shown
    assert isinstance(shown[0], ProjectedMessage)
    assert shown[0].index == PACKET
    assert b"Please raise the limit" in shown[0].raw
    (result,) = asked(found, controls.sawtooth(found.course, weigh))
    assert figures.scores(result).kinds["goal"].every.share == 1
