"""Which files a compaction tells of: over compactions, branches and extensions."""

from typing import Any

import pytest

from ctxmgr.engine.compaction import files, prepare
from ctxmgr.model.compaction import CutBudget
from tests.notation import a, call, err, r, u
from tests.unit.engine.compaction.preparing import as_pi, by_words, prepared, weigh
from tests.unit.engine.trees import compacted, left_behind, path


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
