"""Turns the summary of a history and that of a cut turn's first part into one text, and such a text back into both.

The mark is pi's, and the ledger knows it (`engine.memory.sections`, rule 4). A summary holds it at most once.
"""

import re

from ctxmgr.summarize.request.outline import outside_fences

MARK = "**Turn Context (split turn):**"

_MARK_LINE = re.compile(r"\s*(?:#{1,6}\s+)?\*{0,2}turn context \(split turn\):?\*{0,2}:?\s*", re.IGNORECASE)
_RULE = re.compile(r"\s*-{3,}\s*")


def joined(history: str, context: str) -> str:
    """One summary of both; a history with nothing in it is left out."""
    return f"{history}\n\n---\n\n{MARK}\n\n{context}" if history else f"{MARK}\n\n{context}"


def parted(summary: str) -> tuple[str, str]:
    """The summary of the history, and that of the cut turn, "" where there is none. Later marks are dropped."""
    lines = list(outside_fences(summary))
    for number, (line, outside) in enumerate(lines):
        if outside and _MARK_LINE.fullmatch(line):
            before = [line for line, _ in lines[:number]]
            return _unruled(before), without_mark("\n".join(line for line, _ in lines[number + 1 :])).strip()
    return summary, ""


def without_mark(text: str) -> str:
    """The text with what stands under the mark, but neither the mark nor the rule before it."""
    kept: list[str] = []
    for line, outside in outside_fences(text):
        if outside and _MARK_LINE.fullmatch(line):
            kept = [_unruled(kept), ""]
        else:
            kept.append(line)
    return "\n".join(kept)


def _unruled(lines: list[str]) -> str:
    kept = "\n".join(lines).rstrip().splitlines()
    while kept and _RULE.fullmatch(kept[-1]):
        kept = "\n".join(kept[:-1]).rstrip().splitlines()
    return "\n".join(kept)
