"""Turns a recorded session, a strategy and a format into one row of the comparison and its summary.

A single cut at the session's end is a chain of one compaction without a list after it. Computation runs in a
thread, requests to a model are awaited, so many summaries are written concurrently.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ctxmgr.devices import Chat
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import (
    Asking,
    BranchMessage,
    CompactionPlan,
    Completion,
    CompletionRequest,
    Format,
    Result,
    Strategy,
    uses_model,
)
from ctxmgr.study.compare import chains
from ctxmgr.study.compare.chains import BilledList, BothWays, Chain, Pass
from ctxmgr.study.compare.sessions import Material
from ctxmgr.study.figures import Figures, Measures, closed_cost
from ctxmgr.study.observations import MessageCache, message_reader
from ctxmgr.study.probes import RemovedPart, Scores, failures, scores
from ctxmgr.summarize import SummaryInput, WayCosts, writing

Calls = list[tuple[CompletionRequest, Completion]]
TRY_AGAIN = ("failed", "cancelled")  # fallback reasons that say nothing about the strategy: the call itself failed


class ChainFigures(msgspec.Struct, frozen=True, rename="camel"):
    """The figures of a chain (`chains.Chain`). `loop`: closed-loop cost with these summaries and no other policy
    (`closed_cost.plain`); None if nothing was compacted. `floor`: the least that any policy costs, in dollars.
    """

    window: int
    passes: list[Pass]
    largest: int
    last: int
    uncut: int
    loop: Figures | None = None
    floor: float | None = None


class SummaryRow(msgspec.Struct, frozen=True, rename="camel"):
    """The figures of one summary, or of one chain with its last summary.

    Sizes are in tokens. `weighed_calls`: number of calls without reported usage, whose part of `input_tokens` and
    `output_tokens` is estimated. `replaced_tokens`: of the messages, and the previous summary, that it replaces.
    `probes`: None if not measured. `newest`: the same probes, only of the newest tokens. `fallback_reasons`: why it
    was written without a model. `again`: a call failed, so the row is not final and is computed again.
    `probes_failed`: as `probes.failures` returns them, for a separate file. `bill`: its cost in one call of a
    model, both ways; None if there was nothing to summarize.
    """

    recording: str
    strategy: Strategy
    format: Format
    model: str
    fingerprint: str
    call_count: int = msgspec.field(name="calls")
    retries: int
    input_tokens: int
    output_tokens: int
    weighed_calls: int
    wall_ms: int
    summary_tokens: int
    replaced_tokens: int
    fallback_reasons: list[str] = msgspec.field(name="fallbacks")
    again: bool
    shortened: list[str]
    left_out_count: int = msgspec.field(name="leftOut")
    chain: ChainFigures | None
    failures: list[str]
    bill: BothWays | None
    probes: Scores | None = None
    newest: Scores | None = None
    probes_failed: list[Figures] | None = None

    @property
    def name(self) -> str:
        """The name that is unique among the rows of a recording."""
        return f"{self.strategy}, {self.format}"


async def row(material: Material, strategy: Strategy, format: Format, model: Chat | None) -> tuple[SummaryRow, str]:
    """The figures and the summary. Requires a plan with something to compact, unless a chain is walked."""
    settings = material.settings
    began = time.perf_counter()
    asking = _asking(material, strategy, format)
    chain, calls = await answered(asking, model, settings.policy.concurrency)
    wall_ms = round(1_000 * (time.perf_counter() - began))
    input_tokens, output_tokens, weighed_calls = await asyncio.to_thread(_spent, calls, material.weigh)
    details = chain.details
    fallbacks = [(number, detail["fallback"]) for number, detail in enumerate(details, 1) if "fallback" in detail]
    previous = "" if settings.chain_window else material.preparation.previous or ""
    made = SummaryRow(
        recording=material.session.name,
        strategy=strategy,
        format=format,
        model=settings.model if uses_model(strategy) else "none",
        fingerprint=material.fingerprint(strategy, format),
        call_count=sum(detail["calls"] for detail in details),
        retries=sum(detail["retries"] for detail in details),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        weighed_calls=weighed_calls,
        wall_ms=wall_ms,
        summary_tokens=material.weigh(chain.summary),
        replaced_tokens=material.weight(chain.removed) + material.weigh(previous),
        fallback_reasons=[_reason(detail, number if len(details) > 1 else 0) for number, detail in fallbacks],
        again=any(detail["reason"] in TRY_AGAIN for _, detail in fallbacks),
        shortened=list(dict.fromkeys(step for detail in details for step in detail["ladder"])),
        left_out_count=sum(detail["leftOut"] for detail in details),
        chain=await asyncio.to_thread(_chain_figures, chain, material),
        failures=chain.failures,
        bill=chains.together([compaction.bill for compaction in chain.passes if compaction.bill is not None]),
    )
    if chain.passes:
        made = await asyncio.to_thread(_probed, made, chain)
    return made, chain.summary


async def answered(asking: Asking[Result], model: Chat | None, concurrency: int) -> tuple[Result, Calls]:
    """Runs a generator to its end; returns its result and all its requests with their answers. It may yield an
    empty request to give others a turn; without a model it must yield nothing else. `concurrency`: the maximum of
    concurrent calls.
    """
    calls: Calls = []
    gate = asyncio.Semaphore(concurrency)

    async def complete(ask: CompletionRequest) -> Completion:
        assert model is not None, "what asks has a model"
        async with gate:
            return await model.complete(ask)

    answers: Any = None
    while True:
        is_done, value = await asyncio.to_thread(_step, asking, answers)
        if is_done:
            return value, calls
        answers = tuple(await asyncio.gather(*map(complete, value)))
        calls += zip(value, answers, strict=True)


def _step(asking: Asking[Any], answers: Any) -> tuple[bool, Any]:
    """(True, result) or (False, requests). A StopIteration cannot be raised out of a thread."""
    try:
        return False, asking.send(answers)
    except StopIteration as stop:
        return True, stop.value


def _spent(calls: Calls, weigh: Weigh) -> tuple[int, int, int]:
    """Input tokens, output tokens, and the number of calls without reported usage. Those are estimated; a failed
    call counts with what was sent.
    """
    tokens = [
        (weigh(ask.system) + weigh(ask.prompt), weigh(answer.text))
        if answer.usage is None
        else (answer.usage.input_tokens, answer.usage.output_tokens)
        for ask, answer in calls
    ]
    weighed_count = sum(answer.usage is None for _, answer in calls)
    return sum(came for came, _ in tokens), sum(went for _, went in tokens), weighed_count


def _asking(material: Material, strategy: Strategy, format: Format) -> Asking[Chain]:
    settings = material.settings

    def brief(plan: CompactionPlan) -> SummaryInput[CompactionPlan]:
        return material.brief(plan, strategy, format)

    def bill(asked: SummaryInput[CompactionPlan], listed: BilledList, summary: str) -> WayCosts | None:
        return chains.costs(asked, listed, material.weigh(summary), settings.sheet, settings.chain_window)

    if settings.chain_window is None:
        return _one_cut(material, brief(material.preparation), bill)
    return chains.walked(
        material.session.entries,
        material.session.leaf,
        limit=settings.limit,
        cut=settings.cut_budget,
        weigh=material.weigh_message,
        brief=brief,
        bill=bill,
    )


def _one_cut(material: Material, brief: SummaryInput[CompactionPlan], bill: chains.Bill) -> Asking[Chain]:
    """The chain of one compaction at the session's end."""
    plan = brief.preparation
    written = yield from writing.compaction(brief)
    listed = chains.sent(material.path, material.weigh_message)
    removed = [*plan.history, *plan.prefix]
    weights = material.weigh(written.summary), material.weight(removed)
    made = Pass(material.path[-1].id, listed.tokens, 0, *weights, bill(brief, listed, written.summary))
    return Chain([made], written.summary, plan.recent, removed, [written.details["ctxmgr"]])


