"""Files read and changed: from calls, details and the lists of earlier summaries, and back into text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.compaction import files
from ctxmgr.model.compaction import FileLists
from tests.notation import a, call, err, r, u
from tests.unit.engine.trees import compacted, path


def test_pi_lists_its_own_three_tools_whatever_came_of_them() -> None:
    session = path(
        u("go"),
        a(call("read", path="b"), call("read", path="a"), call("write", path="w"), call("bash", path="no")),
        a(
            call("edit", path="b"),
            call("read", path="b"),
            call("read", path=""),
            call("read", path=5),
            call("Read", path="A"),
        ),
    )
    ops = files.as_pi_lists(message for entry in session for message in entry.messages)
    assert ops == FileLists(read=("b", "a"), written=("w",), edited=("b",))
    assert files.lists(ops) == (("a",), ("b", "w"))


def test_files_of_calls_by_what_they_did() -> None:
    session = path(
        u("go"),
        a(
            call("Read", file_path="A"),
            call("bash", command="cat b && sed -i s/x/y/ c && git mv d e && rm f"),
            call("bash", command="cat gone"),
            call("edit", path="failed"),
            call("ls", path="src"),
            call("write", path="not answered"),
        ),
        r("text"),
        r("text"),
        err("cat: gone: No such file"),
        err("no match"),
        r("a"),
    )
    ops = files.of_messages(message for entry in session for message in entry.messages)
    assert ops == FileLists(read=("A", "b"), written=("e", "not answered"), edited=("c", "d", "f"))


def test_details_that_are_no_lists_say_nothing() -> None:
    (one,) = path(compacted("s", kept="e1", details={"readFiles": "x", "modifiedFiles": [1, "m", None]}))
    assert files.of_details([one]) == FileLists(edited=("m",))


def test_lists_are_sorted_by_utf_16_units() -> None:
    # U+1F600 is d83d de00 in UTF-16, before U+FFEE; by code points it would come after it
    ops = FileLists(read=("b", "\uffee", "\U0001f600", "a/b", "a", "Z"))
    assert files.lists(ops)[0] == ("Z", "a", "a/b", "b", "\U0001f600", "\uffee")


RENDERED: list[tuple[FileLists, str]] = [
    (FileLists(), ""),
    (FileLists(read=("b", "a")), "\n\n<read-files>\na\nb\n</read-files>"),
    (FileLists(written=("w",), edited=("e",)), "\n\n<modified-files>\ne\nw\n</modified-files>"),
    (
        FileLists(read=("a", "w"), written=("w",)),
        "\n\n<read-files>\na\n</read-files>\n\n<modified-files>\nw\n</modified-files>",
    ),
]


@pytest.mark.parametrize(("ops", "text"), RENDERED)
def test_the_text_at_the_end_of_a_summary(ops: FileLists, text: str) -> None:
    assert files.rendered(ops) == text
    assert files.without_lists(f"what was done{text}") == "what was done"
    assert files.lists(files.listed(text)) == files.lists(ops)


LEFT: list[tuple[str, str, str]] = [
    ("no list", "a\n\nb\n", "a\n\nb\n"),
    ("nothing", "", ""),
    (
        "prose that names the tag",
        "see <read-files> below\n\n</read-files>",
        "see <read-files> below\n\n</read-files>",
    ),
    ("a tag that is never closed", "a\n<read-files>\nx", "a\n<read-files>\nx"),
    ("prose between the tags", "<read-files>\nx\n\nThen\n</read-files>", "<read-files>\nx\n\nThen\n</read-files>"),
    ("an open tag and then a list", "<read-files>\nx\n\n<read-files>\ny\n</read-files>", "<read-files>\nx"),
    ("a list in the middle", "a\n\n<read-files>\nx\n</read-files>\n\nb", "a\n\nb"),
    ("an empty list", "a\n\n<modified-files>\n</modified-files>", "a"),
    ("twice", "a\n\n<read-files>\nx\n</read-files>\n\n<read-files>\ny\n</read-files>", "a"),
]


@pytest.mark.parametrize(("name", "text", "left"), LEFT, ids=[row[0] for row in LEFT])
def test_what_is_left_without_lists(name: str, text: str, left: str) -> None:
    assert files.without_lists(text) == left


def test_details_are_marked_as_ours() -> None:
    ops = FileLists(read=("r",), edited=("m",))
    assert files.details(ops) == {"readFiles": ["r"], "modifiedFiles": ["m"], "ctxmgr": {}}
    entry = compacted("s", kept="e1", fromHook=True, details=files.details(ops, {"format": "structured"}))
    (one,) = path(entry)
    assert files.of_details([one]) == ops


paths = st.lists(
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1), max_size=5, unique=True
)
plain = paths.map(lambda found: tuple(one for one in found if not one.startswith("<")))
ops = st.builds(FileLists, plain, plain, plain)
prose = st.lists(
    st.sampled_from(["", "a", "<read-files>", "</read-files>", "## Goal", "<modified-files>"]), max_size=8
)


@given(prose.map("\n".join), ops)
def test_lists_come_off_as_they_were_put_on(text: str, added: FileLists) -> None:
    bare = files.without_lists(text)
    if files.without_lists(bare) == bare:
        assert files.without_lists(bare + files.rendered(added)) == bare
    assert files.lists(files.listed(files.rendered(added))) == files.lists(added)
