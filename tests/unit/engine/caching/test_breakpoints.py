"""Where cache marks belong: held against a small model of a provider's cache."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.caching import breakpoints
from ctxmgr.model import IMPLICIT, CacheRule
from ctxmgr.model.prices import NO_CACHE
from tests.unit.engine.caching.provider import LIFETIME_MS, Host, Listed, told


def test_a_provider_without_marks_gets_none() -> None:
    for rule in (IMPLICIT, NO_CACHE, CacheRule()):
        host = Host(rule)
        host.call(told(1, 30))
        assert (host.indices, host.starts) == ((), ()), rule


def test_of_a_short_start_and_a_long_stay_behind_it_the_only_mark_to_spare_is_at_the_stay() -> None:
    host = Host()
    host.call(told(1, 2))
    host.call(told(1, 2, *[1] * 60))
    assert host.call((*told(1, 2, *[1] * 40), *told(30, name="other"))) == 0
    assert host.indices == (41, 42)
    assert host.call((*told(1, 2, *[1] * 40), *told(30, name="third"))) == 42
    three = Host(own=1)
    three.call(told(1, 2))
    three.call(told(1, 2, *[1] * 60))
    assert three.call((*told(1, 2, *[1] * 40), *told(30, name="other"))) == 2
    assert three.indices == (1, 41, 42)


SENT: list[tuple[Listed, int]] = [  # and when
    (told(1, 3, 12), 0),
    (told(1, 3, 12, 6, 12), 1),
    ((*told(1, 3), *told(9, 9, 9, name="b")), 2),
    ((*told(1, 3), *told(9, 9, 9, name="b"), *told(1, name="c")), 3),
    ((*told(1), *told(2, 2, name="d")), 4),
    ((*told(1), *told(2, 2, 25, name="d")), LIFETIME_MS + 5),
]
Answered = tuple[int, tuple[int, ...], list[tuple[int, int, bool]]]
FIRST: list[Answered] = [(0, (2,), [(3, 0, False)]), (3, (4,), [(3, 0, False), (5, 1, False)])]
JOINED: list[Answered] = [
    (0, (1, 4), [(2, 2, True), (5, 2, False)]),
    (5, (1, 5), [(2, 3, True), (5, 2, False), (6, 3, False)]),
    (0, (0, 2), [(1, 4, True), (3, 4, False)]),
]
LAST: list[Answered] = [(0, (3,), [(4, LIFETIME_MS + 5, False)])]


def test_what_is_read_marked_and_remembered() -> None:
    for own, expected in (
        (0, [*FIRST, *JOINED, *LAST]),
        (2, [*FIRST, *JOINED, *LAST]),
        (4, [(0, (), [])] * 6),
    ):
        host, found = Host(own=own), list[Answered]()
        for messages, time_ms in SENT:
            read = host.call(messages, time_ms)
            starts = [(start.message_count, start.time_ms or 0, start.is_join) for start in host.starts]
            found.append((read, host.indices, starts))
        assert found == expected, own


counts = st.lists(st.integers(0, 30), min_size=1, max_size=6)


class Change(msgspec.Struct, frozen=True):
    """The next list: `keep` of the last one's messages (as a share of 10), and these new ones; so much later."""

    keep: int
    new: list[int]
    later_ms: int


changes = st.lists(
    st.builds(
        Change,
        keep=st.one_of(st.just(10), st.integers(0, 10)),
        new=counts,
        later_ms=st.sampled_from((0, 1_000, LIFETIME_MS // 2, LIFETIME_MS, LIFETIME_MS + 1)),
    ),
    min_size=1,
    max_size=breakpoints.MOST_REMEMBERED // 2,
)


def lists(some: list[Change]) -> list[tuple[Listed, int]]:
    out: list[tuple[Listed, int]] = []
    last, time_ms = told(1), 0
    for number, one in enumerate(some):
        last = (*last[: len(last) * one.keep // 10], *told(*one.new, name=f"{number}."))
        time_ms += one.later_ms
        out.append((last, time_ms))
    return out


@given(changes, st.integers(0, 1))
def test_each_call_reads_the_longest_start_that_any_call_before_had_kept(some: list[Change], own: int) -> None:
    host = Host(own=own)
    for messages, time_ms in lists(some):
        could = host.provider.longest(messages, time_ms)
        assert host.call(messages, time_ms) == could


@given(changes, st.integers(0, 5))
def test_marks_are_ascending_on_messages_of_the_list_and_never_too_many(some: list[Change], own: int) -> None:
    host = Host(own=own)
    for messages, time_ms in lists(some):
        host.call(messages, time_ms)
        assert list(host.indices) == sorted(set(host.indices))
        assert len(host.indices) + own <= max(4, own)
        assert all(0 <= index < len(messages) and messages[index][1] for index in host.indices)