def _chain_figures(chain: Chain, material: Material) -> ChainFigures | None:
    settings = material.settings
    if settings.chain_window is None:
        return None
    loop = least = None
    if chain.passes:
        known = MessageCache(message_reader())
        loop = closed_cost.plain(Measures(chain.sights, known, settings.sheet))
        least = round(closed_cost.floor_dollars(chain.sights, known, settings.sheet), 4)
    return ChainFigures(
        settings.chain_window, chain.passes, chain.largest, chain.last, chain.uncut, loop, floor=least
    )


def _probed(row: SummaryRow, chain: Chain) -> SummaryRow:
    """The row with the probes of its summary. In a chain the lists before the last compaction count as well."""
    removed = RemovedPart(_raws(chain.removed), _raws(chain.tail))
    grades = removed.grades(chain.summary, [sight for sight in chain.sights if sight.own < len(chain.passes)])
    weigh = MessageCache(message_reader()).weight
    return msgspec.structs.replace(
        row,
        probes=scores(grades),
        newest=scores(removed.newest(weigh)),
        probes_failed=failures(grades),
    )


def _raws(messages: Sequence[BranchMessage]) -> list[bytes]:
    return [message.raw for message in messages if not message.system]


def _reason(fallback: Mapping[str, Any], number: int) -> str:
    """A fallback in words: which compaction of a chain, which call, and why."""
    compaction = f"compaction {number}, " if number else ""
    label = f"{fallback['label']}: " if fallback.get("label") else ""
    quoted = f" ({fallback['said']})" if fallback.get("said") else ""
    return f"{compaction}{label}{fallback['reason']}{quoted}"
