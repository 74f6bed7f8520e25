"""Where the kept part starts: with no call apart from its result, at an entry that has an id."""

from collections.abc import Sequence

import pytest

from ctxmgr.engine.compaction import prepare
from ctxmgr.formats import pi
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model.compaction import BranchEntry, CutBudget
from tests.notation import Said, a, call, r, raws, summary, u
from tests.unit.engine.compaction.preparing import as_pi, by_words, prepared, weigh
from tests.unit.engine.trees import texts

QUEUED = (u("go"), a("so"), u("on"), a("I ask", call("bash", "c1")), u("wait, also"), r("out", to="c1"), a("done"))


def test_a_cut_leaves_no_call_without_its_result() -> None:
    one = prepared(by_words(QUEUED, 4))
    assert texts(one.recent)[0] == "I ask bash"
    assert one.split
    assert texts(one.prefix) == ["on"]
    assert texts(prepared(as_pi(QUEUED, 4)).recent)[0] == "wait, also"  # pi parts them here


def test_an_id_that_is_used_again_belongs_to_its_latest_call() -> None:
    session = (u("go"), a(call("t", "c1")), r("1", to="c1"), a(call("t", "c1")), r("2", to="c1"), a("end"))
    assert prepared(by_words(session, 3)).first_kept == "e4"


def test_a_call_open_since_the_start_cuts_after_its_result() -> None:
    """Back would leave nothing to summarise: a session with one long job would never be compacted."""
    session = (a(call("t", "c1")), u("one"), a("two"), r("at last", to="c1"), u("three"), a("four"))
    one = prepared(by_words(session, 4))
    assert texts(one.recent) == ["three", "four"]


def listed(said: Sequence[Said], ids: Sequence[str]) -> tuple[BranchEntry, ...]:
    return view_branch.from_messages(pi, raws(*said), ids)


TALK = (u("one"), a("two"), u("three"), a("four"), u("five"), a("six"))

IDS: list[tuple[str, str, str | None]] = [
    ("all known", "abcdef", "e"),
    ("the nearest earlier one", "abcd  ", "d"),
    ("an earlier one", "ab    ", "b"),
    ("a later one, where there is none", "     f", "f"),
    ("the first alone keeps all", "a     ", None),
    ("none known, as without a tree", "      ", ""),
]


@pytest.mark.parametrize(("name", "ids", "first"), IDS, ids=[row[0] for row in IDS])
def test_the_kept_part_starts_with_an_entry_that_has_an_id(name: str, ids: str, first: str | None) -> None:
    found = prepare.decide(listed(TALK, [id.strip() for id in ids]), CutBudget(2), weigh)
    if first is None:
        assert found == prepare.NAMELESS
    else:
        one = prepared(found)
        assert one.first_kept == first
        assert texts(one.history) + texts(one.prefix) + texts(one.recent) == texts(
            [m for e in listed(TALK, ids) for m in e.messages]
        )


def test_pi_takes_no_entry_without_an_id() -> None:
    found = prepare.decide(listed(TALK, ["a", "b", "c", "d", "", "f"]), CutBudget(2, weigher="chars4"), weigh)
    assert found == prepare.NAMELESS


def test_a_list_that_starts_with_a_summary_carries_it_on() -> None:
    said = (summary("so far\n\n<read-files>\nx\n</read-files>"), u("one"), a("two"), u("three"))
    one = prepared(prepare.decide(listed(said, "abcd"), CutBudget(1), weigh))
    assert one.previous == "so far\n\n<read-files>\nx\n</read-files>"
    assert one.files.read == ("x",)
    assert texts(one.history) == ["one", "two"]


def test_a_summary_within_a_list_is_a_message() -> None:
    one = prepared(prepare.decide(listed((u("one"), summary("s"), u("two")), "abc"), CutBudget(1), weigh))
    assert one.previous is None
    assert len(one.history) == 2
