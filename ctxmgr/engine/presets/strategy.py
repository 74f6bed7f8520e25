"""What a preset is: an object that turns a list into a plan, and says what the rest of a session must know of it.

1. A preset holds nothing: what it remembers from call to call goes into the state it is given, and comes back with
   the plan. So a restart goes on with the same bytes.
2. It judges no plan of its own: what it makes is checked by its `invariants` before it leaves.
3. What a session would ask a preset's name for, it asks the object.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Container
from typing import ClassVar, Literal

import msgspec

from ctxmgr.engine.conversation import Incoming
from ctxmgr.engine.invariants import ALTERNATING, Invariants
from ctxmgr.engine.pressure import Gauge, Thresholds
from ctxmgr.engine.tools import Memo
from ctxmgr.model import ArchiveRow, Plan, Policy, Preset, Receipt, Weigh
from ctxmgr.model.saved import Ledger, State


class Inputs(msgspec.Struct, frozen=True):
    """What a plan is computed from beside list and state.

    `weigh` texts in tokens. `memo` only saves time. `time_ms`: of the call, None where the host told none.
    `archive`: whether what leaves is wanted, and whether markers may hold handles by which the model asks for it.
    `may_take_long`: False where others wait for this call, and a long list had better be gone through elsewhere.
    """

    policy: Policy
    gauge: Gauge
    weigh: Weigh
    ledger: Ledger
    memo: Memo
    time_ms: int | None = None
    archive: Literal["", "originals", "handles"] = ""
    may_take_long: bool = True

    @property
    def archives(self) -> bool:
        """Whether markers may hold handles."""
        return self.archive == "handles"

    @property
    def keeps_originals(self) -> bool:
        """Whether originals of what leaves are kept, with handles or without."""
        return self.archive != ""


class Planned(msgspec.Struct, frozen=True):
    """`plan`, and `state` with what was decided. `tokens` of the provider: what would be sent if nothing had been.

    Where an epoch was opened now: its `receipt`, the `originals` of what left with it, and `evicted_reads`, the
    files of which a read left, so that a host can forget that its model has seen them. `unpruned`: why a prune that
    the host asked for took nothing.
    """

    plan: Plan
    state: State
    tokens: int
    receipt: Receipt | None = None
    originals: tuple[ArchiveRow, ...] = ()
    evicted_reads: tuple[str, ...] = ()
    unpruned: str = ""


class NeedsThread(Exception):
    """The preset would hold others up: it is asked again where it may take long."""


class PresetStrategy(ABC):
    """`name` on the wire. `policy_keys`: those that mean something here, of those that do not in every preset.
    `prunes`: whether it ever leaves anything out. `asks_for_compaction` of the host when a list has outgrown it.
    `keeps_prefix`: between two epochs a list only grows at its end."""

    name: ClassVar[Preset]
    invariants: ClassVar[Invariants]
    policy_keys: ClassVar[frozenset[str]] = frozenset()
    prunes: ClassVar[bool] = True
    asks_for_compaction: ClassVar[bool] = True
    keeps_prefix: ClassVar[bool] = False

    def alternating(self) -> "PresetStrategy":
        """The same preset by the stricter rules of a model that wants users and the assistant to take turns."""
        of, own = type(self), {"invariants": ALTERNATING[self.invariants]}
        strict: PresetStrategy = type(f"Alternating{of.__name__}", (of,), own)()
        return strict

    @abstractmethod
    def project(self, incoming: Incoming, state: State, inputs: Inputs) -> Planned:
        """The plan for this list. Pure but for the memo. Where pruning is off nothing new is decided.

        Raises NeedsThread."""

    def is_active(self, state: State) -> bool:
        """Whether anything is left out at present."""
        return state.enabled and self.prunes

    def target_weight(self, gauge: Gauge) -> float:
        """What a list that does not fit is cut to, in tokens, where that is less than fits."""
        return math.inf

    def promised_weight(self, gauge: Gauge) -> float:
        """The same, where the working set that is promised does not fit."""
        return math.inf

    def asking_tokens(self, thresholds: Thresholds) -> float:
        """From how many tokens on a compaction is asked for."""
        return thresholds.red

    def leavable_weight(self, state: State, plan: Plan, answered: bool, inputs: Inputs) -> float:
        """What the next projection may take away of what would be sent now, in tokens: no compaction need be asked
        for because of it. `plan` is the last; `answered`: the next list may go on from it."""
        return 0.0

    def why_idle(self, state: State, policy: Policy) -> str:
        """Why a session that has asked for lists got all of them back as they were, where people would wonder."""
        return ""

    # what an event does to what was decided

    def packet_outdated(self, state: State) -> State:
        """What the packet is rendered by has changed."""
        return msgspec.structs.replace(state, packet=None)

    def moved(self, state: State) -> State:
        """The host is at another place of its tree."""
        return msgspec.structs.replace(state, anchor="", packet=None, decisions={})

    def switched(self, state: State) -> State:
        """Pruning is switched on or off: the next list is shown by other rules."""
        return state

    def undone(self, state: State, keys: Container[str]) -> State:
        """What was decided under these keys is not to be any more; the messages are pinned."""
        decisions = {key: decision for key, decision in state.decisions.items() if key not in keys}
        return msgspec.structs.replace(state, decisions=decisions)
