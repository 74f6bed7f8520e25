"""Turns the facts of runs into how each stands: what went on with its end, and what failed beside a run that tells
nothing.

Rules:

1. A run that went on ended as the fact says that tells of its end, by the id of the run. What it printed later was
   printed by the command that began it.
2. A run of which nobody knows how it ended (`UNTOLD`) takes the place of one that worked. One that failed is known
   beside it, unless the same line ran again: it showed the failure, and shows it no more. What is known later takes
   the place of both.
"""

from msgspec import structs

from ctxmgr.engine.ledger.values import COMMAND_CHARACTERS
from ctxmgr.engine.text import plain, shorten
from ctxmgr.model.saved import END_OF, GOES_ON, UNTOLD, Fact

MOST_IDS = 4  # that one run goes on under, one after the other: a script's, and a shell's in it


def with_ends(facts: list[Fact]) -> list[Fact]:
    """Rule 1: runs that went on, with the end that was told of them later."""
    ends = {fact.key.removeprefix(END_OF): fact for fact in facts if _is_end(fact)}
    if not ends:
        return facts
    found: list[Fact] = []
    began = _began(facts, ends)
    for fact in facts:
        if _is_end(fact):
            continue
        if fact.slot == "value" and fact.detail.startswith(GOES_ON):
            run, _, tool = fact.detail.removeprefix(GOES_ON).partition("\n")
            fact = structs.replace(fact, detail=began.get(run, tool))
        for _ in range(MOST_IDS):
            end = ends.get(fact.detail.removeprefix(GOES_ON)) if _goes_on(fact) else None
            if end is None or (end.time_ms, end.seq) < (fact.time_ms, fact.seq):
                break
            fact = structs.replace(
                fact,
                status=end.status,
                detail=end.detail,
                failed_parts=end.failed_parts,
                time_ms=end.time_ms,
                seq=end.seq,
            )
        found.append(fact)
    return found


def _began(facts: list[Fact], ends: dict[str, Fact]) -> dict[str, str]:
    """The command that each run that went on began with, by the ids that it went on under."""
    found = {
        fact.detail.removeprefix(GOES_ON): shorten(plain(fact.text), COMMAND_CHARACTERS)
        for fact in facts
        if _goes_on(fact) and not _is_end(fact)
    }
    same = {run: end.detail.removeprefix(GOES_ON) for run, end in ends.items() if end.detail.startswith(GOES_ON)}
    for _ in range(MOST_IDS):  # a script's id leads to a shell's and back, of which the newest is known
        for one, other in (*same.items(), *((other, one) for one, other in same.items())):
            if one in found:
                found.setdefault(other, found[one])
    return found


def with_untold(facts: list[Fact]) -> list[Fact]:
    """Rule 2: of the facts of one run those that hold."""
    untold: dict[str, list[Fact]] = {}
    for fact in sorted(filter(_is_untold, facts), key=_when):
        untold.setdefault(fact.key, []).append(fact)
    if not untold:
        return facts
    told = {fact.key: fact for fact in facts if fact.slot == "command" and not _is_untold(fact)}
    return [fact for fact in facts if _holds(fact, untold.get(fact.key, []), told)]


def _holds(fact: Fact, untold: list[Fact], told: dict[str, Fact]) -> bool:
    """`untold`: of this run, oldest first."""
    if fact.slot != "command" or not untold:
        return True
    known = told.get(fact.key)
    if fact is not known:
        return fact is untold[-1] and (known is None or _when(known) < _when(fact))
    since = [one for one in untold if _when(one) > _when(known)]
    return not since or (known.status == "failed" and all(one.text != known.text for one in since))


def _when(fact: Fact) -> tuple[int, int, int]:
    return fact.time_ms, fact.seq, fact.order


def _is_untold(fact: Fact) -> bool:
    return fact.slot == "command" and fact.listing.startswith(UNTOLD)


def _is_end(fact: Fact) -> bool:
    return fact.slot == "command" and fact.key.startswith(END_OF)


def _goes_on(fact: Fact) -> bool:
    return fact.slot == "command" and fact.status == "unknown" and fact.detail.startswith(GOES_ON)
