"""The interface of presets: an object that turns a list into a plan, and answers the session's questions about
itself; and what it is given for that.

1. A preset has no state of its own. What it remembers between calls is in the state that it is given and returned
   with the plan. So a session continues with the same bytes after a restart.
2. It does not judge its own plans: its `invariants` check them before they are returned.
3. A session never branches on a preset's name; it asks the object.
4. How much of a list is old is computed once, when the list arrives (`Delta`).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Container
from typing import ClassVar, Literal

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants import ALTERNATING, Invariants
from ctxmgr.engine.pressure import Gauge, Thresholds
from ctxmgr.engine.tools import Memo
from ctxmgr.model import ArchiveRow, Decision, Keep, Plan, Policy, Preset, Receipt, Weigh, Zone
from ctxmgr.model.saved import LastProjection, Ledger, State


class Delta(msgspec.Struct, frozen=True):
    """`shared_count`: how many messages at the head are those of the previous list. `appended`: the rest, as it
    came. `unchanged_count`: how many at the head are as in the last projection, whoever made it; known once the new
    messages are read.
    """

    shared_count: int
    appended: tuple[bytes, ...] = ()
    unchanged_count: int = 0


class Incoming(msgspec.Struct, frozen=True):
    """A list to project, compared with what was shown before.

    `last_projection`: the last projection, if this list begins with its list. `last_plan`: its plan, if it is
    available and the list only adds to that answer; None if the list was rewritten. `cut_tokens`: how much of the
    new content is cut on arrival.
    """

    conversation: ConversationIndex
    delta: Delta
    last_projection: LastProjection | None = None
    last_plan: Plan | None = None
    cut_tokens: int = 0

    def untouched(self, zone: Zone, decisions: dict[str, Decision]) -> Plan:
        """The list as it came; decisions are only remembered."""
        conversation = self.conversation
        return Plan(
            pieces=(Keep(0, conversation.size),) if conversation.size else (),
            zone=zone,
            floor=0,
            weight=conversation.raw_weight,
            raw_weight=conversation.raw_weight,
            decisions=decisions,
            turns_kept=len(conversation.turns),
        )

    def outgoing_weight(self, else_weight: int) -> int:
        """In tokens, of what would be sent without new decisions: the last projection and what came since;
        `else_weight` if there is none.
        """
        if self.last_projection is None:
            return else_weight
        came = range(self.last_projection.message_count, self.conversation.size)
        return self.last_projection.weight + self.conversation.weight_of(came) - self.cut_tokens


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
