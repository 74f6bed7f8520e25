"""The interface of presets: an object that turns a list into a plan, and answers the session's questions about
itself.

1. A preset has no state of its own. What it remembers between calls is in the state that it is given and returned
   with the plan. So a session continues with the same bytes after a restart.
2. It does not judge its own plans: its `invariants` check them before they are returned.
3. A session never branches on a preset's name; it asks the object.
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
    """What a plan is computed from, besides list and state.

    `weigh` counts the tokens of a text. `memo` only saves time. `time_ms`: when the call came, or None if the host
    did not say. `archive`: whether originals of removed content are kept, and whether markers may contain handles
    by which the model requests it. `may_take_long`: False if other calls wait for this one, so that a long list
    should be processed in another thread. `may_ask`: whether the host may be asked for a compaction.
    """

    policy: Policy
    gauge: Gauge
    weigh: Weigh
    ledger: Ledger
    memo: Memo
    time_ms: int | None = None
    archive: Literal["", "originals", "handles"] = ""
    may_take_long: bool = True
    may_ask: bool = True

    @property
    def archives(self) -> bool:
        """Whether markers may contain handles."""
        return self.archive == "handles"

    @property
    def keeps_originals(self) -> bool:
        """Whether originals of removed content are kept, with handles or without."""
        return self.archive != ""


class Planned(msgspec.Struct, frozen=True):
    """`plan`, and `state` with what was decided. `tokens`: what would be sent without new decisions, by the
    provider's count.

    If an epoch was opened: its `receipt`, the `originals` of what it removed, and `evicted_reads`, the files whose
    reads were removed, so that a host can forget that its model has seen them. `unpruned`: why a prune that the
    host requested removed nothing.
    """

    plan: Plan
    state: State
    tokens: int
    receipt: Receipt | None = None
    originals: tuple[ArchiveRow, ...] = ()
    evicted_reads: tuple[str, ...] = ()
    unpruned: str = ""


class NeedsThread(Exception):
    """The preset would block other calls. Call it again where it may take long."""


class PresetStrategy(ABC):
    """`name` as on the wire. `summary`: what it does, as a clause for the reference. `policy_keys`: the keys that
    matter here, of those that do not matter in every preset. `prunes`: whether it ever removes anything.
    `asks_for_compaction`: whether it requests a compaction when a list is too large. `keeps_prefix`: whether a list
    only grows at its end between two epochs.
    """

    name: ClassVar[Preset]
    summary: ClassVar[str]
    invariants: ClassVar[Invariants]
    policy_keys: ClassVar[frozenset[str]] = frozenset()
    prunes: ClassVar[bool] = True
    asks_for_compaction: ClassVar[bool] = True
    keeps_prefix: ClassVar[bool] = False

    def alternating(self) -> "PresetStrategy":
        """The same preset with the stricter rules of a model that requires user and assistant messages to
        alternate.
        """
        of, own = type(self), {"invariants": ALTERNATING[self.invariants]}
        strict: PresetStrategy = type(f"Alternating{of.__name__}", (of,), own)()
        return strict

    @abstractmethod
    def project(self, incoming: Incoming, state: State, inputs: Inputs) -> Planned:
        """The plan for this list. Pure except for the memo. While pruning is off, nothing new is decided.

        Raises NeedsThread.
        """

    def is_active(self, state: State) -> bool:
        """Whether pruning is on."""
        return state.enabled and self.prunes

    def target_weight(self, gauge: Gauge) -> float:
        """The size in tokens to which a list that does not fit is cut. Ignored if more than what fits."""
        return math.inf

    def promised_weight(self, gauge: Gauge) -> float:
        """The same, if the promised working set does not fit."""
        return math.inf

    def asking_tokens(self, thresholds: Thresholds) -> float:
        """The number of tokens from which a compaction is requested."""
        return thresholds.red

    def leavable_weight(self, state: State, plan: Plan, answered: bool, inputs: Inputs) -> float:
        """How many of the tokens that would be sent now the next projection may remove. A compaction is not
        requested because of these. `plan` is the last one. `answered`: the next list may continue from it.
        """
        return 0.0

    def why_idle(self, state: State, policy: Policy) -> str:
        """Why every list so far was returned unchanged, if users may wonder; otherwise ""."""
        return ""

    # how events change earlier decisions

    def packet_outdated(self, state: State) -> State:
        """The inputs of the packet's text have changed."""
        return msgspec.structs.replace(state, packet=None)

    def moved(self, state: State) -> State:
        """The host moved to another place of its tree."""
        return msgspec.structs.replace(state, anchor="", packet=None, decisions={})

    def switched(self, state: State) -> State:
        """Pruning was switched on or off, so the next list follows other rules."""
        return state

    def undone(self, state: State, keys: Container[str]) -> State:
        """Removes the decisions with these keys. The messages are pinned."""
        decisions = {key: decision for key, decision in state.decisions.items() if key not in keys}
        return msgspec.structs.replace(state, decisions=decisions)
