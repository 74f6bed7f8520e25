"""The line of a summary that says how many of the user's rules it does not tell word for word."""

import re

_LINE = re.compile(r"\((?:(\d+) older rules? in short)?(?:, )?(?:(\d+) left out)?\)")


def rules_in_short(short_count: int, left_count: int) -> str:
    """The line; "" where all are told as they were said."""
    told = f"{short_count} older rule{'' if short_count == 1 else 's'} in short" if short_count else ""
    left = f"{left_count} left out" if left_count else ""
    return f"({', '.join(filter(None, (told, left)))})" if told or left else ""


def rules_left(text: str) -> int:
    """How many rules such a line says are left out; -1 where this is none."""
    found = _LINE.fullmatch(text.strip())
    return int(found[2] or 0) if found and (found[1] or found[2]) else -1
