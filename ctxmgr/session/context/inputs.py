"""What one `context` is computed from beside state and list, and what both ways of projecting share."""

from types import ModuleType
from typing import Any

import msgspec

from ctxmgr.engine.packet import packet
from ctxmgr.engine.pressure.zone import Thresholds
from ctxmgr.model.facts import Ledger
from ctxmgr.model.messages import PACKET_MARK
from ctxmgr.model.policy import PacketTokens, Policy, Zone
from ctxmgr.model.state import State
from ctxmgr.model.weights import Weigh


class Setting(msgspec.Struct, frozen=True):
    """`overhead` in tokens, `model` names weigher and model for the ratio. `moment`: the call's time in
    milliseconds, None where the host told none. `archive`: may markers hold handles? `may_choose`: may an epoch be
    opened here, over a long list?"""

    policy: Policy
    at: Thresholds
    form: ModuleType
    weigh: Weigh
    weigher: str
    model: str
    overhead: int
    ledger: Ledger
    memo: dict[tuple[Any, ...], Any]
    moment: int | None = None
    archive: bool = False
    may_choose: bool = True


def packet_budget(policy: Policy, zone: Zone, resume: bool) -> int:
    """In tokens."""
    if resume:
        return policy.resume_tokens
    if isinstance(policy.packet_tokens, PacketTokens):
        return int(getattr(policy.packet_tokens, zone))
    shares = {"green": 1.0, "yellow": 0.8, "red": 0.6, "compact": 0.4}  # as the default's row falls
    return int(policy.packet_tokens * shares[zone])


def told(state: State, setting: Setting, allowed: int, resume: bool, asked: bool = True) -> str:
    """The ledger's packet within so many tokens; `asked`: with earlier requests."""
    text = packet.render(
        setting.ledger,
        budget=allowed,
        weigh=setting.weigh,
        resume=resume,
        scratchpad=state.scratchpad,
        asked=asked,
    )
    if not text and setting.weigh(PACKET_MARK) <= allowed:
        return PACKET_MARK  # so little was left out that nothing more may be said of it
    return text
