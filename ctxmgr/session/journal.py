"""A session's first state: new, or restored from a snapshot. Turns changes of the state into snapshot lines, and
lines back into the state.

The first line holds the whole state; each later one only what an event changed. Fields that only grow (facts) are
written as additions. A field is stored under its name on disk, which may be older than its name in the code. A line
of an unknown kind is kept and written again. The first line holds the newest summaries of the active path whole,
and only marks older ones as heard, since nothing needs more.
"""

from collections.abc import Sequence
from itertools import compress
from operator import is_not
from typing import Any

import msgspec

from ctxmgr.engine.caching import truth
from ctxmgr.engine.conversation import DIGESTS
from ctxmgr.engine.pressure import latch, meter
from ctxmgr.model import WEIGHER
from ctxmgr.model.saved import ModelSpec, RawSummary, State

VERSION = 1
# names on disk
GROWING = frozenset(("facts", "pending", "summaries", "trail", "receipts", "pins", "instructions"))
"""Tuples that mostly grow at the end."""
KEPT_WHOLE = 3  # summaries; what a session may return to by a move to an entry before the newest
UNSAVED_ALONE = frozenset({"totals"})  # a change of these alone is not saved

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder().decode
NAMES = tuple(field.encode_name for field in msgspec.structs.fields(State))  # in the order of its fields
_NUMBERS = range(len(NAMES))


class UnreadableJournal(ValueError):
    """The lines do not form a state. The text says why."""


def base(state: State) -> bytes:
    """The first line: the whole state, without the text of older summaries."""
    state = msgspec.structs.replace(state, summaries=bounded_summaries(state))
    body = {"kind": "base", "version": VERSION, "sessionId": state.session_id, "state": state}
    return _encode(body)


def bounded_summaries(state: State) -> tuple[RawSummary, ...]:
    """The state's summaries, without the text of those that are not kept whole."""
    summaries, path = state.summaries, frozenset(state.trail)
    on_path = [number for number, summary in enumerate(summaries) if summary.entry is None or summary.entry in path]
    whole = set(on_path[-KEPT_WHOLE:])
    return tuple(
        summary if number in whole else msgspec.structs.replace(summary, text="")
        for number, summary in enumerate(summaries)
    )


def delta(old: State, new: State) -> bytes | None:
    """The changes between two states, None if nothing worth a line changed."""
    if old is new:
        return None
    befores, afters = msgspec.structs.astuple(old), msgspec.structs.astuple(new)
    fields: dict[str, Any] = {}
    added: dict[str, Any] = {}
    for number in compress(_NUMBERS, map(is_not, befores, afters)):
        name, before, after = NAMES[number], befores[number], afters[number]
        if name not in GROWING:
            if before != after:
                fields[name] = after
        elif after[: len(before)] == before:
            added[name] = after[len(before) :]
        else:
            fields[name] = after
    if not added and UNSAVED_ALONE.issuperset(fields):
        return None
    body: dict[str, Any] = {"kind": "event", "seq": new.seq}
    if fields:
        body["set"] = fields
    if added:
        body["add"] = added
    return _encode(body)


def restore(lines: Sequence[bytes]) -> tuple[State, tuple[bytes, ...]]:
    """The state that the lines form, and the lines of unknown kinds.

    Raises UnreadableJournal, with a sentence, if they form none.
    """
    try:
        first = _decode(lines[0])
        if first.get("kind") != "base":
            raise UnreadableJournal("the first line is not a base")
        values: dict[str, Any] = first["state"]
        strange = []
        for line in lines[1:]:
            body = _decode(line)
            if body.get("kind") != "event":
                strange.append(line)
                continue
            values.update(body.get("set", {}))
            for name, more in body.get("add", {}).items():
                values[name] = [*values.get(name, ()), *more]
        return msgspec.convert(values, State), tuple(strange)
    except (msgspec.MsgspecError, UnicodeDecodeError, IndexError, KeyError, TypeError, AttributeError) as fault:
        raise UnreadableJournal(f"{type(fault).__name__}: the lines make up no state") from fault


def begun(session_id: str, model: ModelSpec) -> State:
    """The state of a new session."""
    return State(session_id, model, digests=DIGESTS)


def undecided(state: State) -> State:
    """The state without its decisions about the list, so that the next one is decided from scratch. Learned facts
    stay.
    """
    return msgspec.structs.replace(state, decisions={}, anchor="", packet=None, last_projection=None, sent=())


def restored(state: State) -> State:
    """A snapshot's state, ready to continue. Calls in progress when the process ended are dropped, and so are token
    ratios of another counter. If digests were made differently they identify nothing, so the next list is decided
    from scratch.
    """
    shown = state.last_projection
    if state.meter.weigher not in ("", WEIGHER) or (shown is not None and shown.weigher != WEIGHER):
        counted = truth.uncounted(state.counted)
        state = msgspec.structs.replace(state, meter=meter.void(state.meter), last_projection=None, counted=counted)
    if state.digests != DIGESTS:
        reopen = state.reopen or ("rewritten" if state.decisions else None)
        state = msgspec.structs.replace(undecided(state), reopen=reopen, digests=DIGESTS)
    return msgspec.structs.replace(
        state, latch=latch.restored(state.latch), outgoing_tokens=state.outgoing_tokens or state.meter.base
    )
