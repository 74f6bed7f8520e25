"""A host's preparation becomes ours, or is refused by its path; ours is shown as a host reads it."""

from typing import Any

import msgspec
import pytest

from ctxmgr.formats import FORMATS
from ctxmgr.formats.pi_tree import branch
from ctxmgr.model.api import compaction as wire
from ctxmgr.model.api import lifecycle
from ctxmgr.model.compaction import BranchEntry, CompactionPlan, CutBudget, FileLists
from ctxmgr.model.errors import InvalidParams
from ctxmgr.model.saved.state import ModelSpec, State
from ctxmgr.session.compaction import compact, job_context
from ctxmgr.session.compaction.job_context import JobContext
from ctxmgr.session.prefetch import PrefetchedCompaction
from ctxmgr.session.reading import Reader
from ctxmgr.session.session import SessionCore
from tests import notation
from tests.contract.tree import Tree

Fields = dict[str, Any]
LONG = "words and more words " * 60  # about 300 tokens


def u(text: str) -> Fields:
    return notation.u(text).fields


def a(text: str) -> Fields:
    return notation.a(text).fields


def seen() -> JobContext:
    form = FORMATS["pi"]
    reader = Reader(form)
    policy = {"compaction": {"keepRecentTokens": 100, "reserveTokens": 1_000}}
    session = SessionCore(State("s", ModelSpec("m", 50_000)), form, policy, lifecycle.HostCapabilities(), reader)
    return job_context.take(session, None, None)


def read(raw: bytes) -> CompactionPlan:
    return compact.from_host(compact.decoded(msgspec.Raw(raw), wire.HostPreparation), seen())


def given(**fields: Any) -> CompactionPlan:
    return read(msgspec.json.encode({"firstKeptEntryId": "e9", **fields}))


def path(turns: int = 3) -> tuple[BranchEntry, ...]:
    tree = Tree()
    for number in range(turns):
        tree.say([u(f"question {number}"), a(f"answer {number} {LONG}")])
    return branch.branch([msgspec.json.encode(entry) for entry in tree.entries], None)


REFUSED = [
    (b"[]", ""),
    (b'"\\ud800"', ""),
    (b"{}", ".firstKeptEntryId"),
    (b'{"firstKeptEntryId":5}', ".firstKeptEntryId"),
    (b'{"firstKeptEntryId":"e","messagesToSummarize":{}}', ".messagesToSummarize"),
    (b'{"firstKeptEntryId":"e","settings":[]}', ".settings"),
    (b'{"firstKeptEntryId":"secret","isSplitTurn":"secret"}', ".isSplitTurn"),
]


@pytest.mark.parametrize(("raw", "under"), REFUSED)
def test_what_is_wrong_is_told_by_its_path(raw: bytes, under: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        read(raw)
    assert refused.value.data == {"path": f"$.preparation{under}"}
    assert "secret" not in refused.value.message
    assert "ValidationError" not in refused.value.message


FITS = [
    # first kept, leaf, ids on the path: still fits
    ("e1", "e4", 3, True),
    ("e1", None, 3, True),
    ("e1", "e9", 3, False),
    ("e9", "e4", 3, False),
    ("e9", "e9", 0, True),
]


@pytest.mark.parametrize(("first", "leaf", "turns", "fits"), FITS)
def test_written_ahead_it_fits_its_own_branch(first: str, leaf: str | None, turns: int, fits: bool) -> None:
    ahead = PrefetchedCompaction(wire.Compaction("summary", first, 1, {}), leaf)
    assert compact.still_fits(ahead, path(turns) if turns else ()) is fits


def test_hosts_preparation_is_taken() -> None:
    ours = given(
        messagesToSummarize=[u("one"), a("two")],
        turnPrefixMessages=[u("three")],
        isSplitTurn=True,
        tokensBefore=1234.0,
        previousSummary="before",
        fileOps={"read": ["a.py"], "written": ["b.py"], "edited": []},
        settings={"reserveTokens": 5, "keepRecentTokens": 6.0},
    )
    assert [message.content.text for message in (*ours.history, *ours.prefix)] == ["one", "two", "three"]
    assert (ours.first_kept, ours.split, ours.tokens_before, ours.previous) == ("e9", True, 1234, "before")
    assert ours.files == FileLists(("a.py",), ("b.py",), ())
    assert ours.settings == CutBudget(6, 5, "tokens")
