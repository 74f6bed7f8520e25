"""Preparing a compaction, read as sessions: the cut, what is summarised, what is carried on, which files."""

from collections.abc import Sequence
from typing import Any

import pytest

from ctxmgr.engine.compaction import files, prepare
from ctxmgr.engine.compaction.weighing import by_text
from ctxmgr.formats import pi
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model.compaction import BranchEntry, CompactionPlan, CutBudget, NothingToCompact
from tests.notation import Said, a, call, err, r, raws, sh, summary, u, words
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


# the kept part parts no call from its result, and starts at an entry that has an id


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


# the files of compactions, branches and extensions


def with_files(*paths: str, **more: Any) -> dict[str, Any]:
    return {"details": {"readFiles": list(paths), "modifiedFiles": [f"{path}!" for path in paths], **more}}


CHAIN = (
    u("a"),
    a(call("read", path="gone")),
    r("x"),
    compacted("1", kept="e5", **with_files("first")),
    u("b"),
    left_behind("left", **with_files("branch")),
    a(call("write", path="w")),
    r("x"),
    compacted("2", kept="e5", **with_files("second")),
    a(call("edit", path="z")),
    r("x"),
    left_behind("later", **with_files("kept")),
    a("end"),
)


def test_files_gather_over_all_compactions_and_branches_before_the_cut() -> None:
    one = prepared(by_words(CHAIN, 2))
    assert one.first_kept == "e12"
    assert one.files.read == ("first", "branch", "second")
    assert one.files.edited == ("first!", "branch!", "second!", "z")
    assert one.files.written == ("w",)


def test_pi_knows_the_newest_compactions_files() -> None:
    one = prepared(as_pi(CHAIN, 2))
    assert (one.files.read, one.files.edited, one.files.written) == (("second",), ("second!", "z"), ("w",))


@pytest.mark.parametrize("weigher", ["tokens", "chars4"])
@pytest.mark.parametrize(("more", "known"), [({}, ()), ({"ctxmgr": {}}, ("f",)), ({"ctxmgr": {"v": 1}}, ("f",))])
def test_an_extensions_details_count_when_they_are_ours(weigher: Any, more: Any, known: tuple[str, ...]) -> None:
    session = (u("a"), compacted("s", kept="e1", fromHook=True, **with_files("f", **more)), u("b"), a("c"))
    one = prepared(prepare.decide(path(*session), CutBudget(1, weigher=weigher), weigh))
    assert one.files.read == known


def test_lists_in_an_extensions_summary_are_not_lost() -> None:
    text = "s" + files.rendered(files.FileLists(read=("r",), edited=("m",)))
    session = (u("a"), compacted(text, kept="e1", fromHook=True), u("b"), a("c"))
    one = prepared(by_words(session, 1))
    assert files.lists(one.files) == (("r",), ("m",))
    assert prepared(as_pi(session, 0)).files == files.FileLists()


def test_calls_within_a_tool_touch_files() -> None:
    nested = {
        "calls": [{"name": "read", "arguments": {"path": "n"}}, {"name": "bash", "arguments": {}}, 5],
        "complete": True,
    }
    session = (u("a"), a(call("code")), r("x", nestedCalls=nested), err("x", nestedCalls="odd"), u("b"))
    assert prepared(by_words(session, 1)).files.read == ("n",)
    assert prepared(as_pi(session, 1)).files.read == ()
