"""What a branch summary is written of: the ancestor, the budget, what pi leaves out, and broken trees."""

from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.compaction import branch
from ctxmgr.engine.compaction.weighing import by_text
from ctxmgr.formats.pi_tree import branch as pi_branch
from ctxmgr.model.compaction import BranchSummaryPlan, FileLists
from tests.notation import Said, a, call, err, r, u, words
from tests.unit.engine.trees import Node, compacted, left_behind, omitted, path, texts

weigh = by_text(words, lambda one: 0, lambda view: 0)
Session = Sequence[Said | Node]


def left(session: Session, budget: int = 0, weigher: Any = "tokens", since: int = 1) -> BranchSummaryPlan:
    """Leaving a session for its entry number `since`."""
    old = path(*session)
    return branch.prepare(old, old[:since], budget, weigh, weigher)


def grown(edges: Sequence[tuple[str, str | None]]) -> list[bytes]:
    said = {"role": "user", "content": "w"}
    return [msgspec.json.encode({"id": i, "parentId": p, "type": "message", "message": said}) for i, p in edges]


FORK = grown([("a", None), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "b"), ("f", "e"), ("z", None)])

MOVES: list[tuple[str, str, str, str | None, str]] = [
    ("to another branch", "d", "f", "b", "cd"),
    ("to where it is", "d", "d", "d", ""),
    ("onward", "b", "d", "b", ""),
]


def test_what_is_left() -> None:
    for name, old, target, ancestor, ids in MOVES:
        found = branch.prepare(pi_branch.branch(FORK, old), pi_branch.branch(FORK, target), 0, weigh)
        assert (found.ancestor, "".join(found.entries)) == (ancestor, ids), name


WORK: Session = (
    u("go"),
    u("one two"),
    a("three", call("read", path="x")),
    r("first line\nsecond line"),
    a("four", call("bash")),
    err("it broke here"),
    u("five"),
)


BUDGETS: list[tuple[str, int, list[str], list[str], int]] = [
    ("the newest", 1, ["five"], ["one two", "three read", "four bash"], 1),
    ("then first lines", 14, ["one two", "three read", "first line", "four bash", "it broke here", "five"], [], 14),
    ("no result of what is left out", 6, ["four bash", "five"], ["one two", "three read"], 4),
]


def test_the_newest_fits_first() -> None:
    for name, budget, taken, missing, weight in BUDGETS:
        found = left(WORK, budget)
        assert (texts(found.messages), texts(found.left_out), found.weight) == (taken, missing, weight), name


def test_a_summary_is_taken_though_it_does_not_fit() -> None:
    session = (u("go"), u("lost"), left_behind("w " * 20), u("w " * 8))
    assert len(left(session, 10).messages) == 2  # 8 of 10 are used
    assert len(left((*session, u("w")), 10).messages) == 2  # 9 of 10 are
    assert texts(left(session, 10).left_out) == ["lost"]


def test_edits_count_here_and_not_in_pi() -> None:
    session = (u("go"), a("secret"), omitted("e2"), u("on"))
    assert texts(left(session).messages) == ["on"]
    assert texts(left(session, weigher="chars4").messages) == ["secret", "on"]


def files_of(path: str, **more: Any) -> dict[str, Any]:
    return {"details": {"readFiles": [path], **more}}


def test_files_of_the_whole_branch() -> None:
    session = (
        u("go"),
        a(call("edit", path="e")),
        compacted("c", kept="e2", **files_of("c")),
        left_behind("b", **files_of("b")),
        left_behind("h", fromHook=True, **files_of("h")),
        left_behind("o", fromHook=True, **files_of("o", ctxmgr={})),
        u("w " * 50),
        u("w"),
    )
    assert left(session, 5).files == FileLists(read=("c", "b", "o"), edited=("e",))
    assert left(session, 5, "chars4").files == FileLists(read=("b", "o"))  # the call was never looked at


def test_a_long_error_is_shortened() -> None:
    found = left((u("go"), a(call("t")), err("x" * 5_000)))
    assert 600 < len(found.messages[-1].content.text or "") < 700


names = st.sampled_from("abcdef")


@given(st.lists(st.tuples(names, st.none() | names), max_size=12), names, names, st.integers(0, 5))
def test_any_tree_gives_what_lies_between(
    edges: list[tuple[str, str | None]], old: str, target: str, budget: int
) -> None:
    raws = grown(edges)
    left_path, gone_to = pi_branch.branch(raws, old), pi_branch.branch(raws, target)
    found = branch.prepare(left_path, gone_to, budget, weigh)
    ids = [entry.id for entry in left_path]
    after = ids.index(found.ancestor) + 1 if found.ancestor else 0
    assert list(found.entries) == ids[after:]
    on_target: set[str] = {entry.id for entry in gone_to}
    assert not on_target & set(found.entries) or not found.ancestor
    assert not budget or found.weight <= budget
    assert len(found.messages) + len(found.left_out) == len(found.entries)
