"""Turns a recorded session into a chain of compactions, as ctxmgr would have written them while it ran.

Rules:
1. The session is walked entry by entry. Its own compactions are left out; prompts are not weighed, no compaction
   changes them.
2. After each whole step (no call waits for its result: a host does not compact there) the list is compacted where
   it weighs more than the limit.
3. What is written becomes an entry as a host stores it, details included, and all later planning starts from it.
4. Conservation is checked at each compaction (`ctxmgr.study.compare.sessions`), the list after it is compared
   with what was to be kept, and at the end each entry must have been shown to some compaction or be in the list.

What a compaction costs a model that writes it, with a copy of the conversation, and at the end of the list that the
session's model was asked with:

1. The arithmetic is the engine's (`ctxmgr.summarize.on_context`), so what is cheaper here is what it would choose.
2. Whatever wrote the summary, one call is billed, and its output is as long as the summary is.
3. The provider's cache holds what the last reply was asked with: overhead and the list before it. What came since,
   and the message that asks, are written to it. A pause longer than the cache lives leaves nothing in it.
4. Only in a chain a window bounds the list. Elsewhere nobody knows that of the session's model, and it was asked.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from ctxmgr.engine.compaction import prepare
from ctxmgr.formats.pi_tree import RawEntry, branch, entries
from ctxmgr.model import WeighMessage, prices
from ctxmgr.model.compaction import (
    Asking,
    BranchEntry,
    BranchMessage,
    CompactionPlan,
    CutBudget,
    NothingToCompact,
    in_list,
    places_in_list,
)
from ctxmgr.study.compare.sessions import uncovered
from ctxmgr.study.observations import Observation, PriceSheet, ProjectedMessage
from ctxmgr.study.recordings import HostMessage, pi_host
from ctxmgr.summarize import FinishedSummary, HostContext, SummaryInput, WayCosts, writing

UNBOUNDED = 1 << 40  # tokens


class BilledList(msgspec.Struct, frozen=True):
    """A list before a compaction: its tokens, and those that its last reply was asked with; the times of that reply
    and of its last entry, in milliseconds, None where they are not known."""

    tokens: int
    sent_tokens: int
    asked_ms: int | None = None
    ended_ms: int | None = None


class BothWays(msgspec.Struct, frozen=True, rename="camel"):
    """The costs of `total_count` compactions in all. `cheaper_cost`: of each the way that costs less, `warm_count`
    of them at the end of the list. In dollars, or in tokens of input where that has no price. `warm_cost` and
    `cold_cost` None: for one of them that way was not open."""

    warm_cost: float | None = msgspec.field(name="warm")
    cold_cost: float | None = msgspec.field(name="cold")
    cheaper_cost: float = msgspec.field(name="cheaper")
    warm_count: int = msgspec.field(name="warmCompactions")
    total_count: int = msgspec.field(name="compactions")
    counted_in: str = msgspec.field(name="unit")
    arithmetic: str = ""


def sent(path: Sequence[BranchEntry], weigh: WeighMessage) -> BilledList:
    """Of a branch path, its system prompts not weighed. Rule 3: a reply older than the newest compaction was asked
    with another list."""
    places = places_in_list(path)
    start = places[0] if places and path[places[0]].kind == "compaction" else -1
    replies = (index for index in range(len(path) - 1, start, -1) if path[index].answers)
    reply = next(replies, None)
    before = 0 if reply is None else reply
    weights = {
        index: sum(weigh(message) for message in path[index].messages if not message.system)
        for number, index in enumerate(places)
        if not number or path[index].kind != "compaction"
    }
    return BilledList(
        sum(weights.values()),
        sum(weight for index, weight in weights.items() if index < before),
        None if reply is None else path[reply].time_ms,
        path[-1].time_ms if path else None,
    )


def costs(
    brief: SummaryInput[CompactionPlan],
    listed: BilledList,
    summary_tokens: int,
    sheet: PriceSheet,
    window: int | None = None,
) -> WayCosts | None:
    """Of one compaction; None where there is nothing to ask a model. `window` of the session's model, in tokens."""
    if not (brief.preparation.history or brief.preparation.prefix):
        return None
    cached = sheet.overhead_tokens + listed.sent_tokens
    context = HostContext(
        0 if prices.is_cold(listed.asked_ms, listed.ended_ms, sheet.ttl_ms) else cached,
        sheet.overhead_tokens + listed.tokens,
        window or UNBOUNDED,
        prices=sheet.prices,
    )
    return writing.both_ways(brief, context, summary_tokens)


