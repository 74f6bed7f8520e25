"""What people see of a pause while a program runs: a line of `ctxmgr proxy`, or the title of the terminal."""

import asyncio
import io
from collections.abc import Iterator
from typing import Any

import pytest

from ctxmgr.programs.proxying import Title, watch

LINE = "the prompt cache ends in 2 min: the next turn then writes 200,000 tokens ($0.80)"


class Resting:
    """A proxy that says one line after the other about the pause."""

    def __init__(self, lines: list[str]) -> None:
        self._lines: Iterator[str] = iter(lines)

    async def pause(self) -> str:
        return next(self._lines)


async def test_a_pause_is_said_once_and_its_end_too() -> None:
    lines = ["", LINE, LINE.replace("2 min", "1 min"), "", "", LINE]
    made: Any = Resting(lines)
    shown: list[str] = []
    left = len(lines)

    async def later() -> None:
        nonlocal left
        if not left:
            raise asyncio.CancelledError
        left -= 1

    with pytest.raises(asyncio.CancelledError):
        await watch(made, shown.append, later)
    assert shown == [LINE, "", LINE]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_title_has_the_line_and_the_one_before_comes_back() -> None:
    out = Terminal()
    title = Title(out)
    for line in ("", LINE, LINE, "", ""):
        title.show(line)
    assert out.getvalue() == f"\x1b[22;2t\x1b]2;ctxmgr: {LINE}\x07\x1b[23;2t"


def test_where_there_is_no_terminal_nothing_is_written() -> None:
    out = io.StringIO()
    Title(out).show(LINE)
    assert out.getvalue() == ""
