"""Sights: what two lists have in common, what stands for others, and what was said since the call before."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.study.driving.host import ObservationRecorder
from ctxmgr.study.driving.matching import MatchedMessage
from ctxmgr.study.driving.outcomes import ReplayResult
from ctxmgr.study.observations import (
    Observation,
    ProjectedMessage,
    in_place,
    new_messages,
    same_start,
    stands_for_others,
)
from ctxmgr.study.recordings.pi_host import item
from tests.notation import a, call, r, raws, summary, u
from tests.unit.study.sighted import packed, sights, whole

TALK = (u("one"), a(call("read", path="x")), r("text"), a("two"), u("three"), a("four"))


def test_messages_are_new_once_and_in_their_order() -> None:
    seen = sights(*TALK)
    came = [[message.role for message in some] for some in new_messages(seen)]
    assert came == [["user"], ["assistant", "toolResult"], ["assistant", "user"]]
    assert [message for some in new_messages(seen) for message in some] == list(seen[-1].items)


def test_what_the_host_compacted_away_is_still_what_was_said() -> None:
    first, second, third = sights(*TALK)
    stands = item("s", raws(summary("one, two"))[0])
    later = Observation(None, (stands, *third.items[3:]), (), third.reply)
    came = [[message.id for message in some] for some in new_messages([first, second, later])]
    assert came == [["0"], ["1", "2"], ["3", "4"]]
    gone_at_once = Observation(None, (stands, third.items[4]), (), third.reply)  # the reply went with the rest
    assert [message.id for message in list(new_messages([first, second, gone_at_once]))[2]] == ["3", "4"]


def test_a_packet_and_a_summary_stand_for_others() -> None:
    (sight,) = sights(summary("old"), u("go"), a("done"))
    placed = [
        (stands_for_others(sight, part), in_place(sight, part)) for part in (packed("p"), *sight.projected_messages)
    ]
    assert placed == [(True, False), (True, False), (False, True)]
    shortened = ProjectedMessage(sight.projected_messages[1].raw, 1, False)
    assert (stands_for_others(sight, shortened), in_place(sight, shortened)) == (False, False)


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_a_common_start_is_the_longest_one(left: list[str], right: list[str]) -> None:
    before, now = ([ProjectedMessage(text.encode(), 0, True) for text in some] for some in (left, right))
    count = same_start(before, now)
    assert left[:count] == right[:count]
    assert left[: count + 1] != right[: count + 1] or count == min(len(left), len(right))


def test_a_watch_keeps_what_was_answered_and_replied_to() -> None:
    outcome = ReplayResult("f", "turns", 1)
    watch = ObservationRecorder(outcome.observations)
    first, second = sights(u("one"), a("two"), u("three"), a("four"))
    watch.replied(first.reply)  # to nothing
    for number, sight in enumerate((first, second)):
        watch.called(
            number,
            sight.items,
            [MatchedMessage(index, kept) for index, kept in enumerate(sight.items)],
            epoch=number,
        )
        watch.replied(sight.reply)
        watch.replied(sight.reply)  # to nothing again
        watch.compacted()
    assert [sight.projected_messages for sight in outcome.observations] == [
        tuple(whole(first.items)),
        tuple(whole(second.items)),
    ]
    assert [(sight.time_ms, sight.epoch_number, sight.own, sight.reply) for sight in outcome.observations] == [
        (0, 0, 0, first.reply),
        (1, 1, 1, second.reply),
    ]
    assert outcome.observations[0].projected_messages[0] is outcome.observations[1].projected_messages[0]
    watch.called(2, first.items, [MatchedMessage(None, item("", packed("p").raw), same=False)], epoch=2)
    watch.replied(first.reply)
    watch.called(3, (), [], epoch=2)
    watch.replied(first.reply)
    assert [(sight.projected_messages, sight.own) for sight in outcome.observations[2:]] == [
        ((packed("p"),), 1),
        ((), 0),
    ]
