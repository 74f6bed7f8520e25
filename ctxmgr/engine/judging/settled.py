"""Finds what the assistant decided and found that a later commit settled: it is told last, for it may be over.

1. A commit settles what its subject speaks of: a name of the statement stands in it, or LEAST_WORDS words do.
2. It settles what names a file, too, that was changed after the statement: nobody knows what else it holds.
3. What was reset away or reverted settled nothing.
"""

from collections.abc import Sequence

from ctxmgr.engine.ledger import COMMITTED
from ctxmgr.engine.text import content_words, identifiers
from ctxmgr.model.saved import Fact

LEAST_WORDS = 2  # that a subject and a statement share; one is everybody's
LEAST_NAME = 4  # characters of a name


def settled(now: Sequence[Fact]) -> frozenset[Fact]:
    """Of facts that hold, from old to new."""
    commits = [
        fact for fact in now if fact.slot == "value" and fact.key.startswith(f"{COMMITTED}\n") and not fact.status
    ]
    if not commits:
        return frozenset()
    subjects = [(_when(fact), fact.text.partition(" ")[2]) for fact in commits]
    told = [
        (when, content_words(subject), frozenset(map(_bare, identifiers(subject)))) for when, subject in subjects
    ]
    changed = {
        _bare(fact.text.rpartition("/")[2]): _when(fact)
        for fact in now
        if fact.slot == "file" and fact.status != "read"
    }
    own = [fact for fact in now if fact.slot in ("decision", "finding") and fact.source == "assistant"]
    return frozenset(fact for fact in own if _is_settled(fact, told, changed))


def _is_settled(
    fact: Fact,
    commits: Sequence[tuple[tuple[int, int], frozenset[str], frozenset[str]]],
    changed: dict[str, tuple[int, int]],
) -> bool:
    since = [one for one in commits if one[0] > _when(fact)]
    if not since:
        return False
    words = content_words(fact.text)
    names = frozenset(one for one in map(_bare, identifiers(fact.text)) if len(one) >= LEAST_NAME)
    if any(len(words & subject) >= LEAST_WORDS or names & known for _, subject, known in since):
        return True
    return any(changed.get(name.rpartition("/")[2], (-1, -1)) > _when(fact) for name in names)


def _bare(name: str) -> str:
    return name.casefold().strip("./`()")


def _when(fact: Fact) -> tuple[int, int]:
    return fact.time_ms, fact.seq
