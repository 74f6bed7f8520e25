"""Turns a recorded session, a strategy and a format into one row of the comparison and its summary.

Computation runs in a thread, requests to a model are awaited, so many summaries are written concurrently.
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
    Completion,
    CompletionRequest,
    Format,
    Result,
    Strategy,
    uses_model,
)
from ctxmgr.study.compare import bills
from ctxmgr.study.compare.sessions import Material
from ctxmgr.study.figures import Figures
from ctxmgr.study.observations import MessageCache, message_reader
from ctxmgr.study.probes import RemovedPart, Scores, failures, scores
from ctxmgr.summarize import WayCosts, writing

Calls = list[tuple[CompletionRequest, Completion]]
TRY_AGAIN = ("failed", "cancelled")  # fallback reasons that say nothing about the strategy: the call itself failed


class SummaryRow(msgspec.Struct, frozen=True, rename="camel"):
    """The figures of one summary.

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
    bill: WayCosts | None
    probes: Scores | None = None
    newest: Scores | None = None
    probes_failed: list[Figures] | None = None

    @property
    def name(self) -> str:
        """The name that is unique among the rows of a recording."""
        return f"{self.strategy}, {self.format}"


async def row(material: Material, strategy: Strategy, format: Format, model: Chat | None) -> tuple[SummaryRow, str]:
    """The figures and the summary. Requires a plan with something to compact."""
    settings, plan = material.settings, material.preparation
    brief = material.brief(plan, strategy, format)
    began = time.perf_counter()
    done, calls = await answered(writing.compaction(brief), model, settings.policy.concurrency)
    wall_ms = round(1_000 * (time.perf_counter() - began))
    input_tokens, output_tokens, weighed_calls = await asyncio.to_thread(_spent, calls, material.weigh)
    details = done.details["ctxmgr"]
    fallback = details.get("fallback")
    removed = [*plan.history, *plan.prefix]
    summary_tokens = material.weigh(done.summary)
    listed = await asyncio.to_thread(bills.sent, material.path, material.weigh_message)
    made = SummaryRow(
        recording=material.session.name,
        strategy=strategy,
        format=format,
        model=settings.model if uses_model(strategy) else "none",
        fingerprint=material.fingerprint(strategy, format),
        call_count=details["calls"],
        retries=details["retries"],
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        weighed_calls=weighed_calls,
        wall_ms=wall_ms,
        summary_tokens=summary_tokens,
        replaced_tokens=material.weight(removed) + material.weigh(plan.previous or ""),
        fallback_reasons=[_reason(fallback)] if fallback else [],
        again=bool(fallback) and fallback["reason"] in TRY_AGAIN,
        shortened=details["ladder"],
        left_out_count=details["leftOut"],
        bill=bills.costs(brief, listed, summary_tokens, settings.sheet),
    )
    part = RemovedPart(_raws(removed), _raws(plan.recent))
    return await asyncio.to_thread(_probed, made, part, done.summary), done.summary


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


def _probed(row: SummaryRow, removed: RemovedPart, summary: str) -> SummaryRow:
    """The row with the probes of its summary."""
    grades = removed.grades(summary)
    weigh = MessageCache(message_reader()).weight
    return msgspec.structs.replace(
        row,
        probes=scores(grades),
        newest=scores(removed.newest(weigh)),
        probes_failed=failures(grades),
    )


def _raws(messages: Sequence[BranchMessage]) -> list[bytes]:
    return [message.raw for message in messages if not message.system]


def _reason(fallback: Mapping[str, Any]) -> str:
    """A fallback in words: which call, and why."""
    label = f"{fallback['label']}: " if fallback.get("label") else ""
    quoted = f" ({fallback['said']})" if fallback.get("said") else ""
    return f"{label}{fallback['reason']}{quoted}"
