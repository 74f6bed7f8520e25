"""Which files a shell command moved or took away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.extractive.removed_files import COMMAND_CHARACTERS, gone

COMMANDS = [
    ("mv a.py b.py", [("a.py", "b.py")]),
    ("cd /p/src && git mv a.py ../b.py", [("/p/src/a.py", "/p/b.py")]),
    ("cd /p && mv a.py b.py lib/ && npm test", [("/p/a.py", "/p/lib/a.py"), ("/p/b.py", "/p/lib/b.py")]),
    ("cd /p/src && mv utils/a.py .", [("/p/src/utils/a.py", "/p/src/a.py")]),
    ("rm -f 'a.py' ./b.py 2>/dev/null; ls", [("a.py", ""), ("b.py", "")]),
    ("rm -f 'a.py' ./b.py; ls", [("a.py", ""), ("b.py", "")]),
    ("git rm --cached a.py", [("a.py", "")]),
    ("rm *.py", []),
    ("for f in a b; do rm $f; done", []),
    ("find . -name x | xargs rm", []),
    ("echo mv a b", []),
    ("rm " + "a " * COMMAND_CHARACTERS, []),
]


@pytest.mark.parametrize(("command", "expected"), COMMANDS, ids=[row[0][:30] for row in COMMANDS])
def test_what_is_gone(command: str, expected: list[tuple[str, str]]) -> None:
    assert list(gone(command)) == expected


@given(st.text(alphabet="mvrcd /.&;'\"-ab\n|*", max_size=80))
def test_any_command(command: str) -> None:
    for old, new in gone(f"mv {command}"):
        assert "//" not in old + new
