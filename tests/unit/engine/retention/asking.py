"""Asks of preset `balanced` where `keep` is set, for tests: the asks of `stepwise`, with what text is worth."""

from typing import Any

import msgspec

from ctxmgr.engine.balanced.project import BalancedResult
from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.retention.epoch import WorthInputs, WorthTerms, drafted
from ctxmgr.engine.retention.packet_writing import Room
from ctxmgr.engine.retention.worth import Worth
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import WorkingSet
from ctxmgr.model.projection import Plan
from tests.notation import Said, indexed, raws, read
from tests.unit.engine import stepwise

KEEP = 15.0  # what lacking a stretch costs, in tokens: a read of 115 tokens is worth 800 tokens of conversation
NOTHING = 0.001  # nothing is worth its place
ALL = 1e9  # and so is everything
NEWEST = WorkingSet(results=2, tokens=100)
OWN: dict[str, Any] = {"keep": KEEP, "working_set": NEWEST, "limit": 1e9}  # keys that `stepwise` does not have


def ask(
    messages: tuple[Message, ...], done: BalancedResult | None = None, size: int = 0, **keys: Any
) -> WorthInputs:
    """What goes on from the projection `done`, of the first `size` messages. Keys are those of `stepwise.ask` and
    of `OWN`; `limit` is that from which on a list is pressed."""
    own = {name: keys.pop(name, usual) for name, usual in OWN.items()}
    asked = stepwise.ask(messages, done, size, **keys)
    by = asked.epoch_inputs
    terms = WorthTerms(
        zone=by.zone,
        layout=msgspec.structs.replace(by.layout, newest=own["working_set"]),
        room=Room(min(own["limit"], by.budget.window), by.budget.window, by.budget.users),
        worth=Worth(own["keep"], by.rates),
        cached_count=by.cached_count,
        protection=by.protection,
        writer=by.writer,
    )
    return WorthInputs(terms, asked.epoch, asked.reopen, asked.last_plan, asked.last_count, asked.time_ms)


def terms(messages: tuple[Message, ...], **keys: Any) -> WorthTerms:
    """By which a first projection is decided."""
    return ask(messages, **keys).terms


def project(conversation: ConversationIndex, asked: WorthInputs) -> BalancedResult:
    return drafted(conversation, asked).decided()


def projected(
    messages: tuple[Message, ...], done: BalancedResult | None = None, size: int = 0, **keys: Any
) -> BalancedResult:
    return project(indexed(messages), ask(messages, done, size, **keys))


def restarted(messages: tuple[Message, ...], done: BalancedResult, size: int, **keys: Any) -> BalancedResult:
    """The same from what a snapshot holds: the plan before is gone."""
    return projected(messages, done, size, **{**keys, "last_plan": None})


def opened(said: list[Said], reopen: str = "forced", **keys: Any) -> tuple[tuple[Message, ...], Plan]:
    """A list, and its plan once an epoch was opened over it."""
    messages = read(raws(*said))
    return messages, projected(messages, reopen=reopen, **keys).plan


def ok(messages: tuple[Message, ...], plan: Plan, newest: WorkingSet = NEWEST) -> None:
    """No rule is broken, the promise of the working set among them."""
    promised = msgspec.structs.replace(plan, working_set=newest)
    assert STEPS.check(indexed(messages), promised)[0] == ()
