"""Finds where that ends which stands inside of a word: a command substitution, a text in double quotes.

It looks over what they hold, and knows of no command. Time is linear in what is looked over.
"""

import re

from ctxmgr.engine.tools.shell.heredocs import MARK, body, mark_of

_INSIDE = re.compile(
    rf"(?P<plain>[^'\"\\`$()\#<\n]+)|'[^']*'|\\.|`[^`\\]*(?:\\.[^`\\]*)*`|<<<|(?P<heredoc>{MARK})|(?P<open>\$?\()|(?P<close>\))"
    r"|(?P<quote>\")|(?P<comment>(?<=[\s;(])\#[^\n]*)|(?P<line>\n)|[$\#<]",
    re.DOTALL,
)
_QUOTED = re.compile(r"[^\"\\`$]+|\\.|`[^`\\]*(?:\\.[^`\\]*)*`|(?P<open>\$\()|(?P<quote>\")|\$", re.DOTALL)


def closing(text: str, place: int, opened: str) -> int | None:
    """The place behind the `)` or `"` that ends what `(` or `"` opened before this place; None without one."""
    stack = [opened]
    resume = 0  # where it goes on after the heredocs of a line
    while stack:
        quoted = stack[-1] == '"'
        token = (_QUOTED if quoted else _INSIDE).match(text, place)
        if token is None:
            return None
        kind, place = token.lastgroup, token.end()
        if kind == "open":
            stack.append("(")
        elif kind == "close" or (kind == "quote" and quoted):
            stack.pop()
        elif kind == "quote":
            stack.append('"')
        elif kind == "line" and resume:
            place, resume = resume, 0
        elif kind == "heredoc":
            found = body(text, resume or text.find("\n", place) + 1, mark_of(token))
            if found is None:
                return None
            resume = found[2]
    return None if resume else place
