"""Tells whether a summary states a fact, in whatever words.

Rules:
1. A statement is there where one item holds all that it refers to (paths, names, values, numbers, code) letter by
   letter, and most of its words (`SAID_SHARE`). What forbids is there only where that forbids too.
2. A file is there by its whole path, or by its name where no other file has it.
3. A failure is there where an item names the command, or a test that failed, and says that it fails.
4. What is in doubt is not there: said twice, it is not lost.
"""

import re
from collections.abc import Iterable, Sequence

from ctxmgr.engine.ledger import essential
from ctxmgr.engine.stating.draft import DraftItem, DraftLines
from ctxmgr.engine.text import content_words, exact_values, forbids, identifiers, words_of
from ctxmgr.model.saved import Fact

SAID_SHARE = 0.75  # of a statement's words: who rewords a sentence keeps the words that it is about
_NUMBER = re.compile(r"\d+")
_CODE = re.compile(r"`([^`\n]+)`")
_DIRECTORY = re.compile(r"^cd\s+\S+\s*(?:&&|;)\s*")
_TEST = re.compile(r"test|spec", re.IGNORECASE)
FAILS = re.compile(
    r"\b(?:fail\w*|errors?|broken|breaks?|crash\w*|red|timed out|times out|blocked|refused|rejected)\b|[✗✘×❌]",
    re.IGNORECASE,
)


def says(draft: DraftLines, text: str, *, forbidding: bool = False) -> bool:
    """Rule 1. `forbidding`: does it count what the statement forbids?"""
    words, references = content_words(text), _references(text)
    if not words and not references:
        return True  # it says nothing by itself
    against = forbidding and forbids(text)
    return any(_holds(item, words, references) and (not against or forbids(item.text)) for item in draft.items)


def _holds(item: DraftItem, words: frozenset[str], references: Iterable[str]) -> bool:
    said = item.text.casefold()
    if not all(one in said for one in references):
        return False
    there = sum(word in item.words or (not word.isascii() and word in item.flat) for word in words)
    return there >= SAID_SHARE * len(words)


def _references(text: str) -> frozenset[str]:
    found = (*identifiers(text), *exact_values(text), *_NUMBER.findall(text), *_CODE.findall(text))
    return frozenset(one.casefold() for one in found)


def names_file(text: str, path: str, others: Sequence[str]) -> bool:
    """Rule 2. `others`: the paths of all files that are known."""
    name = path.rpartition("/")[2]
    alone = sum(other.rpartition("/")[2] == name for other in others) <= 1
    spelled = filter(None, (path, name if alone else ""))
    return any(re.search(rf"(?<![\w.-]){re.escape(one)}(?![\w-])", text) for one in spelled)


def bare_command(command: str) -> str:
    """A command without the directory that it changes to first, what is set before it, and what filters it."""
    return words_of(_DIRECTORY.sub("", essential(_DIRECTORY.sub("", command.strip()), True)))


def tests_named(facts: Iterable[Fact]) -> frozenset[str]:
    """The tests that the quoted lines of failures name, as words."""
    lines = (fact.detail.rpartition("\n")[2] for fact in facts if fact.status == "failed")
    return frozenset(words_of(name) for line in lines for name in identifiers(line) if _TEST.search(name))


def says_failure(draft: DraftLines, facts: Sequence[Fact]) -> bool:
    """Rule 3, of failures with one error."""
    named = {*(bare_command(fact.text) for fact in facts), *tests_named(facts)}
    return any(
        (item.kind == "blocked" or FAILS.search(item.text)) and any(map(item.names, filter(None, named)))
        for item in draft.items
    )
