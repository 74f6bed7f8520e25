"""Turns an ask into the answer of a model without a network: the asked format, filled from the prompt's text.

It tests plumbing alone. Its answers pass the reading rules and are of the conversation, but nothing in them was
thought about: how much of a session they hold says nothing of any model. Same ask, same answer.
"""

import re

from ctxmgr.model.compaction import Completion, CompletionRequest
from ctxmgr.summarize.formats import BRANCH, CONTINUE, HANDOFF, NINE, STRUCTURED, TURN

NAME = "scripted"
LINE_CHARACTERS = 160  # of one statement: a line of prose
LEAST_CHARACTERS = 16  # of a statement, however little is shown
SHARE = 3  # an answer has at most one character for so many that are shown, above its outline
NOTHING = "nothing is known of this"

_OUTLINES = tuple(shape.outline.strip() for shape in (STRUCTURED, NINE, HANDOFF, CONTINUE, TURN, BRANCH))
_PLACE = re.compile(r"\[[^\[\]]{4,}\]")  # what the outline wants filled in; [x] and [ ] are boxes
_DATA = re.compile(
    r"^<(conversation|part|previous-summary|left-out)\b[^>]*>\n(.*?)\n</\1>$", re.DOTALL | re.MULTILINE
)
_MARKS = re.compile(r"^(?:\[[^\]]*\]:?|[\s>#*+•`-]|\d{1,3}[.)])+")
_WORD = re.compile(r"\w{3}")


def complete(ask: CompletionRequest) -> Completion:
    """The answer; a fault where the prompt asks for no format of ours. No usage is reported."""
    outline = next((heading for heading in _OUTLINES if heading in ask.prompt), None)
    if outline is None:
        return Completion(stop="error", fault="the scripted model knows the formats of ctxmgr alone")
    shown = "\n".join(match[2] for match in _DATA.finditer(ask.prompt))
    count = len(_PLACE.findall(outline))
    size = max(LEAST_CHARACTERS, min(LINE_CHARACTERS, min(len(shown) // SHARE, ask.max_tokens) // count))
    statements = iter(_spread(_statements(shown, size), count))
    return Completion(_PLACE.sub(lambda _: next(statements, NOTHING), outline))


def _statements(shown: str, size: int) -> list[str]:
    """Lines that say something, each once, without what would read as a heading, a box or a tag."""
    statements: dict[str, None] = {}
    for line in shown.splitlines():
        text = re.sub(r"[\[\]<>`*#]+", " ", _MARKS.sub("", line))
        text = " ".join(text.split())[:size].strip(" :")
        if _WORD.search(text):
            statements[text] = None
    return list(statements)


def _spread(statements: list[str], count: int) -> list[str]:
    """As many as are wanted, from the whole length of what is shown."""
    if len(statements) <= count:
        return statements
    return [statements[number * (len(statements) - 1) // (count - 1)] for number in range(count)]
