"""Preparing a compaction, read as sessions: the cut, what is summarised, what is carried on, which files."""

from typing import Any

import pytest

from ctxmgr.engine.compaction import prepare
from ctxmgr.model.compaction import NothingToCompact
from tests.notation import Said, a, call, r, sh, u
from tests.unit.engine.compaction.preparing import Session, as_pi, by_words, prepared
from tests.unit.engine.trees import compacted, left_behind, meta, omitted, prompt, texts

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
    ("after a result: the next place", READS, 35, ("e4", True, 0, 3, 54)),
    (
        "a trailing result: back to its call",
        (u(W40), a(call("read", path="x")), r(W40 * 9)),
        20,
        ("e2", True, 0, 1, 104),
    ),
    ("one message fills it", (u(W40 * 9),), 20, None),
    ("ends with a compaction", (*READS, compacted("s", kept="e5")), 10, None),
    ("a run starts a turn", (u(W40), a(W40), sh("ls", W40), a(W40)), 10, ("e4", True, 2, 1, 41)),
    ("an empty branch summary is nothing", (u(W40), a(W40), left_behind(""), a(W40)), 10, ("e3", True, 0, 2, 30)),
    ("no turn to split", (a(W40), a(W40), a(W40)), 10, ("e3", False, 2, 0, 30)),
    ("results alone", (r(W40), r(W40)), 10, None),
    ("a second compaction", (*READS, compacted("s", kept="e4"), u(W40), a(W40)), 25, ("e6", True, 1, 1, 51)),
    ("the summary is the cut's wall", (*READS, compacted("s", kept="e4"), a(W40)), 25, ("e5", False, 1, 0, 41)),
    ("what is kept was lost", (*READS, compacted("s", kept="gone"), u(W40), a(W40)), 10, ("e9", True, 0, 1, 21)),
    (
        "a reading and what came after it",
        (u(W40), a(W40), u(W40), a(W40, **USED), u(W40)),
        10,
        ("e5", False, 4, 0, 110),
    ),
    ("a reading of a failed call", (u(W40), a(W40, **USED, **FAILED), u(W40)), 10, ("e3", False, 2, 0, 30)),
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
    ("an omission is no cut", (u(W40), a(W40), u(W40), a(W40), omitted("e3"), u(W40)), 15, ("e3", True, 0, 2, 40)),
    (
        "an attempt that was taken back",
        (u(W40), a(W40), u(W40), a("x", **FAILED), omitted("e4")),
        10,
        ("e4", True, 2, 1, 30),
    ),
    (
        "an image is 1,200",
        (u(W40), a(W40), Said({"role": "user", "content": [{"type": "image"}]}), a(W40)),
        900,
        ("e3", False, 2, 0, 1230),
    ),
]


@pytest.mark.parametrize(("name", "session", "keep", "expected"), AS_PI, ids=[row[0] for row in AS_PI])
def test_as_pi_prepares_it(name: str, session: Session, keep: int, expected: Any) -> None:
    found = as_pi(session, keep)
    if expected is None:
        assert isinstance(found, NothingToCompact)
        return
    one = prepared(found)
    assert (one.first_kept, one.split, len(one.history), len(one.prefix), one.tokens_before) == expected


REASONS: list[tuple[str, Session, int, NothingToCompact]] = [
    ("nothing in it", (), 10, prepare.EMPTY),
    ("prompts and settings alone", (prompt("be good"), meta()), 0, prepare.EMPTY),
    ("compacted a moment ago", (u("a"), a("b"), compacted("s", kept="e2")), 1, prepare.ALREADY),
    ("all of it is to be kept", (u("a"), a("b"), u("c")), 3, prepare.SMALL),
    ("far from full", (u("a"), a("b"), u("c")), 100, prepare.SMALL),
    ("one message fills everything", (u("w " * 50), a("b")), 20, prepare.FILLED),
    ("results alone", (r("a"), r("b")), 1, prepare.FILLED),
    ("one call, always open", (a(call("x", "c1")), u("q"), a("b"), r("x", to="c1")), 1, prepare.PARTED),
]


@pytest.mark.parametrize(("name", "session", "keep", "reason"), REASONS, ids=[row[0] for row in REASONS])
def test_why_there_is_nothing(name: str, session: Session, keep: int, reason: NothingToCompact) -> None:
    assert by_words(session, keep) == reason


def test_what_compaction_1_kept_is_not_lost_at_compaction_2() -> None:
    before = (u("old"), a("older"), u("kept by the first"), a("kept too"))
    one = prepared(by_words((*before, compacted("first", kept="e3"), u("new"), a("newest")), 2))
    assert texts(one.history) == ["kept by the first", "kept too"]
    assert one.previous == "first"
    assert texts(one.recent) == ["new", "newest"]


def test_a_split_turn_without_new_history_carries_the_previous_summary() -> None:
    session = (u("old"), a("b"), compacted("first", kept="e4"), u("now this"), a("one"), a("two " * 9))
    one = prepared(by_words(session, 9))
    assert one.split
    assert one.history == ()
    assert texts(one.prefix) == ["now this", "one"]
    assert one.previous == "first"
