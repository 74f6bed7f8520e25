"""User messages that left, in their own words, shortened, each with its length. None leaves without a word: what
does not fit is counted."""

from collections.abc import Sequence

from ctxmgr.engine.text import one_line
from ctxmgr.model import Weigh

HEADING = "## Said by the user (shortened)"
CHARACTERS = (400, 200, 80)  # of one message: the first that all fit with


def quotations(texts: Sequence[str], budget: int, weigh: Weigh) -> str:
    """User messages that left, oldest first, each shortened: as long as all of them fit, and where the shortest do
    not, the newest that do, and how many do not. The least is `counted`, though that be over the budget."""
    if not texts:
        return ""
    for characters in CHARACTERS:
        lines = [_line(text, characters) for text in texts]
        text = "\n".join((HEADING, *lines))
        if weigh(text) <= budget:
            return text
    fitting: list[str] = []
    room = budget - weigh(_heading(len(texts)))
    for line in reversed(lines):
        weight = weigh(line + "\n")
        if weight <= room:
            room -= weight
            fitting.append(line)
    missing = len(texts) - len(fitting)
    return "\n".join((_heading(missing), *reversed(fitting))) if fitting else counted(missing)


def counted(missing: int) -> str:
    """That user messages left, where no word of theirs fits."""
    return f"## {missing} user message{'s' if missing > 1 else ''}, not shown"


def _line(text: str, characters: int) -> str:
    return f'- ({len(text):,} characters) "{one_line(text, characters)}"'


def _heading(missing: int) -> str:
    return f"{HEADING[:-1]}; {missing} not shown)"
