"""Turns a recorded session into a chain of compactions, as ctxmgr would have written them during the session.

Rules:
1. The session is walked entry by entry. Its own compactions are skipped. System prompts are not counted, since no
   compaction changes them.
2. The list is compacted after each complete step at which it exceeds the limit. A step is complete when no call
   waits for its result; a host does not compact before that.
3. The summary becomes an entry as a host stores it, with its details, and all later planning starts from it.
4. Each compaction is checked for lost entries (`ctxmgr.study.compare.sessions`), and the list after it is compared
   with what the plan keeps. At the end each entry must have been part of some compaction or be in the list.

The cost of a compaction that a model writes, both ways: with a copy of the conversation, and at the end of the list
that was sent to the session's model:

1. The engine does the arithmetic (`ctxmgr.summarize.compacting`), so the cheaper way here is the one it would
   choose.
2. One call is billed, whatever wrote the summary. Its output is as long as the summary.
3. The provider's cache holds what was sent for the last reply: the overhead and the list before that reply.
   Everything newer, and the message that requests the summary, is written to the cache. After a pause longer than
   the cache's lifetime the cache is empty.
4. A window limits the list only in a chain. Otherwise the window of the session's model is unknown, and the model
   did accept the list.
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
    """A list before a compaction. `tokens`: of the list. `sent_tokens`: of what was sent for its last reply.
    `asked_ms` and `ended_ms`: the times of that reply and of the last entry in milliseconds, None if unknown.
    """

    tokens: int
    sent_tokens: int
    asked_ms: int | None = None
    ended_ms: int | None = None


class BothWays(msgspec.Struct, frozen=True, rename="camel"):
    """The costs of `total_count` compactions together, in dollars, or in input tokens without a price.
    `cheaper_cost`: the cheaper way of each; for `warm_count` of them that is at the end of the list. `warm_cost`
    (at the end of the list) and `cold_cost` (with a copy): None if that way was impossible for one of them.
    """

    warm_cost: float | None = msgspec.field(name="warm")
    cold_cost: float | None = msgspec.field(name="cold")
    cheaper_cost: float = msgspec.field(name="cheaper")
    warm_count: int = msgspec.field(name="warmCompactions")
    total_count: int = msgspec.field(name="compactions")
    counted_in: str = msgspec.field(name="unit")
    arithmetic: str = ""


def sent(path: Sequence[BranchEntry], weigh: WeighMessage) -> BilledList:
    """The list of a branch path, without system prompts. A reply before the newest compaction does not count, since
    another list was sent for it (cost rule 3).
    """
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
    """The costs of one compaction; None if it gives a model nothing to summarize. `window` of the session's model,
    in tokens.
    """
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
    """The costs together; None without any."""
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


class Pass(msgspec.Struct, frozen=True, rename="camel"):
    """One compaction. `entry`: id of the last entry before it. Tokens: of the list before and after, of the summary
    in the list, and of what this compaction removed. `bill`: its cost if a model writes it, both ways; None if
    there was nothing to summarize.
    """

    entry: str
    before_tokens: int = msgspec.field(name="before")
    after_tokens: int = msgspec.field(name="after")
    summary_tokens: int = msgspec.field(name="summary")
    removed_tokens: int = msgspec.field(name="removed")
    bill: WayCosts | None = None


class Chain(msgspec.Struct):
    """The result of a walk, filled along the way. `summary`: the last one, with its file lists; "" without any.
    `tail`: what was kept with it. `removed`: everything removed, oldest first. `details`: ctxmgr's own, one for
    each compaction.

    `largest` and `last`: tokens of the largest list, and of the list at the end. `uncut`: number of steps at which
    the list was over the limit and could not be compacted. `sights`: the list before each reply of the model.
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
    bill: Bill | None = None,
) -> Asking[Chain]:
    """The chain over a session's tree. `limit`: tokens of the list. `brief` says how each summary is written, and
    `bill` what it costs.

    Yields an empty request after each compaction, so that the caller can stop there.
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
    """The session so far. `open`: ids of calls without a result."""

    def __init__(self, weigh: WeighMessage, bill: Bill | None) -> None:
        self.chain = Chain()
        self.open: set[str] = set()
        self._weigh, self._bill = weigh, bill
        self._nodes: list[RawEntry] = []
        self._entries: list[BranchEntry] = []
        self._visible: set[int] = set()  # indices in the path of the entries that a compaction has summarized
        self._list: list[HostMessage] = []

    def add(self, node: RawEntry) -> None:
        """Adds an entry, as a child of the one before it."""
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
        """Adds a compaction's entry (rule 3) and checks it (rule 4)."""
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
        bill = self._bill and self._bill(asked, sent(path, self._weigh), written.summary)
        weights = self._weighed(now[-1].messages), self._weighed(removed)
        chain.passes.append(Pass(last.id, before, chain.last, *weights, bill))
        chain.details.append(written.details["ctxmgr"])
        chain.summary, chain.tail = written.summary, plan.recent

    def check_all(self) -> None:
        """The check at the end (rule 4)."""
        path = self.path()
        there = self._visible.union(places_in_list(path))
        for index, entry in enumerate(path):
            speaks = entry.kind != "compaction" and any(not message.system for message in entry.messages)
            if speaks and index not in there:
                self.chain.failures.append(f"{entry.id} was shown to no compaction and is not in the list")
        self.chain.failures = list(dict.fromkeys(self.chain.failures))

    def _record_call(self, entry: BranchEntry) -> None:
        """Records a model call: the list before this reply."""
        shown = tuple(ProjectedMessage(message.raw, index, True) for index, message in enumerate(self._list))
        own = len(self.chain.passes)
        for reply in _items(entry):
            self.chain.sights.append(Observation(entry.time_ms or None, tuple(self._list), shown, reply, own=own))

    def _called(self, message: BranchMessage) -> None:
        """Updates the open calls. A new message of the user or the model closes those whose results never came."""
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
    """What an entry adds to the model's list, in the form that the study's measures read."""
    return [pi_host.item(entry.id, message.raw) for message in entry.messages if not message.system]


def _compaction(id: str, last: RawEntry, prepared: CompactionPlan, written: FinishedSummary) -> bytes:
    """The entry as a host stores a summary that an extension wrote. Its time is that of the entry before it."""
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