def together(bills: Sequence[WayCosts]) -> BothWays | None:
    """None of none."""
    if not bills:
        return None
    open_ways = [[cost for cost in (bill.warm_cost, bill.cold_cost) if cost is not None] for bill in bills]
    return BothWays(
        _sum([bill.warm_cost for bill in bills]),
        _sum([bill.cold_cost for bill in bills]),
        round(sum(min(some, default=0.0) for some in open_ways), 6),
        sum(bill.way == "warm" for bill in bills),
        len(bills),
        bills[0].counted_in,
        bills[0].arithmetic if len(bills) == 1 else "",
    )


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if len(known) == len(costs) else None


Path = tuple[BranchEntry, ...]
Brief = SummaryInput[CompactionPlan]
Bill = Callable[[Brief, BilledList, str], WayCosts | None]

_encode = msgspec.json.Encoder().encode


def not_billed(brief: Brief, listed: BilledList, summary: str) -> None:
    """The bill of who wants none."""


class Pass(msgspec.Struct, frozen=True, rename="camel"):
    """One compaction. `entry`: id of the last entry before it. Tokens of the list before and after, of the summary
    in it, and of what it was the first to take out. `bill`: what it costs a model to write it, both ways; None
    where there was nothing to ask."""

    entry: str
    before_tokens: int = msgspec.field(name="before")
    after_tokens: int = msgspec.field(name="after")
    summary_tokens: int = msgspec.field(name="summary")
    removed_tokens: int = msgspec.field(name="removed")
    bill: WayCosts | None = None


class Chain(msgspec.Struct):
    """What came of a walk; it is filled on the way. `summary` is the last one with its file lists, "" without any;
    `tail` what was kept beside it then; `removed` all that was taken out, oldest first. `details` are ctxmgr's own
    of each compaction.

    `largest` and `last`: tokens of the largest list and of the list at the end. `uncut`: steps at which the list
    was over the limit and nothing could be compacted. `sights`: the list before each reply of the model.
    """

    passes: list[Pass] = []
    summary: str = ""
    tail: tuple[BranchMessage, ...] = ()
    removed: list[BranchMessage] = []
    details: list[dict[str, Any]] = []
    largest: int = 0
    last: int = 0
    uncut: int = 0
    failures: list[str] = []
    sights: list[Observation] = []


def walked(
    raws: Sequence[bytes],
    leaf: str | None,
    *,
    limit: int,
    cut: CutBudget,
    weigh: WeighMessage,
    brief: Callable[[CompactionPlan], Brief],
    bill: Bill = not_billed,
) -> Asking[Chain]:
    """The chain over a session's tree. `limit` in tokens of the list; `brief` says how each summary is written.

    After each compaction it asks for nothing once, so that who runs it may stop there.
    """
    walk = _Walk(weigh, bill)
    for node in recorded(raws, leaf):
        walk.add(node)
        if walk.open or walk.chain.last <= limit:
            continue
        path = walk.path()
        prepared = prepare.decide(path, cut, weigh)
        if isinstance(prepared, NothingToCompact):
            walk.chain.uncut += 1
            continue
        asked = brief(prepared)
        written = yield from writing.compaction(asked)
        walk.compacted(path, asked, written)
        yield ()
    walk.check_all()
    return walk.chain


def recorded(raws: Sequence[bytes], leaf: str | None) -> list[RawEntry]:
    """The branch to the leaf without its compactions, oldest first."""
    nodes = [node for node in map(branch.node, raws) if node is not None]
    return [node for node in entries.path(nodes, leaf) if branch.soft(node.fields, "type") != "compaction"]


