"""Lists are asked at the same calls, graded, and what they lost is told with the call that lost it."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.study.probes import Stub, figures, probing, timeline
from ctxmgr.study.probes.kinds import examined, points
from tests.notation import Said, a, call, r, u
from tests.unit.study.probes.asked import SESSION, WEIGHT, asked, empty, of, recording, sights, weigh

SAID = """the parser must never stop because TypeError in src/a.ts #451 v1.2.3 was wrong? Let me mend it. 'quoted'
**x** - `npm run test` I'll use A_B instead of c.d <tag>b</tag> don\u2019t [x] [ ] changed: now root cause"""
WORDS = st.sampled_from([*SAID.split(), "\n", "```\ncode\n```"])
TEXTS = st.lists(WORDS, min_size=1, max_size=25).map(" ".join)
TURNS = st.lists(
    st.one_of(
        TEXTS.map(u),
        TEXTS.map(a),
        st.tuples(TEXTS, st.sampled_from(["src/a.ts", "b/a.ts", "/w/c d.py"])).map(
            lambda drawn: [a(call("edit", path=drawn[1], newText=drawn[0])), r("ok")]
        ),
        st.tuples(TEXTS, TEXTS, st.booleans()).map(
            lambda drawn: [a(call("bash", command=drawn[0])), r(drawn[1], is_error=drawn[2])]
        ),
        TEXTS.map(lambda text: [a(call("TodoWrite", todos=[{"content": text, "status": "pending"}])), r("ok")]),
    ),
    max_size=14,
)


@given(TURNS)
def test_of_any_conversation_the_whole_list_answers_all_and_the_empty_list_nothing(
    turns: list[Said | list[Said]],
) -> None:
    said = [answer for turn in turns for answer in (turn if isinstance(turn, list) else [turn])]
    examined_session = of(*[u("go")] * 6, *said, a("done"))
    everything, nothing = asked(
        examined_session, timeline.whole(examined_session.course), empty(examined_session.course)
    )
    assert [answer for answer in everything.answers if answer.grade < 1 - 1e-9] == []
    assert [answer for answer in nothing.answers if answer.grade > 0] == []


def test_the_newest_tokens_answer_what_is_new() -> None:
    examined_session = of(*SESSION)
    (newest,) = asked(examined_session, probing.newest(examined_session.course, weigh, 4 * WEIGHT))
    last = [answer for answer in newest.answers if answer.call_index == len(examined_session.course.calls) - 1]
    assert {answer.grade for answer in last if answer.probe.kind == "goal"} == {0.0}
    assert {answer.grade for answer in last if answer.probe.kind == "commits"} == {1.0}


FIVE = (
    u("mend the parser"),
    a("one"),
    *(drawn for text in ("x", "y", "z", "v") for drawn in (u(text), a(f"re {text}"))),
)


def test_a_failed_probe_names_the_call_that_lost_it_and_what_left() -> None:
    examined_session = of(*FIVE)
    lists = sights(examined_session.course, [[0], [0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8]])
    (result,) = asked(examined_session, lists)
    goal = next(answer for answer in result.answers if answer.probe.kind == "goal")
    assert goal.grade == 0
    assert goal.loss is not None
    assert (goal.loss.call_index, goal.loss.epoch_number, goal.loss.after_compaction) == (2, 2, True)
    assert goal.loss.holders == ("user: mend the parser",)
    told = figures.failures(result)[0]
    assert told["question"] == "What was asked for at the start?"
    assert told["evidence"] == "mend the parser"
    assert told["lost"] == {"call": 2, "epoch": 2, "compacted": True, "left": ("user: mend the parser",)}


def test_what_never_stood_in_a_list_was_lost_nowhere() -> None:
    examined_session = of(*SESSION)
    (result,) = asked(examined_session, empty(examined_session.course))
    assert {answer.loss.call_index for answer in result.answers if answer.loss} == {-1}


def test_what_came_back_was_lost_the_last_time_it_left() -> None:
    examined_session = of(*FIVE)
    (result,) = asked(examined_session, sights(examined_session.course, [[0], [], [0], [0], []]))
    lost = [answer.loss for answer in result.answers if answer.probe.kind == "goal" and answer.loss]
    assert [(answer.call_index, answer.holders) for answer in lost] == [(4, ("user: mend the parser",))]


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
    examined_session = examined(recording(*SESSION[:5], a("x"), compacted=[4]), 1_000_000, lambda raw: 1)
    assert [point.end for point in examined_session.points] == [5]


def test_the_stub_copies_what_users_said_the_files_and_the_last_words() -> None:
    examined_session = of(*SESSION).course
    write = Stub()
    first = write(examined_session.items[:9], examined_session.items[9:])
    assert "Please raise the limit of the parser" in first
    assert "<changed-files>\nsrc/parse.ts\n</changed-files>" in first
    assert "parseBlock stops at twenty" in first
    assert "no, that is wrong" in write(examined_session.items[9:], ())  # what the first one stands for stays


def test_the_stub_keeps_the_opening_and_the_newest_of_many_requests() -> None:
    examined_session = of(
        u("the opening " + "x " * 2_500), *(u(f"request {number} " + "y" * 900) for number in range(12)), a("z")
    )
    said = Stub()(examined_session.course.items, ())
    assert "the opening" in said
    assert "request 11" in said
    assert "request 0" not in said
    assert said.count("x") > 1_900  # half of the room is the opening's
    assert len(said) < 9_000
