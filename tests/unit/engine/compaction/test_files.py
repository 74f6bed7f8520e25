"""Files read and changed: from calls, details and the lists of earlier summaries, and back into text."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.compaction import files
from ctxmgr.model.compaction import FileLists


def test_lists_are_sorted_by_utf_16_units() -> None:
    # U+1F600 is d83d de00 in UTF-16, before U+FFEE; by code points it would come after it
    ops = FileLists(read=("b", "\uffee", "\U0001f600", "a/b", "a", "Z"))
    assert files.lists(ops)[0] == ("Z", "a", "a/b", "b", "\U0001f600", "\uffee")


RENDERED: list[tuple[FileLists, str]] = [
    (FileLists(), ""),
    (FileLists(read=("b", "a")), "\n\n<read-files>\na\nb\n</read-files>"),
    (FileLists(written=("w",), edited=("e",)), "\n\n<modified-files>\ne\nw\n</modified-files>"),
]


def test_the_text_at_the_end_of_a_summary() -> None:
    for ops, text in RENDERED:
        assert files.rendered(ops) == text, text
        assert files.without_lists(f"what was done{text}") == "what was done", text
        assert files.lists(files.listed(text)) == files.lists(ops), text


LEFT: list[tuple[str, str, str]] = [
    ("no list", "a\n\nb\n", "a\n\nb\n"),
    ("nothing", "", ""),
    ("prose between the tags", "<read-files>\nx\n\nThen\n</read-files>", "<read-files>\nx\n\nThen\n</read-files>"),
    ("an open tag and then a list", "<read-files>\nx\n\n<read-files>\ny\n</read-files>", "<read-files>\nx"),
]


def test_what_is_left_without_lists() -> None:
    for name, text, left in LEFT:
        assert files.without_lists(text) == left, name


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
