"""The methods `pin` and `unpin`: what must stay in the model's view, whatever its size.

Rules:
1. A pin holds from the next epoch on. The next list opens one only if the pin restores removed content; else the
   prefix would be broken for nothing.
2. Removing a pin opens none: what it held may be removed at the next epoch.
3. Pins are the user's or the model's decision: they survive compactions, moves in the tree and restarts.
"""

import msgspec

from ctxmgr.engine.conversation import digest_of
from ctxmgr.model import Pin, PinBy, invalid_params
from ctxmgr.model.api import recovery
from ctxmgr.session.methods import archiving
from ctxmgr.session.session import SessionCore


def pin(session: SessionCore, params: recovery.PinParams) -> None:
    """Raises CallError. An existing pin changes nothing."""
    new = _pin(params)
    state = session.state
    if new in state.pins:
        return
    session.state = msgspec.structs.replace(
        state,
        pins=(*state.pins, new),
        reopen=state.reopen or ("pin" if state.decisions else None),
    )


def unpin(session: SessionCore, params: recovery.PinParams) -> None:
    """Raises CallError. An unknown pin changes nothing."""
    old = _pin(params)
    kept = tuple(pin for pin in session.state.pins if pin != old)
    if len(kept) != len(session.state.pins):
        session.state = msgspec.structs.replace(session.state, pins=kept)


def _pin(params: recovery.PinParams) -> Pin:
    by: dict[PinBy, str | None] = {
        "callId": params.call_id,
        "digest": params.digest,
        "path": params.path,
        "tool": params.tool,
    }
    given = [Pin(name, value) for name, value in by.items() if value is not None]
    if len(given) != 1:
        raise invalid_params("exactly one of callId, digest, path and tool is required", "$")
    return given[0]


# The verb `undo`: takes back what left at one epoch, and pins it, so that it does not leave again.
#
# Rules:
# 1. What the receipt lists is decided no more, whatever was decided of it since; nothing else is touched.
# 2. The messages concerned are pinned by digest: an undo that the next epoch takes back would be none.
# 3. What the receipt does not list any more cannot be taken back, and that is said.


def undo(session: SessionCore, params: recovery.UndoParams) -> None:
    """Raises CallError for an epoch without a kept receipt. Undoing twice changes nothing."""
    state = session.state
    receipt = next((receipt for receipt in reversed(state.receipts) if receipt.epoch_number == params.epoch), None)
    if receipt is None:
        raise invalid_params("there is no stored receipt of this epoch", "$.epoch")
    keys = {left.key for left in receipt.evicted}
    keys |= {left.key.partition("/")[0] for left in receipt.evicted if left.kind == "dropped"}  # of its message
    decisions = session.preset.undone(state, keys).decisions
    wanted = dict.fromkeys(Pin("digest", digest_of(left.key)) for left in receipt.evicted)
    known = set(state.pins)
    pins = (*state.pins, *(pin for pin in wanted if pin not in known))
    if len(decisions) == len(state.decisions) and len(pins) == len(state.pins):
        return
    reopen = "undo" if state.reopen in (None, "pin") else state.reopen
    session.state = msgspec.structs.replace(state, decisions=decisions, pins=pins, reopen=reopen)
    if receipt.omitted_count:
        omitted = receipt.omitted_count
        note = f"undo of epoch {receipt.epoch_number}: {omitted} things are not in its receipt and stay removed"
        archiving.warn(session, note)
