"""Lists are asked at the same calls, graded, and what they lost is told with the call that lost it; controls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.study.observations import timeline
from ctxmgr.study.probes import Stub, controls, figures
from ctxmgr.study.probes.grading import PolicyGrades
from ctxmgr.study.probes.session import examined, points
from tests.notation import Said, a, call, r, u
from tests.unit.study.probes.asked import SESSION, WEIGHT, asked, of, recording, sights, weigh


def means(of: PolicyGrades) -> set[float]:
    return {one.grade for one in of.answers}


def test_the_whole_list_answers_all_and_the_empty_list_nothing() -> None:
    found = of(*SESSION)
    everything, nothing = asked(found, timeline.whole(found.course), controls.empty(found.course))
    assert {one.probe.kind for one in everything.answers} == {*figures.KINDS} - {"files.read", "instructions"}
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


@given(TURNS)
def test_of_any_conversation_the_whole_list_answers_all_and_the_empty_list_nothing(
    turns: list[Said | list[Said]],
) -> None:
    said = [one for turn in turns for one in (turn if isinstance(turn, list) else [turn])]
    found = of(*[u("go")] * 6, *said, a("done"))
    everything, nothing = asked(found, timeline.whole(found.course), controls.empty(found.course))
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
    last = [one for one in newest.answers if one.call_index == len(found.course.asked) - 1]
    assert {one.grade for one in last if one.probe.kind == "goal"} == {0.0}
    assert {one.grade for one in last if one.probe.kind == "commits"} == {1.0}


FIVE = (
    u("mend the parser"),
    a("one"),
    *(one for text in ("x", "y", "z", "v") for one in (u(text), a(f"re {text}"))),
)


def test_a_failed_probe_names_the_call_that_lost_it_and_what_left() -> None:
    found = of(*FIVE)
    lists = sights(found.course, [[0], [0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8]])
    (result,) = asked(found, lists)
    goal = next(one for one in result.answers if one.probe.kind == "goal")
    assert goal.grade == 0
    assert goal.loss is not None
    assert (goal.loss.call_index, goal.loss.epoch_number, goal.loss.after_compaction) == (2, 2, True)
    assert goal.loss.holders == ("user: mend the parser",)
    told = figures.failures(result)[0]
    assert told["question"] == "What was asked for at the start?"
    assert told["evidence"] == "mend the parser"
    assert told["lost"] == {"call": 2, "epoch": 2, "compacted": True, "left": ["user: mend the parser"]}


def test_what_never_stood_in_a_list_was_lost_nowhere() -> None:
    found = of(*SESSION)
    (result,) = asked(found, controls.empty(found.course))
    assert {one.loss.call_index for one in result.answers if one.loss} == {-1}


def test_what_came_back_was_lost_the_last_time_it_left() -> None:
    found = of(*FIVE)
    (result,) = asked(found, sights(found.course, [[0], [], [0], [0], []]))
    lost = [one.loss for one in result.answers if one.probe.kind == "goal" and one.loss]
    assert [(one.call_index, one.holders) for one in lost] == [(4, ("user: mend the parser",))]


# points, and the summary that copies


def test_points_are_even_then_by_the_window_then_where_the_host_compacted() -> None:
    for weights, window, compacted, calls in (
        ([], 100, (), ()),
        ([10_000, 20_000], 1_000_000, (), ()),
        ([10_000 * number for number in range(1, 12)], 1_000_000, (), (3, 4, 5, 6, 7, 8, 9, 10)),
        ([10_000 * number for number in range(1, 12)], 20_000, (), (0, 1, 3, 4, 5, 6, 7, 8, 9, 10)),
        ([1_000 * number for number in range(1, 111)], 1_000_000, (), (39, 49, 59, 69, 79, 89, 99, 109)),
        ([1_000, 2_000, 3_000, 4_000], 4_000, (), (1, 2, 3)),
        ([1_000, 2_000], 1_000_000, (1, 9), (1,)),
    ):
        assert points(weights, window, compacted) == calls  # type: ignore[arg-type]


def test_a_recorded_compaction_is_a_point() -> None:
    found = examined(recording(*SESSION[:5], a("x"), compacted=[4]), 1_000_000, lambda raw: 1)
    assert [point.end for point in found.points] == [5]


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
