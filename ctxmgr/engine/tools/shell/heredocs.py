"""Finds the text of a heredoc and where the command line goes on behind it."""

import re

MARK = (
    r"<<-?[ \t]*(?:'(?P<single_mark>[^'\n]+)'|\"(?P<double_mark>[^\"\n\\$`]+)\"|\\?(?P<mark>\w[\w.-]*))"
    r"(?=[\s;|&<>()]|\Z)"
)


def mark_of(token: re.Match[str]) -> str:
    """The line that ends a heredoc, of what begins it (`MARK`)."""
    return token["single_mark"] or token["double_mark"] or token["mark"]


def body(line: str, start: int, mark: str) -> tuple[int, int, int] | None:
    """(start, end, where the line after its mark begins) of a heredoc; None without its mark."""
    if not start:
        return None
    end = re.compile(rf"^\t*{re.escape(mark)}(?:\n|\Z)", re.MULTILINE).search(line, start)
    return (start, end.start(), end.end()) if end else None
