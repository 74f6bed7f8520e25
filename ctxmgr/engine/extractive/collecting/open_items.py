"""Turns what a previous summary had open into what is likely done by now, and what has to be checked before it is
done.

Nothing here can judge what is done. Rules:
1. Without new work all stays as it is.
2. With new work, a carried open task is no current task any more. It is *likely done* where what came since names
   most of what it names, or says most of its words in one outcome; else it is *planned earlier*, to be checked.
3. The newest plan counts: where new tasks were stated, or a newer plan is carried, what was planned before it is
   gone. What was likely done once is gone with the next new work.
"""

from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.engine.extractive.collecting.carry import LATEST, PreviousFacts
from ctxmgr.engine.extractive.collecting.work import WorkHistory
from ctxmgr.engine.findings import done, sentences
from ctxmgr.engine.ledger import task_ids
from ctxmgr.engine.text import identifiers, key_of
from ctxmgr.model.saved import Fact

NAMED_SHARE = 0.6  # of the names in a task that later work must have named
WORDS_SHARE = 0.75  # of the words of a task without names, in one outcome
LEAST_WORDS = 3
STEM_CHARACTERS = 5  # "moved" and "moving", "import" and "imports" are one word
MOST_PLANNED = 12
_OPEN = ("open", "active")
_FILLERS = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "from",
        "into",
        "all",
        "any",
        "our",
        "its",
        "per",
        "above",
        "below",
        "then",
        "also",
        "both",
        "user",
        "want",
    ]
)


class RecentWork(msgspec.Struct, frozen=True):
    """What was worked on since: names, each with its endings, and the stems of each outcome."""

    named: frozenset[str]
    outcomes: tuple[frozenset[str], ...]


def settle(carried: PreviousFacts, heard: Sequence[Fact], work: WorkHistory) -> None:
    """Close or relabel what is carried as open (rules 1 to 3); changes `carried` alone."""
    if not any(one.texts or one.changed for one in work.stretches):
        return
    fresh = {fact.key for fact in heard if fact.slot == "task"}
    newer = any(fact.slot == "task" and fact.status in _OPEN for fact in heard)
    was_open = [one for one in carried.facts if _is_open(one)]
    old = [] if newer or was_open else carried.planned
    tasks = [*old, *(one.text for one in was_open if one.key not in fresh)]
    carried.facts = [one for one in carried.facts if not _is_open(one)]
    carried.likely, carried.planned = [], []
    if not tasks:
        return
    since = _since(heard, work)
    for text in tasks[-MOST_PLANNED:]:
        (carried.likely if _likely(text, since) else carried.planned).append(text)


def _is_open(fact: Fact) -> bool:
    """Whether it is a carried task that stood as open; our own line on the current request is none."""
    if fact.slot != "task" or fact.key.startswith(task_ids.KEY):  # its tool says when it is done
        return False
    return fact.status in _OPEN and not fact.text.startswith(('"', LATEST))


def _since(heard: Sequence[Fact], work: WorkHistory) -> RecentWork:
    """Of what was said only the outcomes count, of commands those that worked."""
    said = [
        one.text
        for part in work.stretches
        for at, text in part.texts
        for one in sentences.standalone(text, at)
        if done(one.text)
    ]
    ran = [one.text for one in heard if one.slot == "command" and one.status == "ok"]
    named = [name for text in (*said, *ran) for name in _names(text[: sentences.TEXT_CHARACTERS])]
    return RecentWork(
        frozenset(end for name in (*named, *work.changed, *work.removed_paths) for end in _endings(name)),
        tuple(_stems(text) for text in said),
    )


def _likely(text: str, since: RecentWork) -> bool:
    text = text.partition("\n")[0]
    wanted = list(dict.fromkeys(_names(text)))
    if wanted:
        met = sum(any(end in since.named for end in _endings(name)) for name in wanted)
        return met >= NAMED_SHARE * len(wanted)
    stems = _stems(text)
    return len(stems) >= LEAST_WORDS and any(len(stems & one) >= WORDS_SHARE * len(stems) for one in since.outcomes)


def _names(text: str) -> list[str]:
    """What a text names, and each word in ticks: a directory (`core/`) is one."""
    coded = (word.strip() for word in text.split("`")[1::2])
    return [*identifiers(text), *(word for word in coded if word.strip("./-") and " " not in word)]


def _endings(name: str) -> Iterable[str]:
    """A name, and of a path its last parts: `src/utils/` is named by `utils/` too."""
    parts = name.strip("/").split("/")
    return {"/".join(parts[-count:]) for count in (1, 2) if count <= len(parts)}


def _stems(text: str) -> frozenset[str]:
    words = (word for word in key_of(text).split() if len(word) > 2 and word not in _FILLERS)
    return frozenset(word[:STEM_CHARACTERS].rstrip("esd") or word for word in words)
