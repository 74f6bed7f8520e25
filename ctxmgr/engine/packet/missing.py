"""Turns a ledger and a packet's text into the summaries that the packet does not say in full.

Rules:
1. What counts are the facts that hold, and history: what a newer summary closed, or a later word replaced, is
   not missed; nor is what evidence contradicts.
2. A fact is there when its whole text is, as the packet writes it: cut short, it is not.
3. A path is there when its line names it, whichever way the packet groups paths.
4. What only repeats words of the goal is there where the goal is.

Where the packet's spelling differs from the fact's, the fact counts as missing: the mistake that loses nothing.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from ctxmgr.engine.judging import uncontradicted
from ctxmgr.engine.ledger import task_ids
from ctxmgr.engine.packet.part import repeats
from ctxmgr.engine.text import one_line, sentence, words_of
from ctxmgr.model.saved import Fact, Ledger

_BEFORE = frozenset(("", "\n", "-", ":", ";", ".", "]", '"'))  # what ends what stands before a statement
_AFTER = frozenset(("", "\n", ";", '"'))  # what follows one; where it ends in a full stop, also a space
_FILES = re.compile(r"^## Files(?: \(under (?P<root>.+?)\))?(?: \(\d+ more not shown\))?$")
_FILE_LINE = re.compile(r"^- (?:read|changed|deleted) (?:(?P<place>[^:]*): )?(?P<names>.+)$")


def lacks(ledger: Ledger, text: str) -> frozenset[str]:
    """The origins (digests) of summaries of which this packet does not hold every fact."""
    now, past = uncontradicted(ledger)
    told = [fact for fact in past if not fact.text.rstrip().endswith(":")]  # a packet leaves out introductions
    paths, goal = frozenset(_paths(text)), f" {words_of(_goal(text))} "
    missed: set[str] = set()
    for fact in (*now, *told):  # one fact a summary is enough: what a packet holds is few, what it lacks is not
        summarised = fact.source in ("summary", "branch") and fact.origin not in missed
        if summarised and not _is_in(fact, text, paths) and not repeats(fact, goal):
            missed.add(fact.origin)
    return frozenset(missed)


def _is_in(fact: Fact, text: str, paths: frozenset[str]) -> bool:
    if fact.slot == "file":
        return fact.text in paths
    whole = 2 * len(fact.text) + 1  # a line end may become two characters, and nothing is to be cut
    return any(_stands(form(fact, whole), text) for form in (sentence, _plain, _with_id))


def _goal(text: str) -> str:
    """The line that tells it."""
    lines = text.split("\n")
    return next((line for head, line in pairwise(lines) if head.startswith("## Goal")), "")


def _plain(fact: Fact, limit: int) -> str:
    return one_line(fact.text, limit)


def _with_id(fact: Fact, limit: int) -> str:
    text = sentence(fact, limit)
    return task_ids.with_id(text, fact.key) if fact.slot == "task" else text


def _stands(form: str, text: str) -> bool:
    """Is it in the text as a statement of its own, or one of several on a line?"""
    at = text.find(form)
    while at >= 0:
        before, after = text[max(0, at - 2) : at].rstrip(" ")[-1:], text[at + len(form) : at + len(form) + 1]
        if before in _BEFORE and (after in _AFTER or (after == " " and form.endswith("."))):
            return True
        at = text.find(form, at + 1)
    return False


def _paths(text: str) -> Iterator[str]:
    """The paths that the packet's lines name."""
    root: str | None = None
    for line in text.split("\n"):
        if line.startswith("## "):
            heading = _FILES.match(line)
            root = (heading["root"] or "") if heading else None
        elif root is not None and (found := _FILE_LINE.match(line)):
            for name in found["names"].split(", ") if found["place"] is not None else (found["names"],):
                path = f"{found['place'] or ''}{name}"
                yield path if path.startswith("/") else f"{root}{path}"
            if found["place"] is None:  # several names without a directory
                yield from (f"{root}{name}" for name in found["names"].split(", "))
