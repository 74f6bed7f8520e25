"""Turns facts into a ledger, and a ledger into what holds now.

Rules:
1. Fold keeps, for each (slot, source, listing, key), the greatest fact by `order`: time first, then content.
   A greatest-of is commutative, associative and idempotent; so the ledger does not depend on the order in
   which facts are seen, and ingesting a message twice changes nothing.
2. Nothing is deleted by fold. Whether a fact holds is worked out when it is read, from the ledger alone: what
   closes a fact may be seen before it.
3. A fact of a listing (a compaction summary, a task list) is closed when the listing was stated later without
   it. A user's fact is in no listing: only a later user message closes it.
4. Of one key, the newest source counts; but a constraint in the user's own words stands before a summary's
   wording of it, whatever their times, and what a tool did to a file before a summary's list of files. The goal in
   the user's words stands until the user says another; a later summary's wording of it stands beside it.
5. A constraint is closed when a later user message takes it back (`taking_back`), or allows what it forbids. Where
   that is in doubt the constraint stands with the status `EARLIER`, and so does what was said later.
6. Branch facts and done tasks are history, with one exception: files, for a branch's changes are on disk.
7. Of what the assistant decided and found the newest holds that says it (`findings.standing`), and what the user
   said since before it; one that may be over has the status `EARLIER`.
8. A fact that says a task's state and not its text (`STATE`) takes the newest text of its key, one that says its
   text and not its state (`RENAMED`) the newest state, and what the task is about (`ABOUT`) stands behind the text
   that it came after. A task that was dropped no longer holds. Of a task that its tool knows by an id, what a
   summary says without it holds no more, and how it stands is the tool's word: a summary is of what it replaced,
   and what was done may stand behind it.
9. A commit that was taken back since says so, and a file that was brought back is changed no more (`branches`).
10. A command whose run went on ended as the fact says that tells of its end; a run that nobody knows of takes no
    failure's place (`runs`).
"""

import re
from collections.abc import Iterable

from msgspec import structs

from ctxmgr.engine import findings
from ctxmgr.engine.ledger import taking_back, task_ids
from ctxmgr.engine.ledger.branches import with_commits, without_brought_back
from ctxmgr.engine.ledger.runs import with_ends, with_untold
from ctxmgr.engine.text import content_list, content_words, forbids, key_of
from ctxmgr.model import once
from ctxmgr.model.saved import ABOUT, ALLOWED, ASIDE, EARLIER, RENAMED, STATE, Fact, Ledger, Slot

Stamp = tuple[int, int]
Order = tuple[int, int, int, str, str, str, str, str, str, str, str, str, str, int]

# At the same moment a person's word stands before a summary of it, and both before what a tool did.
_RANKS = {"user": 4, "summary": 3, "assistant": 2, "tool": 1, "branch": 0}
_IN_PART = frozenset((STATE, RENAMED, ABOUT))
_STATED: frozenset[Slot] = frozenset(("decision", "finding", "next"))
_USER_FIRST: frozenset[Slot] = frozenset(("constraint", "decision", "context"))

_REASON = re.compile(r",? (?:because|since|as|the|it|that)\b.*(?: is| was|'s) .*$", re.IGNORECASE)
RETRACTIONS = 50  # newest of what lifts, and of what demands, that are looked at: each with every constraint
_CHANGES = content_words("change edit modify modified alter")


def fold(ledger: Ledger, facts: Iterable[Fact]) -> Ledger:
    """Merge facts into the ledger. Returns the same ledger where they change nothing; costs the new facts."""
    held = ledger.facts
    copied = False
    stamp = ledger.summary_stamp
    for fact in facts:
        key = _line(fact)
        before = held.get(key)
        if before is None or order(fact) > order(before):
            if not copied:
                held, copied = dict(held), True
            held[key] = fact
        if fact.source == "summary" and (fact.time_ms, fact.seq) > stamp:
            stamp = (fact.time_ms, fact.seq)
    return Ledger(held, stamp) if copied or stamp != ledger.summary_stamp else ledger


