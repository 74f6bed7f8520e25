"""Counts work without a clock: the lines of ctxmgr that a call executes, by function.

A turn of a comprehension or a generator is a line, too. What C does alone is not counted: comparing and joining
bytes, copying a tuple or a dict.
"""

import sys
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import ctxmgr

ROOT = f"{ctxmgr.__path__[0]}/"
STUDY = f"{ROOT}study/"  # drives what is counted
Lines = Counter[str]
"""Executed lines by function: `engine/fit/fitting.py:fit`."""


def lines_of(call: Callable[[], object]) -> Lines:
    """In the calling thread."""
    by_code: Counter[CodeType] = Counter()

    def executed(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            by_code[frame.f_code] += 1
        return executed

    def entered(frame: FrameType, event: str, arg: Any) -> Any:
        file = frame.f_code.co_filename
        return executed if file.startswith(ROOT) and not file.startswith(STUDY) else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        call()
    finally:
        sys.settrace(before)
    lines: Lines = Counter()
    for code, count in by_code.items():
        lines[f"{code.co_filename.removeprefix(ROOT)}:{code.co_qualname}"] += count
    return lines


def growth(short: Lines, long: Lines, most: int = 12) -> str:
    """The functions that execute more lines in `long`, those that grow most first: a line each, for people."""
    grown = (long - short).most_common(most)
    return "\n".join(f"{count:+8,}  {name}  ({short[name]:,} -> {long[name]:,})" for name, count in grown)
