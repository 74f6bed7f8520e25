"""Turns what holds into what of it may be told: without what only a summary says and evidence contradicts.

Rules:
1. Judged are the sentences of critical context, and a summary's tasks, as the lines of a draft are (`against`). A
   sentence that is not so is left out, and the rest stands as it is; a task that is not done is judged as a whole.
2. A push or a commit that a summary tells of is left out, too, where nothing ran that may have done it, and all
   that ran is known: no summary, nor a branch, is of what stood before the first message that is known.
3. What the user speaks of may be done by the user. Code is not judged.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import structs

from ctxmgr.engine.judging.against import contradictions
from ctxmgr.engine.judging.unquoted import may_do
from ctxmgr.engine.ledger import now_and_past
from ctxmgr.engine.stating import draft_lines
from ctxmgr.engine.text import one_line, sentences_of
from ctxmgr.model import once
from ctxmgr.model.saved import Fact, Ledger

_BEFORE = (
    r"\W*(?:(?:i|we|it|have|has|was|were|been|also|then|already|and|all|the|work|changes?|commits?|branch"
    r"|everything)\s+)*"
)
_OF = r"(?:\s+(?:it|them|all|everything|the|work|changes?|commits?|branch|this|that))*"
_REMOTE = r"`?(?:origin|upstream|remote|git(?:hub|lab)|main|master|dev\w*)(?:[/.-][\w./-]+)?`?"
_TO = rf"\s+to\s+(?:the\s+)?{_REMOTE}(?:\s+(?:branch|repo(?:sitory)?|remote))*"
_CLAIMS = {
    "pushed": re.compile(rf"{_BEFORE}pushed{_OF}(?:{_TO})?\W*", re.IGNORECASE),
    "committed": re.compile(
        rf"{_BEFORE}committed{_OF}(?:\s+(?:as|in)\s+`?[\da-f]{{7,40}}`?|{_TO}|\s+to\s+git)?\W*", re.IGNORECASE
    ),
}
_OPEN = {"active": "In Progress", "blocked": "Blocked", "open": "Next Steps"}
_CLAUSE = re.compile(r"(?:,|;)?\s+(?:and|then)\s+(?=(?:then\s+|also\s+|we\s+|I\s+)?[a-z]+ed\b)")
_CLAUSE_END = re.compile(r"(?:,|;)?\s+(?:and|then)\s+$")


@once
def uncontradicted(ledger: Ledger) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """`now_and_past` without what a summary says and evidence contradicts."""
    now, past = now_and_past(ledger)
    if not any(map(_is_judged, (*now, *past))):
        return now, past
    told = _told(ledger, now, past)
    return tuple(_kept(now, told)), tuple(_kept(past, told))


def _is_judged(fact: Fact) -> bool:
    """Rule 1."""
    return fact.source == "summary" and fact.slot in ("context", "task") and "```" not in fact.text


def _kept(facts: Sequence[Fact], told: Mapping[int, str]) -> Iterator[Fact]:
    for fact in facts:
        text = told.get(id(fact), fact.text)
        if text:
            yield fact if text == fact.text else structs.replace(fact, text=text)


def _told(ledger: Ledger, now: Sequence[Fact], past: Sequence[Fact]) -> dict[int, str]:
    """What is left of the text of each fact that is judged."""
    undone = _undone(ledger, now, past)
    lines: list[str] = []
    said: dict[int, tuple[Fact, str]] = {}  # by the line that it is judged at
    for fact in (*now, *past):
        if not _is_judged(fact):
            continue
        title = _OPEN.get(fact.status, "") if fact.slot == "task" else "" if "\n" in fact.detail else fact.detail
        lines += ["", f"## {title or 'Context'}"]
        is_open = fact.slot == "task" and fact.status in _OPEN
        for sentence in [one_line(fact.text, len(fact.text))] if is_open else sentences_of(fact.text):
            said[len(lines)] = fact, fact.text if is_open else sentence
            box = "" if fact.slot != "task" else "[ ] " if is_open else "[x] "
            lines.append(f"- {box}{sentence}" if box else f"- {sentence.removeprefix('- ')}")
    wrong = {found.line_index for found in contradictions(draft_lines("\n".join(lines)), now, past, (None, True))}
    told: dict[int, str] = {}
    for at, (fact, sentence) in said.items():
        left = "" if at in wrong else _without(sentence, undone)
        if left != sentence:
            text = told.get(id(fact), fact.text)
            told[id(fact)] = text.replace(sentence, left, 1).strip()
    return told


def _without(sentence: str, undone: Sequence[str]) -> str:
    """Rule 2."""
    clauses = [0, *(found.end() for found in _CLAUSE.finditer(sentence)), len(sentence)]
    pieces = [sentence[start:end] for start, end in pairwise(clauses)]
    left = [one for one in pieces if not any(_CLAIMS[what].fullmatch(_CLAUSE_END.sub("", one)) for what in undone)]
    if len(left) == len(pieces):
        return sentence
    text = _CLAUSE_END.sub("", "".join(left))
    return f"{text}." if text and sentence.endswith(".") and not text.endswith(".") else text


def _undone(ledger: Ledger, now: Sequence[Fact], past: Sequence[Fact]) -> list[str]:
    """What nothing did that ran, by rules 2 and 3."""
    every = ledger.facts.values()
    commands = [fact for fact in every if fact.slot == "command"]
    first = min(every, key=lambda fact: (fact.time_ms, fact.seq), default=None)
    branched = any(fact.source == "branch" for fact in every)
    if not commands or first is None or first.source == "summary" or branched:
        return []
    asked = [fact.text.lower() for fact in (*now, *past) if fact.source == "user"]
    return [
        what
        for what in _CLAIMS
        if not any(may_do(what, fact) for fact in commands) and not any(what in text for text in asked)
    ]
