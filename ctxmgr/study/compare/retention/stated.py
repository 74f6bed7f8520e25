"""Turns messages into the open tasks that they state, by patterns of their own.

For measuring summaries: nothing here is shared with what writes them (`ctxmgr.engine`), so that what the extraction
does not see is in the denominator all the same. Rules:
1. An open task is a checkbox without a mark that no later text marks, and what stands under the last heading or
   line that says what remains ("Remaining:", "Next steps", "Still to do"), where nothing was said done of it since.
2. Code fences, quotes and the output of tools state nothing.
"""

import re
from collections.abc import Iterator, Sequence

from ctxmgr.model.compaction import BranchMessage

MOST_CHARACTERS = 400  # of a statement; a longer one is a document
MOST_READ = 20_000  # characters of one text
SAME_SHARE = 0.6  # of the words of a task that a later text holds which says it is done

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"^\s{0,12}(?:[-*+•]|\d{1,3}[.)])\s+")
_BOX = re.compile(r"^\s{0,12}(?:[-*+•]|\d{1,3}[.)])\s+\[([ xX✓])\]\s+(.+)$")
_REMAINS = re.compile(
    r"^\W*(?:what(?:'s| is) left|remaining|still (?:to do|open|missing)|to-?do|next steps?|open (?:points"
    r"|tasks))\b[^.]{0,60}$",
    re.IGNORECASE,
)


def open_tasks(messages: Sequence[BranchMessage]) -> list[str]:
    """What was still to be done at the end, each once."""
    boxes: dict[str, bool] = {}
    left: list[str] = []
    since: list[frozenset[str]] = []
    for role, text in _texts(messages):
        if role != "assistant":
            continue
        lines = _FENCED.sub("", text).splitlines()
        for box in filter(None, map(_BOX.match, lines)):
            boxes[box[2].strip()] = box[1] == " "
        since += [_words(line) for line in lines]
        if remains := list(_under(lines)):
            left, since = remains, []
    gone = [words for words in since if words]
    left = [one for one in left if not _held(one, gone)]
    return list(dict.fromkeys([*(text for text, is_open in boxes.items() if is_open), *left]))


def _under(lines: list[str]) -> Iterator[str]:
    """The list items under the last line that says what remains."""
    start = next((at for at in reversed(range(len(lines))) if _REMAINS.match(lines[at])), None)
    for line in lines[start + 1 :] if start is not None else []:
        bullet = _BULLET.match(line)
        if bullet and not _BOX.match(line):
            yield line[bullet.end() :].strip()[:MOST_CHARACTERS]
        elif line.strip():
            return


def _held(task: str, later: list[frozenset[str]]) -> bool:
    words = _words(task)
    return bool(words) and any(len(words & one) >= SAME_SHARE * len(words) for one in later)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]{4,}", text[:MOST_CHARACTERS].casefold()))


def _texts(messages: Sequence[BranchMessage]) -> Iterator[tuple[str, str]]:
    for message in messages:
        role = message.view.role
        text = "\n".join(block.text for block in message.view.blocks if block.kind == "text")
        if role in ("user", "assistant") and text.strip():
            yield role, text[:MOST_READ]
