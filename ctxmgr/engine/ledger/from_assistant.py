"""Turns an assistant's text into facts: decisions it stated, and tasks from its checklists.

An assistant says much that is no decision ("I'll use grep to look"): only sentences that name one count, or that
say what was chosen and instead of what or why; and what it lists under a heading "Decisions". Its checklists join
the listing of the compaction summaries: a newer summary closes what it does not list.
"""

import re

from ctxmgr.engine.ledger.from_summary import SUMMARY_LISTING
from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.text import checklists, key_of, may_hold, sentences_of, unfenced

DECISION_CHARACTERS = 300

HINTS = (
    "decision",
    "decided",
    "go with",
    "going with",
    "went with",
    "agreed",
    "settled on",
    "instead",
    "rather than",
    "because",
    "since",
    "to avoid",
    "so that",
    "chose",
    "picked",
    "opted",
)
_HINT = re.compile("|".join(HINTS), re.IGNORECASE)
_MARKS = re.compile(r"^\s*(?:[-*+•>#]+|\d{1,3}[.)])\s+")
_LABELLED = re.compile(
    r"^[*_]*(?:(?:key|final|design|my|our|the) )?decisions?(?: made)?[*_]*:[*_]*\s*(?P<what>\S.{7,})",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"^(?:(?:so|ok(?:ay)?|alright|then|therefore|instead|and|for now)[, ]+)*"
    r"(?:(?:i|we)(?:'ve| have)? (?:decided (?:to|on|against|that)|agreed (?:to|on|that)|settled on)"
    r"|(?:we|i)(?:'ll| will|'re going to| are going to)? (?:go|going|went) with"
    r"|let'?s go with|(?:(?:i|we)(?:'ve| have)? )?(?:chose|opted for|settled on|went with)|(?:i|we)(?:'ve"
    r"| have)? picked)\b \S",
    re.IGNORECASE,
)
# A plan or a change is a choice where it says what was not taken, or why.
_REASON = r"(?:instead of|rather than|because|since|so that|to avoid|to keep)\b \S"
_CHOSEN = re.compile(
    r"^(?:(?:so|ok(?:ay)?|alright|then|therefore|and|for now)[, ]+)*"
    r"(?:(?:i|we)(?:'ll| will|'re going to| are going to|'m going to)? (?:use|keep|stick with|switch to|store|put"
    r"|base|skip|avoid)"
    r"|(?:i |we )?(?:used|kept|switched to|replaced|put|stored|use|using|keeping|sticking with|going with))\b"
    rf" [^;:]*\b{_REASON}"
    r"|^instead of [^;:,]{4,120}, (?:we|i)(?:'ll| will)? (?!need|should|could|can\b|have to)[a-z]",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:grep|sed|let me|let'?s|look|check|see|read|search|find|approach|one by one|again|for now i)\b|^(?:i"
    r"|we) use\b",
    re.IGNORECASE,
)  # how the work goes on, not how it is made
_SECTION = re.compile(
    r"^\s*(?:#{1,6}\s+|\*\*)?(?:(?:key|design|final|main|my|our|agreed"
    r"|the) )*decisions?(?: made)?:?(?:\*\*)?:?\s*$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?!\[[ xX~]\])(?P<what>\S.{7,})$")


def from_assistant(text: str, into: Statements) -> None:
    """Add the facts of one assistant text; fenced code and quoted lines are not its own words."""
    if may_hold(text, HINTS) and _HINT.search(text):
        listed = False
        for line in unfenced(text):
            item = _ITEM.match(line) if listed else None
            if item and len(line) <= DECISION_CHARACTERS and not line.rstrip().endswith("?"):
                into.add("decision", key_of(item["what"]), item["what"], "assistant")
                continue
            listed = bool(_SECTION.match(line)) or (listed and not line.strip())
            if not line.lstrip().startswith(">") and _HINT.search(line):
                _line(_MARKS.sub("", line), into)
    for task in checklists.items(text):
        into.items_of(SUMMARY_LISTING).add("task", key_of(task.text), task.text, "assistant", task.status)


def _line(line: str, into: Statements) -> None:
    labelled = _LABELLED.match(line)
    if labelled and len(line) <= DECISION_CHARACTERS and not line.rstrip().endswith("?"):
        into.add("decision", key_of(labelled["what"]), labelled["what"], "assistant")
        return
    for sentence in sentences_of(line):
        stated = _STATED.match(sentence) or (_CHOSEN.match(sentence) and not _PASSING.search(sentence))
        if stated and len(sentence) <= DECISION_CHARACTERS and not sentence.endswith("?"):
            into.add("decision", key_of(sentence), sentence, "assistant")
