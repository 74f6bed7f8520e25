"""Turns messages into the facts they state, for a summary: times are places in the list, and no entry is known."""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine import extract, extractive_carry
from ctxmgr.model.branch import BranchMessage
from ctxmgr.model.facts import Fact
from ctxmgr.model.messages import Call


class Heard(msgspec.Struct):
    """`touched` maps a call's id to "read" or "changed", a newline and the path, where it did either. `left` is
    what summaries of left branches say, a statement each."""

    facts: list[Fact] = []
    touched: dict[str, str] = {}
    left: list[str] = []


def hear(messages: Sequence[BranchMessage], *, opened: bool) -> Heard:
    """The facts of messages, oldest first. `opened`: the session's goal is known already.

    A result belongs to the latest earlier call with its id. A compaction's summary that stands in the list
    counts as said there.
    """
    heard = Heard()
    calls: dict[str, Call] = {}
    for at, message in enumerate(messages):
        view = message.view
        if view.role == "summary":
            text = "\n".join(unit.text for unit in view.units)
            carried = extractive_carry.read(text, at)
            if view.summary == "compaction":
                heard.facts += carried.facts
                opened = opened or any(fact.slot == "goal" for fact in carried.facts)
            else:
                heard.left += [fact.text for fact in carried.facts]
            continue
        for unit in view.units:
            if unit.kind == "call":
                calls[unit.call_id] = Call(unit.tool, unit.arguments or {})
        opening = view.opens_turn and not opened
        facts = extract.from_message(view, origin=str(at), at=at, seq=0, entry=None, calls=calls, opening=opening)
        opened = opened or any(fact.slot == "goal" for fact in facts)
        heard.facts += facts
        results = [unit.call_id for unit in view.units if unit.kind == "result"]
        touched = [fact.key for fact in facts if fact.slot == "file"]
        if touched and len(results) == 1:
            heard.touched[results[0]] = touched[0]
    return heard
