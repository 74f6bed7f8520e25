"""The events after which the next list is another one: a compaction, and a move in the host's tree.

The reading and the base are void; the size of the next list is estimated from its entries. What a compaction
removes is archived with it, as far as its entries are known, else when the next list comes.
"""

from collections.abc import Container, Iterable

import msgspec

from ctxmgr.engine.instructions import held_on_path
from ctxmgr.engine.pressure import latch, meter
from ctxmgr.formats.pi_tree import entries as tree
from ctxmgr.model import Message
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import State
from ctxmgr.session import ledger_updates
from ctxmgr.session.context import removed
from ctxmgr.session.methods import archiving
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import INLINE_BYTES, Offload, Verb


def compacted(session: SessionCore, params: lifecycle.SessionCompactParams) -> Verb[None]:
    entry = params.compaction_entry
    time_ms = tree.milliseconds(entry.timestamp)

    def learn_summary() -> tuple[State, int]:
        state, facts = ledger_updates.from_summary(session.state, entry.summary, "compaction", time_ms, entry.id)
        learnt = ledger_updates.learn(ledger_updates.bind(state, entry.id)[0], facts, bound=True)
        return learnt, session.reader.weigh(entry.summary)

    long = len(entry.summary) > INLINE_BYTES
    learnt: tuple[State, int] = (yield Offload(learn_summary)) if long else learn_summary()
    state, weight = learnt
    weight += _weight_from(session.listed(), session.entry_of, entry.first_kept_entry_id)
    done, _ = latch.apply(state.latch, "compacted")
    trail = (*state.trail, entry.id) if entry.id else state.trail
    session.pending_archive += removed.before_entry(session, entry.first_kept_entry_id)
    session.state = msgspec.structs.replace(
        session.preset.packet_outdated(state),
        seq=state.seq + 1,
        latch=done,
        meter=meter.void(state.meter),
        resume=True,
        resumed=False,
        trail=trail,
        reopen=session.reopen("compaction"),
    )
    session.prefetch.forget()
    session.ledger = ledger_updates.ledger(session.state)
    session.void_base(weight)
    yield from archiving.archived(session)


def moved(session: SessionCore, params: lifecycle.SessionTreeParams) -> Verb[None]:
    """The host moved to another place in its tree."""
    state, entry_of, summary = session.state, session.entry_of, params.summary_entry
    if params.entries:
        raws = [bytes(raw) for raw in params.entries]
        state, entry_of = yield Offload(
            lambda: ledger_updates.on_path(state, session.fmt, raws, params.new_leaf_id, session.source_messages)
        )
    else:
        state = ledger_updates.along_trail(state, params.new_leaf_id, summary.parent_id if summary else None)
    if summary is not None:
        time_ms = tree.milliseconds(summary.timestamp)
        state = ledger_updates.summarised(state, summary.summary, time_ms, summary.id)
    weight = session.reader.weigh(summary.summary) if summary is not None else 0
    weight += _weight_on_path(session.listed(), entry_of, frozenset(state.trail))
    session.state = msgspec.structs.replace(
        session.preset.moved(state),
        instructions=held_on_path(state.instructions, {fact.origin for fact in state.facts}),
        seq=state.seq + 1,
        meter=meter.void(state.meter),
        resume=True,
        resumed=False,
        reopen=session.reopen("tree"),
    )
    session.entry_of = entry_of
    session.prefetch.forget()
    session.ledger = ledger_updates.ledger(session.state)
    session.source_messages.add_sources(session.state)
    session.void_base(weight)


def _weight_from(listed: Iterable[Message], entry_of: ledger_updates.EntryIds, first_kept: str | None) -> int:
    """Tokens from the first kept entry on; 0 if it is not known which message that is."""
    weight, is_known = 0, False
    for message in listed:
        is_known = is_known or (first_kept is not None and entry_of.of(message) == first_kept)
        weight += message.weight if is_known else 0
    return weight


def _weight_on_path(listed: Iterable[Message], entry_of: ledger_updates.EntryIds, path: Container[str]) -> int:
    """Tokens of the messages whose entries are on the path."""
    return sum(message.weight for message in listed if entry_of.of(message) in path)
