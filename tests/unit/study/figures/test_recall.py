"""Reference recall: small conversations with known answers; a count that follows the list equals a fresh one."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.study.figures.recall import NamePresence, recall
from ctxmgr.study.observations import Observation, ProjectedMessage, Ratio
from tests.notation import Said, a, call, r, summary, think, u
from tests.unit.study.sighted import Show, changed, known, newest, packed, sights, whole

TALK = (u("fix src/a.ts"), a(call("read", path="src/a.ts")), r("export myName"), a("see myName in src/a.ts"))


def last(*said: Said, show: Show = whole, far: int = 1_000) -> tuple[tuple[int, int], ...]:
    """(held, asked) of the last call: overall, in place, unpacked, far, far in place."""
    found = recall(sights(*said, show=show), known(), far)[-1]
    shares = (found.overall, found.in_place, found.unpacked, found.far, found.far_in_place)
    return tuple((one.part, one.total) for one in shares)


def test_what_is_held_of_two_names() -> None:
    for case, show, overall, in_place, unpacked in (
        ("all is there", whole, 2, 2, 2),
        ("the result alone", newest(1), 1, 1, 1),
        ("nothing", newest(0), 0, 0, 0),
        ("the packet names one", newest(1, packed("src/a.ts")), 2, 1, 1),
        ("the packet names both", newest(0, packed("src/a.ts myName")), 2, 0, 0),
        ("shortened", lambda items: changed(2, *TALK[:2], r("myName"))(whole(items)), 2, 1, 2),
        ("pruned", lambda items: changed(2, *TALK[:2], r("gone"))(whole(items)), 1, 1, 1),
    ):
        assert last(*TALK, show=show)[:3] == ((overall, 2), (in_place, 2), (unpacked, 2)), case


def test_only_what_had_occurred_is_asked_for_and_once_a_call() -> None:
    said = (u("see a.py"), a("a.py and a.py, not newName or b.py"))
    assert last(*said)[0] == (1, 1)
    assert last(u("see it"), a("a.py"))[0] == (0, 0)


def test_text_thinking_and_strings_of_arguments_ask() -> None:
    said = (
        u("a.py b.py c.py d.py e_f_g"),
        a(think("a.py"), "b.py", call("edit", edits=[{"new": ["c.py"]}], e_f_g=1)),
    )
    assert last(*said)[0] == (3, 3)


def test_the_hosts_summary_holds_but_not_in_place() -> None:
    said = (u("see a.py"), a("ok"))
    first, *_ = sights(*said)
    after = sights(summary("a.py"), u("go"), a("a.py"))[0]
    found = recall([first, after], known())[-1]
    assert found.overall == Ratio(1, 1)
    assert found.unpacked == Ratio(1, 1)
    assert found.in_place == Ratio(0, 1)


def test_far_is_by_the_weight_since_it_was_last_said() -> None:
    for between, asked in ((9, 0), (10, 0), (11, 1), (30, 1)):
        said = (u("see a.py"), a("ok"), u("w " * (between - 1)), a("a.py"))
        found = last(*said, far=10)
        assert found[3] == (asked, asked), between
        assert last(*said, show=newest(1), far=10)[3] == (0, asked), between
        assert last(*said, show=newest(1, packed("a.py")), far=10)[3:] == ((asked, asked), (0, asked)), between


NAMES = {raw: frozenset(some) for raw, some in ((b"x", ("a", "b")), (b"y", ("b", "c")), (b"z", ()), (b"w", ("a",)))}
LISTS = st.lists(
    st.lists(st.tuples(st.sampled_from(sorted(NAMES)), st.sampled_from((-1, 0, 1)), st.booleans()), max_size=8),
    max_size=8,
)


@given(LISTS)
def test_the_count_that_follows_equals_a_fresh_one(lists: list[list[tuple[bytes, int, bool]]]) -> None:
    (base,) = sights(summary("old"), u("go"), a("ok"))
    followed = NamePresence(NAMES.__getitem__)
    for some in lists:
        sight = Observation(None, base.items, tuple(ProjectedMessage(*one) for one in some), base.reply)
        followed.follow(sight)
        placed: Counter[str] = Counter(name for raw, at, same in some if same and at == 1 for name in NAMES[raw])
        others: Counter[str] = Counter(name for raw, at, _ in some if at >= 0 for name in NAMES[raw])
        every: Counter[str] = Counter(name for raw, _, _ in some for name in NAMES[raw])
        for name in "abc":
            assert followed.in_place(name) == (placed[name] > 0)
            assert followed.unpacked(name) == (others[name] > 0)
            assert followed.anywhere(name) == (every[name] > 0)