class _Walk:
    """The session so far. `open`: calls that wait for their results."""

    def __init__(self, weigh: WeighMessage, bill: Bill) -> None:
        self.chain = Chain()
        self.open: set[str] = set()
        self._weigh, self._bill = weigh, bill
        self._nodes: list[RawEntry] = []
        self._entries: list[BranchEntry] = []
        self._visible: set[int] = set()  # places in the path that some compaction was shown
        self._list: list[HostMessage] = []

    def add(self, node: RawEntry) -> None:
        """The next entry, as a child of the one before it."""
        parent = self._nodes[-1].id if self._nodes else None
        node = RawEntry(node.id, parent, {**node.fields, "parentId": _encode(parent)})
        entry = branch.entry(node)
        self._nodes.append(node)
        self._entries.append(entry)
        if entry.answers and self._list:
            self._record_call(entry)
        if entry.kind in ("edit", "compaction"):
            listed = list(in_list(self.path()))
            self._list, self.chain.last = [], 0
        else:
            listed = [entry]
        for shown in listed:
            self._list += _items(shown)
            self.chain.last += self._weighed(shown.messages)
        self.chain.largest = max(self.chain.largest, self.chain.last)
        for message in entry.messages:
            self._called(message)

    def path(self) -> Path:
        """The branch path so far, edits applied."""
        if all(entry.kind != "edit" for entry in self._entries):
            return tuple(self._entries)
        raws = ({name: msgspec.Raw(value) for name, value in node.fields.items()} for node in self._nodes)
        return branch.branch([_encode(fields) for fields in raws], None)

    def compacted(self, path: Path, asked: Brief, written: FinishedSummary) -> None:
        """Add a compaction's entry (rule 3) and check it (rule 4)."""
        chain, plan, last = self.chain, asked.preparation, self._nodes[-1]
        number, before = len(chain.passes) + 1, chain.last
        chain.failures += [
            f"compaction {number} leaves {path[index].id} to nobody" for index in uncovered(path, plan)
        ]
        owners = {id(message): index for index, entry in enumerate(path) for message in entry.messages}
        removed = (*plan.history, *plan.prefix)
        self._visible.update(owners[id(message)] for message in removed)
        chain.removed += removed
        node = branch.node(_compaction(self._new_id(), last, plan, written))
        assert node is not None, "an entry made here can be read"
        self.add(node)
        now = self.path()
        if [message.raw for message in prepare.conversation_of(in_list(now))] != [
            message.raw for message in plan.recent
        ]:
            chain.failures.append(f"after compaction {number} the list is not what was to be kept")
        bill = self._bill(asked, sent(path, self._weigh), written.summary)
        weights = self._weighed(now[-1].messages), self._weighed(removed)
        chain.passes.append(Pass(last.id, before, chain.last, *weights, bill))
        chain.details.append(written.details["ctxmgr"])
        chain.summary, chain.tail = written.summary, plan.recent

    def check_all(self) -> None:
        """The end of rule 4."""
        path = self.path()
        there = self._visible.union(places_in_list(path))
        for index, entry in enumerate(path):
            speaks = entry.kind != "compaction" and any(not message.system for message in entry.messages)
            if speaks and index not in there:
                self.chain.failures.append(f"{entry.id} was shown to no compaction and is not in the list")
        self.chain.failures = list(dict.fromkeys(self.chain.failures))

    def _record_call(self, entry: BranchEntry) -> None:
        """A model call: the list before this reply."""
        shown = tuple(ProjectedMessage(message.raw, index, True) for index, message in enumerate(self._list))
        own = len(self.chain.passes)
        for reply in _items(entry):
            self.chain.sights.append(Observation(entry.time_ms or None, tuple(self._list), shown, reply, own=own))

    def _called(self, message: BranchMessage) -> None:
        """A new message of the user or the model ends the wait for results that never came."""
        if message.opens_turn or message.content.speaker == "assistant":
            self.open.clear()
        for block in message.view.blocks:
            if block.kind == "call":
                self.open.add(block.call_id)
            elif block.kind == "result":
                self.open.discard(block.call_id)

    def _weighed(self, messages: Iterable[BranchMessage]) -> int:
        return sum(self._weigh(message) for message in messages if not message.system)

    def _new_id(self) -> str:
        """An id that no entry has."""
        taken = {node.id for node in self._nodes}
        number = len(self.chain.passes) + 1
        while (id := f"compaction-{number}") in taken:
            number += 1
        return id


def _items(entry: BranchEntry) -> list[HostMessage]:
    """What it gives to the model's list, as the study's measures read it."""
    return [pi_host.item(entry.id, message.raw) for message in entry.messages if not message.system]


def _compaction(id: str, last: RawEntry, prepared: CompactionPlan, written: FinishedSummary) -> bytes:
    """The entry as a host stores what an extension wrote. Its time is that of the entry before it."""
    return _encode(
        {
            "type": "compaction",
            "id": id,
            "parentId": last.id,
            "timestamp": msgspec.Raw(last.fields.get("timestamp", b"null")),
            "summary": written.summary,
            "firstKeptEntryId": prepared.first_kept,
            "tokensBefore": prepared.tokens_before,
            "details": written.details,
            "fromHook": True,
        }
    )
