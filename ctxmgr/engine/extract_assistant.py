"""Turns an assistant's text into facts: decisions it stated, and tasks from its checklists.

An assistant says much that is no decision ("I'll use grep to look"): only sentences that name one count.
Its checklists join the listing of the compaction summaries: a newer summary closes what it does not list.
"""

import re

from ctxmgr.engine.checklists import items
from ctxmgr.engine.extract_summary import SUMMARY_LISTING
from ctxmgr.engine.statements import Statements
from ctxmgr.engine.wording import key_of, sentences, unfenced

DECISION_CHARACTERS = 300

_HINT = re.compile(r"deci(?:sion|ded)|go with|going with|agreed|settled on", re.IGNORECASE)
_MARKS = re.compile(r"^\s*(?:[-*+•>#]+|\d{1,3}[.)])\s+")
_LABELLED = re.compile(
    r"^[*_]*(?:(?:key|final|design|my|our|the) )?decisions?(?: made)?[*_]*:[*_]*\s*(?P<what>\S.{7,})",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"^(?:(?:so|ok(?:ay)?|alright|then|therefore|instead|and|for now)[, ]+)*"
    r"(?:(?:i|we)(?:'ve| have)? (?:decided (?:to|on|against|that)|agreed (?:to|on|that)|settled on)"
    r"|(?:we|i)(?:'ll| will|'re going to| are going to)? (?:go|going|went) with"
    r"|let'?s go with)\b \S",
    re.IGNORECASE,
)


def from_assistant(text: str, into: Statements) -> None:
    """Add the facts of one assistant text; fenced code and quoted lines are not its own words."""
    if _HINT.search(text):
        for line in unfenced(text):
            if not line.lstrip().startswith(">") and _HINT.search(line):
                _line(_MARKS.sub("", line), into)
    for item in items(text):
        into.add("task", key_of(item.text), item.text, "assistant", item.status, listing=SUMMARY_LISTING)


def _line(line: str, into: Statements) -> None:
    labelled = _LABELLED.match(line)
    if labelled and len(line) <= DECISION_CHARACTERS and not line.rstrip().endswith("?"):
        into.add("decision", key_of(labelled["what"]), labelled["what"], "assistant")
        return
    for sentence in sentences(line):
        if _STATED.match(sentence) and len(sentence) <= DECISION_CHARACTERS and not sentence.endswith("?"):
            into.add("decision", key_of(sentence), sentence, "assistant")
