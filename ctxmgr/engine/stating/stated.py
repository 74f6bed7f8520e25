"""Tells whether a summary states a fact, in whatever words.

Rules:
1. A statement is there where one item holds all that it refers to (paths, names, values, numbers, code) letter by
   letter, and most of its words (`SAID_SHARE`). What forbids is there only where that forbids too, and what
   demands where that forbids nothing, nor where it takes what that one leaves; a demand of one word needs more of
   its sentence than that word.
2. A file is there by its whole path, or by its name where no other file has it.
3. A failure is there where an item names the command, or a test that failed, and says that it fails: not that
   nothing failed, and not that it did and works now.
4. What is in doubt is not there: said twice, it is not lost.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from math import ceil

from ctxmgr.engine.findings import chosen_of
from ctxmgr.engine.ledger import essential
from ctxmgr.engine.stating.claims import CODE, FAILS, WORKS, claims, ending, present
from ctxmgr.engine.stating.draft import DraftItem, DraftLines
from ctxmgr.engine.stating.preferring import reverses
from ctxmgr.engine.text import content_words, exact_values, forbids, identifiers, sentences_of, words_of
from ctxmgr.model.saved import Fact

SAID_SHARE = 0.75  # of a statement's words: who rewords a sentence keeps the words that it is about
_NUMBER = re.compile(r"\d+")
_DIRECTORY = re.compile(r"^cd\s+([^\s;&]+)\s*(?:&&|;|$)\s*")
_TEST = re.compile(r"test|spec", re.IGNORECASE)

_COUNTED = re.compile(r"\b\d+ (?:\w+ )?(?:pass|succe)\w*", re.IGNORECASE)  # beside those that failed


def says(draft: DraftLines, text: str, *, forbidding: bool = False, share: float = SAID_SHARE) -> bool:
    """Rule 1. `forbidding`: does it count what the statement forbids, or demands? `share` of the words that are to
    be there."""
    words = content_words(text)
    if not words and not _references(text):
        return True  # it says nothing by itself
    return any(
        not forbidding or (_demands_as(one, text, words) and not reverses(one.text, text))
        for one in items_saying(draft, text, share)
    )


def items_saying(draft: DraftLines, text: str, share: float = SAID_SHARE) -> Iterator[DraftItem]:
    """The items that hold what a statement refers to, and this share of its words."""
    words, references = content_words(text), _references(text)
    if not (words or references) or not all(one in draft.folded for one in references):
        return
    for at in _candidates(draft, words, share):
        item = draft.items[at]
        if all(one in item.folded for one in references):
            there = sum(word in item.words or (not word.isascii() and word in item.flat) for word in words)
            if there >= share * len(words):
                yield item


def _candidates(draft: DraftLines, words: frozenset[str], share: float) -> Iterable[int]:
    """The places of items that may hold this share: of the rarest words, one more than may be missing, they have
    one."""
    if sum(word in draft.having or (not word.isascii() and word in draft.folded) for word in words) < share * len(
        words
    ):
        return ()
    if not words or not all(map(str.isascii, words)):
        return range(len(draft.items))
    rarest = sorted((draft.having.get(word, []) for word in words), key=len)
    return sorted({at for places in rarest[: len(words) - ceil(share * len(words)) + 1] for at in places})


def states_it(draft: DraftLines, text: str, share: float = SAID_SHARE) -> bool:
    """Does an item hold this share of a statement's words, and mean the same?"""
    return any(_agrees(text, item.text) for item in items_saying(draft, text, share))


def _agrees(statement: str, said: str) -> bool:
    """Do two texts of the same words mean the same: do both deny it, or neither, and take the same of two? What
    counts is the sentence that has most of the statement's words."""
    words = content_words(statement)
    sentence = max(sentences_of(said), key=lambda one: len(words & content_words(one)), default=said)
    return forbids(statement) is forbids(sentence) and _takes_the_same(statement, sentence)


def _takes_the_same(statement: str, sentence: str) -> bool:
    taken, took = content_words(chosen_of(statement)), content_words(chosen_of(sentence))
    left = content_words(statement) - taken
    if not left:
        return True
    both = took != content_words(sentence)  # it names what was not taken, too
    return both and len(taken & took) >= SAID_SHARE * min(len(taken), len(took)) and not left <= took


def _demands_as(item: DraftItem, text: str, words: frozenset[str]) -> bool:
    """Is what the item holds forbidden, or demanded, as by the statement? Its sentences that hold it count, else
    all of it."""
    against = forbids(text)
    every = set(words_of(text).split())
    if not against and len(words) == 1 and len(every & set(item.flat.split())) < len(every) / 2:
        return False
    least = SAID_SHARE * len(words)
    own = [one for one in sentences_of(item.text) if words and len(words & content_words(one)) >= least]
    return any(forbids(one) == against for one in own or [item.text])


def _references(text: str) -> frozenset[str]:
    found = (*identifiers(text), *exact_values(text), *_NUMBER.findall(text), *CODE.findall(text))
    return frozenset(one.casefold() for one in found)


def names_file(text: str, path: str, others: Sequence[str]) -> bool:
    """Rule 2. `others`: the paths of all files that are known."""
    name = path.rpartition("/")[2]
    alone = sum(other.rpartition("/")[2] == name for other in others) <= 1
    return names_any(text, (path, name) if alone else (path,))


def names_any(text: str, spelled: Iterable[str]) -> bool:
    """Does the text hold one of these spellings of a path as a word of its own?"""
    return any(one and re.search(rf"(?<![\w.-]){re.escape(one)}(?![\w-])", text) for one in spelled)


def bare_command(command: str) -> str:
    """A command without the directory that it changes to first, what is set before it, and what filters it."""
    return words_of(_DIRECTORY.sub("", essential(_DIRECTORY.sub("", command.strip()), True)))


def directory_of(command: str) -> str:
    """The directory that a command changes to first; "" for none."""
    first = _DIRECTORY.match(command.strip()) or _DIRECTORY.match(essential(command))
    return first[1].strip("\"'").rstrip("/") or "/" if first else ""


def tests_named(facts: Iterable[Fact]) -> frozenset[str]:
    """The tests that the quoted lines of failures name, as words."""
    lines = (fact.detail.rpartition("\n")[2] for fact in facts if fact.status == "failed")
    return frozenset(words_of(name) for line in lines for name in identifiers(line) if _TEST.search(name))


def says_failure(draft: DraftLines, facts: Sequence[Fact], *, still: bool = False) -> bool:
    """Rule 3, of failures with one error. `still`: does it count only where the item tells of no success?"""
    named = {*(bare_command(fact.text) for fact in facts), *tests_named(facts)} - {""}
    return any(
        _tells_failure(item, named) and not (still and WORKS.search(_COUNTED.sub(" ", item.text)))
        for words in named
        for item in draft.items_naming(words)
    )


def _tells_failure(item: DraftItem, named: Set[str]) -> bool:
    own = [one.ending for one in claims(item.text) if {bare_command(one.quoted), words_of(one.quoted)} & named]
    if "works" in own and "fails" not in own:
        return False
    return bool(FAILS.search(present(item.text))) or (item.kind == "blocked" and ending(item.text) != "works")
