"""Preparing a compaction, read as sessions: the cut, what is summarised, what is carried on, which files."""

from collections.abc import Sequence
from typing import Any

from ctxmgr.engine.compaction import prepare
from ctxmgr.engine.compaction.weighing import by_text
from ctxmgr.formats import pi
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model.compaction import BranchEntry, CompactionPlan, CutBudget, NothingToCompact
from tests.notation import Said, a, call, r, raws, u, words
from tests.unit.engine.trees import Node, compacted, left_behind, meta, omitted, path, prompt, texts

weigh = by_text(words, lambda one: 0, lambda view: 0)
Session = Sequence[Said | Node]


def as_pi(session: Session, keep: int) -> CompactionPlan | NothingToCompact:
    return prepare.decide(path(*session), CutBudget(keep, weigher="chars4"), weigh)


def by_words(session: Session, keep: int) -> CompactionPlan | NothingToCompact:
    return prepare.decide(path(*session), CutBudget(keep), weigh)


def prepared(found: CompactionPlan | NothingToCompact) -> CompactionPlan:
    assert isinstance(found, CompactionPlan), found
    return found


W40 = "w " * 20  # 40 characters: 10 tokens by pi's count, 20 words
USED = {"usage": {"input": 70, "output": 20, "cacheRead": 10, "cacheWrite": 0}}


READS: Session = (u(W40), a(call("read", path="x")), r(W40), a(W40), u(W40), a(W40))
FAILED = {"stopReason": "error"}

# session, keepRecentTokens, and what pi 0.87.1 itself prepares of it:
# (first kept, split, messages of history, of prefix, tokens before)
AS_PI: list[tuple[str, Session, int, Any]] = [
    ("nothing in it", (), 10, None),
    ("all fits", READS, 100, None),
    ("at a user message", READS, 20, ("e5", False, 4, 0, 54)),
    ("at an assistant's message: split", READS, 10, ("e6", True, 4, 1, 54)),
    ("an empty branch summary is nothing", (u(W40), a(W40), left_behind(""), a(W40)), 10, ("e3", True, 0, 2, 30)),
    ("results alone", (r(W40), r(W40)), 10, None),
    (
        "a reading and what came after it",
        (u(W40), a(W40), u(W40), a(W40, **USED), u(W40)),
        10,
        ("e5", False, 4, 0, 110),
    ),
    (
        "a reading that compaction outdated",
        (u(W40), a(W40, **USED), compacted("s", kept="e2"), u(W40), u(W40)),
        10,
        ("e5", False, 2, 0, 31),
    ),
    (
        "prompts are weighed as they add up",
        (prompt(W40, sections={"a": W40, "b": W40}), u(W40), prompt("", sections={"a": None}), u(W40)),
        10,
        ("e4", False, 1, 0, 40),
    ),
    (
        "an attempt that was taken back",
        (u(W40), a(W40), u(W40), a("x", **FAILED), omitted("e4")),
        10,
        ("e4", True, 2, 1, 30),
    ),
]


def test_as_pi_prepares_it() -> None:
    for name, session, keep, expected in AS_PI:
        found = as_pi(session, keep)
        if expected is None:
            assert isinstance(found, NothingToCompact), name
            continue
        one = prepared(found)
        assert (one.first_kept, one.split, len(one.history), len(one.prefix), one.tokens_before) == expected, name


REASONS: list[tuple[str, Session, int, NothingToCompact]] = [
    ("nothing in it", (), 10, prepare.EMPTY),
    ("prompts and settings alone", (prompt("be good"), meta()), 0, prepare.EMPTY),
    ("compacted a moment ago", (u("a"), a("b"), compacted("s", kept="e2")), 1, prepare.ALREADY),
    ("results alone", (r("a"), r("b")), 1, prepare.FILLED),
    ("one call, always open", (a(call("x", "c1")), u("q"), a("b"), r("x", to="c1")), 1, prepare.PARTED),
]


def test_why_there_is_nothing() -> None:
    for name, session, keep, reason in REASONS:
        assert by_words(session, keep) == reason, name


QUEUED = (u("go"), a("so"), u("on"), a("I ask", call("bash", "c1")), u("wait, also"), r("out", to="c1"), a("done"))


def test_a_cut_leaves_no_call_without_its_result() -> None:
    one = prepared(by_words(QUEUED, 4))
    assert texts(one.recent)[0] == "I ask bash"
    assert one.split
    assert texts(one.prefix) == ["on"]
    assert texts(prepared(as_pi(QUEUED, 4)).recent)[0] == "wait, also"  # pi parts them here


def test_a_call_open_since_the_start_cuts_after_its_result() -> None:
    session = (a(call("t", "c1")), u("one"), a("two"), r("at last", to="c1"), u("three"), a("four"))
    one = prepared(by_words(session, 4))
    assert texts(one.recent) == ["three", "four"]


def listed(said: Sequence[Said], ids: Sequence[str]) -> tuple[BranchEntry, ...]:
    return view_branch.from_messages(pi, raws(*said), ids)


TALK = (u("one"), a("two"), u("three"), a("four"), u("five"), a("six"))

IDS: list[tuple[str, str, str | None]] = [
    ("a later one, where there is none", "     f", "f"),
    ("the first alone keeps all", "a     ", None),
    ("none known, as without a tree", "      ", ""),
]


def test_the_kept_part_starts_with_an_entry_that_has_an_id() -> None:
    for name, ids, first in IDS:
        found = prepare.decide(listed(TALK, [id.strip() for id in ids]), CutBudget(2), weigh)
        if first is None:
            assert found == prepare.NAMELESS, name
        else:
            one = prepared(found)
            assert one.first_kept == first, name
            assert texts(one.history) + texts(one.prefix) + texts(one.recent) == texts(
                [m for e in listed(TALK, ids) for m in e.messages]
            ), name


def with_files(*paths: str, **more: Any) -> dict[str, Any]:
    return {"details": {"readFiles": list(paths), "modifiedFiles": [f"{path}!" for path in paths], **more}}


def test_an_extensions_details_count_when_they_are_ours() -> None:
    for more, known in (({}, ()),):
        for weigher in ("tokens", "chars4"):
            session = (u("a"), compacted("s", kept="e1", fromHook=True, **with_files("f", **more)), u("b"), a("c"))
            one = prepared(prepare.decide(path(*session), CutBudget(1, weigher=weigher), weigh))
            assert one.files.read == known, (more, weigher)
