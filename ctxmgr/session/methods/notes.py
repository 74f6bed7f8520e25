"""Turns a session into what people should know of it: what was noted as it happened, and what follows from how it
is set. A host that asks for nothing is told nothing of it.
"""

from collections.abc import Iterator

from ctxmgr.model import policy_keys
from ctxmgr.model.api import lifecycle
from ctxmgr.session.session import SessionCore
from ctxmgr.session.windows import window_of

BY_ESTIMATE = "no usage is reported: a compaction is asked for by the estimate of the list's tokens"


def notes(session: SessionCore, cache: lifecycle.CacheStatus | None) -> tuple[str, ...]:
    """One sentence each, without conversation in it."""
    mismatches = session.mismatches.note(session.state.model.window)
    told = tuple(filter(None, (mismatches, session.preset.why_idle(session.state, session.policy))))
    gap = (cache.gap,) if cache is not None and cache.gap else ()
    set_so = (*_asking(session), *_ahead(session), *_pins(session), *_unseen(session))
    stored = (session.stored.note,) if session.stored.note else ()
    return (*session.warnings, *stored, *session.idle_keys, *told, *_window(session), *gap, *set_so)


def _window(session: SessionCore) -> Iterator[str]:
    """What a refusal taught."""
    said, taken = session.state.model.window, window_of(session.state)
    if taken != said:
        yield f"the model refused a list as too long: its window is taken to be {taken} tokens, not {said}"


def _asking(session: SessionCore) -> Iterator[str]:
    """Whether a compaction will be asked for, and by what."""
    if not session.capabilities.request_compaction:
        return
    if not session.preset.asks_for_compaction:
        yield f"no compaction is asked for in preset {session.policy.preset}"
    elif not session.state.enabled:
        yield "no compaction is asked for while pruning is switched off"
    elif not policy_keys.compaction(session.policy).enabled:
        yield "no compaction is asked for: the policy's compaction.enabled is false"
    elif session.by_estimate and not session.mismatches.times:
        yield BY_ESTIMATE


def _pins(session: SessionCore) -> Iterator[str]:
    """Whether they hold anything: that they do is decided where an epoch begins."""
    if session.state.pins and session.preset.prunes and not session.preset.keeps_prefix:
        yield f"pins do nothing in preset {session.policy.preset}"


def _unseen(session: SessionCore) -> Iterator[str]:
    """What no list shows where no packet is written."""
    state = session.state
    if session.preset.is_active(state) or not (state.summaries or state.scratchpad.strip()):
        return
    why = "while pruning is switched off" if session.preset.prunes else f"in preset {session.policy.preset}"
    yield f"no packet is written {why}: no list shows the scratchpad, nor what a summary left out"


def _ahead(session: SessionCore) -> Iterator[str]:
    """Why nothing is written ahead, where the policy wants it."""
    if not policy_keys.compaction(session.policy).prepare_ahead:
        return
    if not session.capabilities.request_compaction:
        yield "prepareAhead does nothing: the host does not declare requestCompaction"
    elif not session.may_ask():
        yield "prepareAhead does nothing: no compaction is asked for"
    elif session.prefetch.failure:
        yield f"prepareAhead wrote nothing: {session.prefetch.failure}"
