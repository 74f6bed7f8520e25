"""What would have been fetched again: edits of files whose text ctxmgr took out of the list."""

import pytest

from ctxmgr.proxy.refetching import Refetches
from tests.unit.proxy.lists import compact


def called(name: str, **arguments: str) -> bytes:
    call = {"type": "tool_use", "id": "t", "name": name, "input": arguments}
    return compact({"role": "assistant", "content": [call]})


READ = called("Read", file_path="/p/a.py")
EDIT = called("Edit", file_path="/p/a.py", old_string="x", new_string="y")
WRITE = called("Write", file_path="/p/a.py", content="z")
OTHER = called("Edit", file_path="/p/b.py", old_string="x", new_string="y")


@pytest.mark.parametrize(
    ("since", "count"),
    [
        ([EDIT], 1),
        ([EDIT, EDIT], 1),  # once read again, it is there
        ([READ, EDIT], 0),
        ([WRITE, EDIT], 0),
        ([OTHER], 0),
        ([], 0),
    ],
)
def test_an_edit_of_a_file_that_is_gone_needs_its_text(since: list[bytes], count: int) -> None:
    made = Refetches()
    made.follow("anthropic", [READ], ["/p/a.py"])
    made.follow("anthropic", [READ, *since], [])
    assert made.count == count


def test_an_edit_while_the_text_is_there_needs_nothing() -> None:
    made = Refetches()
    made.follow("anthropic", [READ, EDIT], ["/p/a.py"])
    assert made.count == 0


def test_each_call_is_looked_at_once() -> None:
    made = Refetches()
    made.follow("anthropic", [READ], ["/p/a.py"])
    made.follow("anthropic", [READ, EDIT], ["/p/a.py"])
    made.follow("anthropic", [READ, EDIT], [])
    assert made.count == 1
