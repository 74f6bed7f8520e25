"""The verbs `pin` and `unpin`: what has to stay in the model's view, whatever it weighs.

Rules:
1. A pin holds from the next epoch on. The next list opens one only where something that left comes back by it:
   else the prefix would be broken for nothing.
2. Taking a pin off opens none: what it held may leave when an epoch comes.
3. Pins are the user's or the model's word: they outlive compactions, moves in the tree and restarts.
"""

import msgspec

from ctxmgr.model import Pin, PinBy, invalid_params
from ctxmgr.model.api import recovery
from ctxmgr.session.session import SessionCore


def pin(session: SessionCore, params: recovery.PinParams) -> None:
    """Raises CallError. A pin that is there already changes nothing."""
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
    """Raises CallError. A pin that is not there changes nothing."""
    old = _pin(params)
    kept = tuple(one for one in session.state.pins if one != old)
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
        raise invalid_params("one of callId, digest, path and tool is needed", "$")
    return given[0]
