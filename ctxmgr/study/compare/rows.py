"""Turns a recorded session, a strategy and a format into one row of the comparison, and the summary itself."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ctxmgr.engine.compaction import RenderLimits, render
from ctxmgr.model.compaction import BranchMessage, CompactionPlan, Format, Strategy
from ctxmgr.study.closed_loop import closed_loop, floor
from ctxmgr.study.compare import chains, scripted_model, ways
from ctxmgr.study.compare.chains import Chain, Pass, WrittenPass
from ctxmgr.study.compare.material import Material
from ctxmgr.study.compare.models import AnsweringModel, Spending, answered
from ctxmgr.study.compare.retention import Retention, measure, mentioned
from ctxmgr.study.compare.ways import BothWays
from ctxmgr.study.figures import Figures, closed_cost
from ctxmgr.study.metrics import MessageCache, Observation, PriceSheet, message_cache
from ctxmgr.study.probes import RemovedPart, Scores, failures, scores
from ctxmgr.summarize import SummaryInput, WayCosts, writing

WHOLE = RenderLimits(result_units=1 << 40)  # what is kept is kept whole
TRY_AGAIN = ("failed", "cancelled")  # reasons of a fallback that say nothing of the strategy: the call went wrong


class RetainedCount(msgspec.Struct, frozen=True, rename="camel"):
    """How many of `total_count` things a text holds; the same weighted by how often each was mentioned."""

    retained_count: int = msgspec.field(name="held")
    total_count: int = msgspec.field(name="total")
    weighted_retained: int = msgspec.field(name="weightedHeld")
    weighted_total: int


Counts = dict[str, RetainedCount]


class ChainFigures(msgspec.Struct, frozen=True, rename="camel"):
    """The figures of a chain (`chains.Chain`). `with_tail`: what the last summary and the kept part hold together.
    `loop`: closed-loop cost with these summaries and no other policy (`closed_cost.plain`). `floor`: dollars that
    no policy costs less than. None where nothing was measured."""

    window: int
    passes: tuple[Pass, ...]
    largest: int
    last: int
    uncut: int
    with_tail: Counts | None = None
    loop: Figures | None = None
    floor: float | None = None


class SummaryRow(msgspec.Struct, frozen=True, rename="camel"):
    """The figures of one summary, or of one chain with its last summary.

    Tokens; of `input_tokens` and `output_tokens` those of `weighed_calls` are weighed here, the provider reported
    none. `replaced_tokens`: of the messages, and the earlier summary, that it stands for. `retained` and `probes`
    None: not measured. `fallback_reasons`: why it was written without a model. `again`: a call went wrong, it
    is no result yet. `controls`: the same probes by control; `probes_failed` as `probes.failures` gives them, for a
    file of their own. `bill`: what it costs a model to write it in one call, both ways; None where there was
    nothing to ask.
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
    fallback_reasons: tuple[str, ...] = msgspec.field(default=(), name="fallbacks")
    again: bool = False
    shortened: tuple[str, ...] = ()
    left_out_count: int = msgspec.field(default=0, name="leftOut")
    retained: Counts | None = msgspec.field(default=None, name="held")
    chain: ChainFigures | None = None
    failures: tuple[str, ...] = ()
    probes: Scores | None = None
    controls: dict[str, Scores] = {}
    probes_failed: tuple[Figures, ...] | None = None
    bill: BothWays | None = None


async def row(
    material: Material, strategy: Strategy, format: Format, model: AnsweringModel
) -> tuple[SummaryRow, str]:
    """The figures and the summary. The plan must be a preparation, unless a chain is walked."""
    wanted = _Wanted(material, strategy, format, model)
    return await (_summary(wanted) if material.settings.chain_window is None else _chain(wanted))


class _Wanted(msgspec.Struct, frozen=True):
    material: Material
    strategy: Strategy
    format: Format
    model: AnsweringModel

    def brief(self, prepared: CompactionPlan) -> SummaryInput[CompactionPlan]:
        return self.material.brief(prepared, self.strategy, self.format)


async def _summary(wanted: _Wanted) -> tuple[SummaryRow, str]:
    material = wanted.material
    prepared = material.planned
    assert isinstance(prepared, CompactionPlan)
    began = time.perf_counter()
    brief = wanted.brief(prepared)
    asking = writing.compaction(brief)
    written, spent = await answered(asking, wanted.model, material.weigh)
    found = _figures(wanted, spent, (written.details["ctxmgr"],), began)
    replaced = material.weight((*prepared.history, *prepared.prefix)) + material.weigh(prepared.previous or "")
    held: Counts | None = None
    if measured(found):
        held = counts(await asyncio.to_thread(measure, material.mentioned, written.summary))
        removed = RemovedPart(_raws((*prepared.history, *prepared.prefix)), _raws(prepared.recent))
        found = await asyncio.to_thread(_asked, found, removed, written.summary, material)
    made = WrittenPass(brief, ways.sent(material.path, material.weigh_message), written.summary)
    costs = await asyncio.to_thread(_costs, made, material)
    return msgspec.structs.replace(
        found,
        summary_tokens=material.weigh(written.summary),
        replaced_tokens=replaced,
        retained=held,
        bill=ways.together([costs] if costs else []),
    ), written.summary


