"""Which files are changed still, after git took some back and directories were deleted."""

import pytest

from tests.notation import a, call, r, u
from tests.unit.engine.memory.packets import packet, part

NEW, EDITED = call("write", path="/w/a/x.py", content="1"), call("edit", path="/w/b.py", old="1", new="2")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("rm -rf /w/a", ["- deleted (bash, after #1): `/w/a`", "- edited (edit, after #1): `/w/b.py`"]),
        ("git reset --hard", ["- written (write, after #1): `/w/a/x.py`"]),  # which git may not know
        ("git checkout .", ["- written (write, after #1): `/w/a/x.py`"]),
        ("git reset", ["- edited (edit, after #1): `/w/b.py`", "- written (write, after #1): `/w/a/x.py`"]),
    ],
)
def test_what_was_taken_back_or_deleted_with_its_directory_is_no_changed_file(
    command: str, told: list[str]
) -> None:
    said = [u("Go."), a(NEW), r("ok"), a(EDITED), r("ok"), a(call("bash", command=command)), r("")]
    text = packet(*said)
    root = "/w/" if "files under `/w/`" in text else ""
    lines = [line.replace(": `", f": `{root}") for line in part(text, "State")]
    assert lines == told