def with_shared_words(ledger: Ledger, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The same facts, with the ledger's own key and text where they say what it knows: a session reads one file
    many times, and keeps its name once."""
    out = []
    for fact in facts:
        before = ledger.facts.get(_line(fact))
        if before is not None and before.text == fact.text:
            fact = structs.replace(fact, key=before.key, text=before.text)
        out.append(fact)
    return tuple(out)


def _line(fact: Fact) -> str:
    """What a ledger keeps one fact of."""
    return f"{fact.slot}\n{fact.source}\n{fact.listing}\n{fact.key}"


def order(fact: Fact) -> Order:
    """The total order of facts: when it was said, then everything else that a fact holds."""
    rank, entry = _RANKS[fact.source], fact.entry or ""
    text = (fact.status, fact.text, fact.detail, fact.slot, fact.key, fact.listing)
    return (fact.time_ms, fact.seq, rank, *text, fact.runs, fact.failed_parts, entry, fact.origin, fact.order)


def current(ledger: Ledger) -> tuple[Fact, ...]:
    """Return what holds now, one fact a statement, oldest first; done tasks and left branches are history."""
    return now_and_past(ledger)[0]


@once
def now_and_past(ledger: Ledger) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """Return what holds now, and what is over but worth knowing: done tasks, left branches, requests."""
    standing = _standing(ledger)
    now = tuple(fact for fact in standing if not _is_past(fact))
    return now, tuple(fact for fact in standing if _is_past(fact))


def _is_past(fact: Fact) -> bool:
    if fact.source == "branch":
        return fact.slot != "file"
    return fact.slot == "request" or (fact.slot == "task" and fact.status == "done")


def _standing(ledger: Ledger) -> list[Fact]:
    """The facts that nothing closed, one for each statement, in the order they were made."""
    listed: dict[str, Stamp] = {}
    for fact in ledger.facts.values():
        if fact.slot == "listing":
            listed[fact.key] = max(listed.get(fact.key, (-1, -1)), (fact.time_ms, fact.seq))
    chosen: dict[tuple[str, str, str], Fact] = {}
    for fact in ledger.facts.values():
        if fact.slot == "listing" or (
            fact.listing and (fact.time_ms, fact.seq) < listed.get(fact.listing, (-1, -1))
        ):
            continue
        key = (fact.slot, fact.key, _apart(fact))
        rival = chosen.get(key)
        if rival is None or _precedence(fact) > _precedence(rival):
            chosen[key] = fact
    said, told = chosen.get(("goal", "", "user")), chosen.get(("goal", "", ""))
    if said is not None and told is not None and order(said) > order(told):
        del chosen["goal", "", ""]
    standing = _without_retracted(with_untold(with_ends(_with_texts(chosen.values(), ledger))))
    standing = without_brought_back(with_commits(_without_superseded(standing)))
    standing.sort(key=lambda fact: (fact.time_ms, fact.seq, fact.order, fact.slot, fact.key, fact.source))
    return standing


def _apart(fact: Fact) -> str:
    """Of facts with one key, those that do not take each other's place."""
    if fact.source == "branch" and fact.slot != "file":
        return "branch"
    if fact.slot == "command":
        return fact.listing
    return "user" if fact.slot == "goal" and fact.source == "user" else ""


def _with_texts(facts: Iterable[Fact], ledger: Ledger) -> list[Fact]:
    """Rule 8: facts that say a task in part with the newest of the rest."""
    tasks = [fact for fact in ledger.facts.values() if fact.slot == "task"]
    texts = _newest(fact for fact in tasks if fact.text and fact.listing != ABOUT)
    by_id = {key_of(one.text) for key, one in texts.items() if key.startswith(task_ids.KEY)}
    states = _newest(fact for fact in tasks if fact.status and fact.source != "summary")
    abouts = _newest(fact for fact in tasks if fact.listing == ABOUT)
    found: list[Fact] = []
    for fact in facts:
        if fact.slot == "task" and fact.source == "summary" and fact.key in by_id:
            continue
        told: Fact | None = fact
        if fact.slot == "task" and fact.listing in _IN_PART:
            told = _whole_task(texts.get(fact.key), states.get(fact.key), abouts.get(fact.key))
        elif fact.slot == "task" and fact.source == "summary" and fact.key.startswith(task_ids.KEY):
            told = _as_its_tool_says(fact, states.get(fact.key))
        if told is not None and not (told.slot == "task" and told.status == "dropped"):
            found.append(told)
    return found


def _as_its_tool_says(fact: Fact, state: Fact | None) -> Fact:
    """A summary's task, in the state that its tool told last."""
    if state is None or state.status == fact.status:
        return fact
    return structs.replace(fact, status=state.status, source=state.source, origin=state.origin)


def _newest(facts: Iterable[Fact]) -> dict[str, Fact]:
    """By their keys."""
    found: dict[str, Fact] = {}
    for fact in facts:
        if fact.key not in found or order(fact) > order(found[fact.key]):
            found[fact.key] = fact
    return found


def _whole_task(text: Fact | None, state: Fact | None, about: Fact | None) -> Fact | None:
    """A task of what is known of it; None where nothing says its text."""
    if text is None:
        return None
    said = f"{text.text}: {about.text}" if about is not None and order(about) > order(text) else text.text
    return structs.replace(text, text=said, status=state.status if state is not None else "open")


def _precedence(fact: Fact) -> tuple[bool, Order]:
    seen = fact.slot == "file" and fact.source != "summary"
    return (seen or (fact.slot in _USER_FIRST and fact.source == "user"), order(fact))


def _without_retracted(facts: list[Fact]) -> list[Fact]:
    """Rule 5: leave out constraints that a later user message took back, and the takings back themselves; those of
    which it is in doubt stand, as `EARLIER` ones."""
    said = [fact for fact in facts if fact.source == "user" and fact.slot in ("constraint", "decision")]
    lifting = sorted((fact for fact in said if fact.status == "retracted"), key=order)
    demanding = sorted((fact for fact in said if fact.status != "retracted"), key=order)
    said = sorted((*lifting[-RETRACTIONS:], *demanding[-RETRACTIONS:]), key=order)
    did: dict[int, set[taking_back.Holds]] = {id(fact): set() for fact in said}
    standing: list[Fact] = []
    for fact in facts:
        holds: set[taking_back.Holds] = set()
        for newer in said if fact.slot == "constraint" and fact.status != "retracted" else ():
            if newer is not fact and _is_after(newer, fact):
                one = _holds(fact, newer)
                did[id(newer)].add(one)
                holds.add(one)
        if "no more" not in holds and fact.status != "retracted":
            standing.append(structs.replace(fact, status=EARLIER) if "earlier" in holds else fact)
    taken_back = [fact for fact in said if fact.status == "retracted"]
    language = next((fact for fact in reversed(said) if taking_back.to_language(fact.text)), None)
    doubtful = [
        fact for fact in taken_back if _is_told(fact, did[id(fact)], standing, is_language=fact is language)
    ]
    return [*standing, *(structs.replace(fact, status="") for fact in doubtful)]


def _is_after(newer: Fact, older: Fact) -> bool:
    """Two messages of one moment have no order, unless one says what it speaks of."""
    stamps = (newer.time_ms, newer.seq), (older.time_ms, older.seq)
    if stamps[0] != stamps[1]:
        return stamps[0] > stamps[1]
    if newer.origin == older.origin:
        return newer.order > older.order
    return taking_back.speaks_of_before(newer.text) and not taking_back.speaks_of_before(older.text)


def _holds(older: Fact, newer: Fact) -> taking_back.Holds:
    if newer.detail != ALLOWED:
        return taking_back.holds(older.text, newer.text, lifts=newer.status == "retracted")
    if not forbids(older.text):
        return "now"
    allowed, held = _words(_REASON.sub("", newer.text)), _words(older.text)
    if allowed == held and not taking_back.of_a_part(newer.text):
        return "no more"
    objects = frozenset(content_list(key_of(older.text))[1:])
    return "earlier" if objects & allowed else "now"


def _is_told(fact: Fact, did: set[taking_back.Holds], standing: list[Fact], *, is_language: bool) -> bool:
    """Does it speak of a rule from before that stands, and lift none? Or is it the newest to ask for a language?"""
    if fact.detail != ALLOWED:
        return bool(did - {"now"}) if is_language else "earlier" in did and "no more" not in did
    words = _words(fact.text)
    forbidding = [one for one in standing if one.slot == "constraint" and forbids(one.text)]
    near = any(words & _words(one.text) and _is_after(fact, one) for one in forbidding)
    return near and "no more" not in did


def _without_superseded(facts: list[Fact]) -> list[Fact]:
    """Rule 7. What the user said takes the place of what the assistant did, and never the other way round."""
    stated = sorted((fact for fact in facts if _is_stated(fact)), key=_said_in_order)
    users = frozenset(place for place, fact in enumerate(stated) if fact.source == "user")
    asides = frozenset(place for place, fact in enumerate(stated) if fact.detail == ASIDE or fact.slot == "next")
    holds = findings.standing([fact.text for fact in stated], users, asides)
    own = {id(fact): held for fact, held in zip(stated, holds, strict=True) if not _demands(fact)}
    found: list[Fact] = []
    for fact in facts:
        held = own.get(id(fact), "now")
        if held == "earlier":
            found.append(structs.replace(fact, status=EARLIER))
        elif held == "now" or (held == "idle" and fact.slot == "next"):
            found.append(fact)
    return found


def _is_stated(fact: Fact) -> bool:
    if fact.source == "assistant":
        return fact.slot in _STATED
    return fact.source == "user" and (fact.slot == "decision" or _demands(fact))


def _said_in_order(fact: Fact) -> tuple[int, int, int, Order]:
    """Of one message in the order of its text."""
    return fact.time_ms, fact.seq, fact.order, order(fact)


def _demands(fact: Fact) -> bool:
    return fact.slot == "constraint" and fact.source == "user" and fact.status != "retracted"


def _words(text: str) -> frozenset[str]:
    """Of what is allowed or forbidden: to change and to touch a thing is the same."""
    return frozenset("touch" if word in _CHANGES else word for word in content_words(key_of(text)))