async def _chain(wanted: _Wanted) -> tuple[SummaryRow, str]:
    material, settings = wanted.material, wanted.material.settings
    began = time.perf_counter()
    asking = chains.walked(
        material.session.entries,
        material.session.leaf,
        limit=settings.limit,
        cut=settings.cut_budget,
        weigh=material.weigh_message,
        brief=wanted.brief,
    )
    chain, spent = await answered(asking, wanted.model, material.weigh)
    found = _figures(wanted, spent, chain.details, began)
    alone = with_tail = loop = least = None
    if chain.passes and measured(found):
        alone, with_tail = await asyncio.to_thread(_held, chain)
        removed = RemovedPart(_raws(chain.removed), _raws(chain.tail))
        before = [one for one in chain.sights if one.own < len(chain.passes)]
        found = await asyncio.to_thread(_asked, found, removed, chain.summary, material, before)
        loop, least = await asyncio.to_thread(_loop, chain, settings.sheet)
    bills = [await asyncio.to_thread(_costs, one, material) for one in chain.written]
    passes = tuple(map(_billed, chain.passes, bills))
    return msgspec.structs.replace(
        found,
        summary_tokens=material.weigh(chain.summary),
        replaced_tokens=material.weight(chain.removed),
        retained=alone,
        chain=ChainFigures(
            settings.chain_window or 0, passes, chain.largest, chain.last, chain.uncut, with_tail, loop, least
        ),
        failures=chain.failures,
        bill=ways.together([one for one in bills if one is not None]),
    ), chain.summary


def _costs(made: WrittenPass, material: Material) -> WayCosts | None:
    settings, tokens = material.settings, material.weigh(made.summary)
    return ways.costs(made.brief, made.listed, tokens, settings.sheet, settings.chain_window)


def _billed(one: Pass, bill: WayCosts | None) -> Pass:
    return msgspec.structs.replace(one, bill=bill)


def _asked(
    row: SummaryRow,
    removed: RemovedPart,
    summary: str,
    material: Material,
    before: Sequence[Observation] = (),
) -> SummaryRow:
    """The row with the probes of its summary. `before`: the lists before the last compaction of a chain."""
    grades = removed.grades(summary, before)
    weigh = MessageCache(message_cache.reader()).weight
    return msgspec.structs.replace(
        row,
        probes=scores(grades),
        controls={name: scores(one) for name, one in removed.controls(weigh, material.foreign).items()},
        probes_failed=tuple(failures(grades)),
    )


def _raws(messages: Sequence[BranchMessage]) -> list[bytes]:
    return [one.raw for one in messages if not one.system]


def _held(chain: Chain) -> tuple[Counts, Counts]:
    """What the last summary holds of all that was removed, and what it holds together with the kept part."""
    known = mentioned(chain.removed)
    both = f"{chain.summary}\n\n{render.conversation(chain.tail, WHOLE)}"
    return counts(measure(known, chain.summary)), counts(measure(known, both))


def _loop(chain: Chain, sheet: PriceSheet) -> tuple[Figures, float]:
    """Closed-loop cost, and the floor."""
    known = MessageCache(message_cache.reader())
    return closed_cost.plain(closed_loop(chain.sights, known, sheet)), round(floor(chain.sights, known, sheet), 4)


def measured(row: SummaryRow) -> bool:
    """What a scripted model's text holds says nothing of any strategy."""
    return row.strategy == "extractive" or row.model != scripted_model.NAME


def counts(found: Sequence[Retention]) -> Counts:
    return {
        one.what: RetainedCount(one.retained_count, one.total_count, one.weighted_retained, one.weighted_total)
        for one in found
    }


def _figures(wanted: _Wanted, spent: Spending, details: Sequence[Mapping[str, Any]], began: float) -> SummaryRow:
    """What is the same for a summary and a chain; `began` by this process's clock, in seconds."""
    fallbacks = [(number, one["fallback"]) for number, one in enumerate(details, 1) if "fallback" in one]
    return SummaryRow(
        recording=wanted.material.session.name,
        strategy=wanted.strategy,
        format=wanted.format,
        model="none" if wanted.strategy == "extractive" else wanted.model.name,
        fingerprint=wanted.material.fingerprint(wanted.strategy, wanted.format),
        call_count=sum(one["calls"] for one in details),
        retries=sum(one["retries"] for one in details),
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        weighed_calls=spent.weighed,
        wall_ms=round(1_000 * (time.perf_counter() - began)),
        summary_tokens=0,
        replaced_tokens=0,
        fallback_reasons=tuple(_reason(one, number if len(details) > 1 else 0) for number, one in fallbacks),
        again=any(one["reason"] in TRY_AGAIN for _, one in fallbacks),
        shortened=tuple(dict.fromkeys(step for one in details for step in one["ladder"])),
        left_out_count=sum(one["leftOut"] for one in details),
    )


def _reason(fallback: Mapping[str, str], number: int) -> str:
    """In words: of which compaction of a chain, which call, and why."""
    place = f"compaction {number}, " if number else ""
    label = f"{fallback['label']}: " if fallback.get("label") else ""
    said = f" ({fallback['said']})" if fallback.get("said") else ""
    return f"{place}{label}{fallback['reason']}{said}"
