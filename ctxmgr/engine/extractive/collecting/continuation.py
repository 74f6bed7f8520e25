"""Turns what a previous summary said of the request that it was cut in into what new messages go on from.

Rules:
1. New messages that ask for nothing go on with that request; else it is over, and was asked.
2. What it came to is told with its request from now on, whole, as the newest request is another one.
3. What was said last is told no more once something new was said.
"""

import msgspec

from ctxmgr.engine.extractive.collecting.carry import ARROW, LATEST, PreviousFacts
from ctxmgr.engine.extractive.collecting.work import WorkHistory, request_of
from ctxmgr.engine.text import key_of, shorten
from ctxmgr.model.saved import Fact

ASKED_CHARACTERS = 1_200  # of a request beside what came of it
KNOWN_CHARACTERS = 60  # of a request that tell it from others


def take_up(carried: PreviousFacts, work: WorkHistory, newest: str = "") -> None:
    """Changes `carried`, and gives the first stretch its request where it has none. `newest` as for `gather`."""
    first, facts, over = work.stretches[0], list[Fact](), list[str]()
    if any(one.texts for one in work.stretches):
        carried.last_statement = ""
    for fact in carried.facts:
        current = fact.slot == "task" and fact.status == "active"
        ours = current and (fact.text == carried.split or fact.text.startswith(('"', LATEST)))
        if not ours:
            facts.append(fact)
            continue
        request = carried.latest if fact.text.startswith(LATEST) else _quoted(fact.text) or carried.split
        request = request_of(request)
        if not first.request:
            first.request = request
        elif request:
            over.append(request)
    answered = any(fact.slot == "task" and fact.text.startswith(LATEST) for fact in facts)
    if not first.request and carried.latest and not answered:
        first.request = carried.latest
    newer = bool(newest) or any(one.request for one in work.stretches[bool(first.request == carried.latest) :])
    if newer and carried.latest and first.request != carried.latest and not answered:
        over.append(carried.latest)
    told = [fact.text for fact in facts] + list(carried.findings)
    over = [text for text in dict.fromkeys(over) if not _is_told(text, told)]
    carried.facts = [_superseded(fact, carried.latest) for fact in facts] + [_asked(text) for text in over]
    if newer:
        carried.findings = {_in_full(text, carried.latest): None for text in carried.findings}
        carried.latest = ""


def _is_told(request: str, told: list[str]) -> bool:
    return any(text.startswith(_begins(request)) for text in told)


def _begins(request: str) -> str:
    """How a line begins that tells what came of a request."""
    return f'"{request[:KNOWN_CHARACTERS].rstrip()}'


def _in_full(found: str, latest: str) -> str:
    """What was found for the newest request, once a newer one came: the request stands nowhere else then."""
    if not latest or not found.startswith(_begins(latest)) or ARROW not in found:
        return found
    return f'"{shorten(latest, ASKED_CHARACTERS)}{ARROW}{found.partition(ARROW)[2]}'


def _asked(request: str) -> Fact:
    text = shorten(request, ASKED_CHARACTERS)
    return Fact("request", key_of(text), text, "summary", -1, listing="")


def _superseded(fact: Fact, latest: str) -> Fact:
    """What the newest request came to, once a newer one came: told with its request from now on."""
    if fact.slot == "task" and fact.text.startswith(LATEST) and latest:
        text = f'"{shorten(latest, ASKED_CHARACTERS)}{ARROW}{fact.text.removeprefix(LATEST)}'
        return msgspec.structs.replace(fact, status="done", text=text, key=key_of(text))
    return fact


def _quoted(text: str) -> str:
    return text[1 : text.find('"', 1)] if text.startswith('"') and '"' in text[1:] else ""
