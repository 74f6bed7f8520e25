"""Answers queries about a session, its model's effective settings, and the notes that people should see: those
recorded as they happened, and those that follow from its settings. Read only.

What the first call of an idle session will cost once the provider's cache has ended is planned as that call would
be.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from ctxmgr.engine.caching import gap
from ctxmgr.engine.conversation import BlockRef, digest_of
from ctxmgr.engine.instructions import INSTRUCTIONS_SHARE, TASK_HEADING
from ctxmgr.engine.memory import PacketText, current, packet_budget
from ctxmgr.engine.presets import KEY_PRESETS, Delta
from ctxmgr.engine.pressure import zone
from ctxmgr.engine.protection import Protection, pinned
from ctxmgr.engine.retention import receipts
from ctxmgr.masking import without_secrets
from ctxmgr.model import (
    ESTIMATE,
    BasePrices,
    BlockEdit,
    CallTokens,
    EvictedItem,
    Keep,
    Packet,
    Pin,
    PriceTier,
    TieredPrices,
    Verdict,
    invalid_params,
    policy_keys,
    prices,
)
from ctxmgr.model.api import compaction, lifecycle, reports
from ctxmgr.model.saved import Fact
from ctxmgr.session import journal
from ctxmgr.session.context import listing
from ctxmgr.session.effective import window_of
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import Offload, StoreFlush, Verb

RULES = {
    "kept": "kept",
    "task": "the task stays whole",
    "dropped": "older turn",
    "summary": "folded into the ledger",
    "packet": "returned packet",
    "distilled": "bulky result of an older turn",
    "pruned": "old tool output",
    "shortened": "arguments of an old call",
    "cut": "did not fit the window",
    "arrived": "longer than maxResultTokens",
    "inserted": "packet",
}


def status(session: SessionCore, tells_model: bool = True) -> lifecycle.Status:
    """`tells_model`: include the model's settings, which accompany starts and queries, not every turn."""
    state = session.state
    known = state.meter.reading_tokens is not None
    tokens, cache, window = session.tokens(), cache_status(session), window_of(state)
    totals, kinds = state.totals, [summary.kind for summary in state.summaries]
    return lifecycle.Status(
        mode="on" if session.preset.is_active(state) else "off",
        preset=session.policy.preset,
        zone=zone.zone_of(tokens, session.thresholds),
        pressure=zone.pressure(tokens, session.thresholds),
        tokens=tokens if known else None,
        context_window=state.model.window,
        packet_tokens=_packet_tokens(session),
        summaries=lifecycle.Summaries(
            compaction=kinds.count("compaction"),
            branch=kinds.count("branch"),
        ),
        latch=lifecycle.LatchStatus(state.latch.state, state.latch.failure_count),
        stats=lifecycle.Stats(
            contexts=totals.contexts,
            fallbacks=totals.fallbacks,
            turns_dropped=totals.turns_dropped,
            results_distilled=totals.results_distilled,
            results_pruned=totals.results_pruned,
            tokens_scanned=totals.scanned_tokens,
            tokens_pruned=totals.pruned_tokens,
            tokens_protected=totals.protected_tokens,
            compactions_requested=totals.compactions_requested,
        ),
        epoch=state.epoch.number,
        pins=len(state.pins),
        promise=session.thresholds.promise,
        counted_by=session.counted_by,
        learned_window=window if window != state.model.window else None,
        ratio=round(session.gauge(state).ratio, 3),
        weigher=session.vocabulary.name if session.vocabulary is not None else ESTIMATE,
        notes=notes(session, cache),
        cache=cache,
        seq=state.seq,
        durable=session.stored.seq,
        model=model_status(session) if tells_model else None,
    )


def _packet_tokens(session: SessionCore) -> int:
    """Of the current packet; after a restart, of the last one."""
    packet = session.state.packet
    if not session.projection.answered and packet is not None:
        return packet.weight
    return session.plan.packet_weight


def prune_stats(session: SessionCore) -> lifecycle.PruneStats:
    totals = session.state.totals
    return lifecycle.PruneStats(
        enabled=session.state.enabled,
        scanned=totals.scanned_tokens,
        pruned=totals.pruned_tokens,
        protected=totals.protected_tokens,
        prunable=totals.prunable_tokens,
        results_pruned=totals.results_pruned,
        tokens_pruned=totals.pruned_tokens,
        results_distilled=totals.results_distilled,
        turns_dropped=totals.turns_dropped,
        seq=session.state.seq,
    )


def policy(session: SessionCore) -> lifecycle.PolicyResult:
    thresholds = session.thresholds
    return lifecycle.PolicyResult(
        policy=session.policy,
        thresholds={
            "usable": thresholds.usable,
            "yellow": round(thresholds.yellow, 1),
            "red": round(thresholds.red, 1),
            "compact": round(thresholds.compact, 1),
            "limit": thresholds.limit,
        },
        presets=KEY_PRESETS,
        seq=session.state.seq,
    )


def ledger(session: SessionCore) -> lifecycle.LedgerResult:
    facts = tuple(_stated(fact) for fact in current(session.ledger))
    return lifecycle.LedgerResult(facts, session.state.seq)


def _stated(fact: Fact) -> lifecycle.LedgerFact:
    """Statements have their turn's digest as detail, which means nothing to a host."""
    detail = "" if fact.kind == "said" else fact.detail
    return lifecycle.LedgerFact(fact.kind, fact.text, fact.source, fact.status, fact.time_ms, detail, fact.entry)


def summaries(session: SessionCore) -> lifecycle.SummariesResult:
    """The same before and after a restart."""
    heard = tuple(
        lifecycle.HeardSummary(summary.kind, summary.time_ms, summary.entry, summary.text or None)
        for summary in journal.bounded_summaries(session.state)
    )
    return lifecycle.SummariesResult(heard, session.state.seq)


def rendered_packet(session: SessionCore, resume: bool) -> lifecycle.PacketResult:
    """The packet as it would be rendered now, needed or not, for the last list."""
    budget = packet_budget(session.policy, session.zone(), resume)
    known = PacketText.of(session.state, session.ledger, session.weigh)
    text = known.within(budget, known.in_view(session.projection.messages))
    return lifecycle.PacketResult(text, session.weigh(text) if text else 0, session.state.seq)


def scratchpad(session: SessionCore) -> compaction.ScratchpadResult:
    text = session.state.scratchpad
    return compaction.ScratchpadResult(text, session.reader.weigh(text) if text else 0, session.state.seq)


def _task(session: SessionCore) -> frozenset[int]:
    """The messages of the last list in which the text of the task stands, by index."""
    state, policy, conversation = session.state, session.policy, session.projection.conversation
    if not session.preset.is_active(state):
        return frozenset()
    share = INSTRUCTIONS_SHARE * session.gauge(state).usable_weight
    held = Protection(conversation, policy, share_tokens=share, summary=state.newest_summary).task()
    return frozenset(part.at.message_index for part in held.parts)


def explain(session: SessionCore, epoch: int | None) -> reports.ExplainResult:
    """One verdict per message of the last list, in order, and one for what was inserted."""
    messages, plan = session.projection.messages, session.plan
    verdicts: list[reports.Verdict] = []
    why = {left.key: left.why for receipt in session.state.receipts for left in receipt.evicted}
    by_index: dict[int, list[BlockEdit]] = {}
    kept: set[int] = set()
    for piece in plan.pieces:
        if isinstance(piece, Packet):
            rule = RULES["inserted"]
            verdicts.append(reports.Verdict(None, "", "inserted", rule, 0, piece.weight, "packet"))
        elif isinstance(piece, Keep):
            kept.update(range(piece.start, piece.end))
        else:
            by_index.setdefault(piece.message_index, []).append(piece)
    task = _task(session)
    told = any(TASK_HEADING in piece.text for piece in plan.pieces if isinstance(piece, Packet))
    for index, message in enumerate(messages):
        edits = by_index.get(index, [])
        saved = sum(edit.before_tokens - edit.after_tokens for edit in edits)
        verdict: Verdict
        if edits:
            kind, decision = edits[0].kind, plan.decisions.get(edits[0].key)
            verdict = "distilled" if kind == "shortened" else kind
            arrived = decision is not None and decision.kind == "cut" and decision.limit
            rule = RULES["arrived"] if arrived else why.get(edits[0].key, RULES[kind])
            after = message.weight - saved
        elif index in kept:
            verdict, rule, after = "kept", RULES["task" if index in task else "kept"], message.weight
        else:
            role = message.view.role
            key = session.projection.conversation.key(index)
            reason = why.get(
                key, RULES["cut"] if (dropped_by := plan.decisions.get(key)) and dropped_by.to_fit else ""
            )
            verdict, rule, after = "dropped", reason or RULES.get(role, RULES["dropped"]), 0
            if told and index in task:
                rule = f"{rule}; word for word in the packet"
        call = _call_text(session, index)
        verdicts.append(reports.Verdict(index, message.digest, verdict, rule, message.weight, after, call))
    by_digest: dict[str, list[int]] = {}
    for index, message in enumerate(messages):
        by_digest.setdefault(message.digest, []).append(index)
    pins = tuple(_held_pin(session, pin, by_digest) for pin in session.state.pins)
    return reports.ExplainResult(tuple(verdicts), _receipts(session, epoch), session.state.seq, pins)


def _call_text(session: SessionCore, index: int) -> str:
    """The first call or result in a message, else what the message is; for people, so without secrets."""
    conversation = session.projection.conversation
    blocks = conversation.messages[index].view.blocks
    numbers = [number for number, block in enumerate(blocks) if block.kind in ("result", "call", "shell")]
    line = receipts.block_line(conversation, BlockRef(index, next(iter(numbers), 0))) if blocks else ""
    more = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
    return without_secrets(line) + more


def _held_pin(session: SessionCore, pin: Pin, by_digest: Mapping[str, Sequence[int]]) -> reports.HeldPin:
    """A pin by digest or call id names the message that it holds, where the last list has it."""
    if pin.by == "digest":
        held = by_digest.get(pin.value, ())
    else:
        held = sorted(pinned(session.projection.conversation, (pin,)))
    text = _call_text(session, held[0]) if held and pin.by in ("digest", "callId") else None
    return reports.HeldPin(pin.by, pin.value, len(held), text)


def _receipts(session: SessionCore, epoch: int | None) -> tuple[reports.EpochReceipt, ...]:
    """All kept receipts, oldest first; removed items are listed for one."""
    kept = session.state.receipts
    wanted = epoch if epoch is not None else kept[-1].epoch_number if kept else 0
    if epoch is not None and all(receipt.epoch_number != epoch for receipt in kept):
        raise invalid_params("there is no stored receipt of this epoch", "$.epoch")
    return tuple(
        reports.EpochReceipt(
            epoch=receipt.epoch_number,
            opening=receipt.opening,
            before=receipt.before_tokens,
            after=receipt.after_tokens,
            arithmetic=receipt.arithmetic,
            count=len(receipt.evicted) + receipt.omitted_count,
            at=receipt.time_ms,
            left=tuple(_left(item) for item in receipt.evicted) if receipt.epoch_number == wanted else None,
            omitted=receipt.omitted_count or None,
            text=receipts.sentence(receipt),
            pays_after=None if receipt.pays_after is UNSET else receipt.pays_after,
        )
        for receipt in kept
    )


def _left(item: EvictedItem) -> reports.Left:
    """For people, so without secrets; the marker in the list has the call unchanged."""
    digest, call = digest_of(item.key), without_secrets(item.call_text)
    return reports.Left(
        item.kind, call, item.why, item.before_tokens, item.after_tokens, digest, item.handle or None
    )


def compaction_request(session: SessionCore, reason: Any, tokens: int) -> lifecycle.RequestCompactionParams:
    ahead = session.prefetch.prepared
    mid_run = session.capabilities.request_compaction == "midRun"
    return lifecycle.RequestCompactionParams(
        session_id=session.state.session_id,
        reason=reason,
        zone=session.zone(),
        tokens=tokens if session.state.meter.reading_tokens is not None else None,
        threshold=int(session.preset.asking_tokens(session.thresholds)),
        context_window=session.state.model.window,
        deliver="now" if mid_run else "whenIdle",
        custom_instructions=policy_keys.compaction(session.policy).instructions,
        compaction=ahead.handed_out(session.state.scratchpad, session.weigh) if ahead else None,
    )


def _tier(above_tokens: int, tier: BasePrices | PriceTier) -> lifecycle.TierPrices:
    return lifecycle.TierPrices(above_tokens, tier.input, tier.output, tier.cache_read, tier.cache_write)


def model_status(session: SessionCore) -> lifecycle.ModelStatus:
    model, facts = session.model, session.model.facts
    terms = model.unlearned_terms(session.state)
    cache_by, lifetime_by = model.cache_and_lifetime_by(session.state)
    prices, rule = terms.prices, terms.cache
    longer = prices.tiers if isinstance(prices, TieredPrices) else ()
    return lifecycle.ModelStatus(
        id=session.state.model.id,
        context_window=window_of(session.state),
        max_output_tokens=model.max_output_tokens,
        output_by=model.output_by,
        prices=() if prices is None else (_tier(0, prices), *(_tier(tier.above_tokens, tier) for tier in longer)),
        prices_by=model.prices_by,
        cache=lifecycle.ProviderCache(
            rule.kind,
            rule.most_marks,
            rule.look_back_blocks,
            rule.least_tokens,
            rule.step_tokens,
            0 if rule.kind == "none" else rule.lifetime_ms,
            rule.renews,
        ),
        cache_by=cache_by,
        lifetime_by=lifetime_by,
        like=facts.row,
        why=facts.why,
        source=facts.source,
        date=facts.date,
    )


def cache_status(session: SessionCore) -> lifecycle.CacheStatus | None:
    """None if no call was compared, and the end of the cache is not known either."""
    state = session.state
    truth = state.cache
    if truth.model != state.model.id:
        return None
    lifetime = session.model.lifetime(state)
    rule, documented_ms = session.model.terms_by(state).cache, session.model.documented_ms(state)
    called_ms = state.counted.listed_ms if rule.kind != "none" else None
    is_counted = truth.tells and state.counted.input_tokens is not None
    if not truth.calls and not (is_counted and called_ms is not None):
        return None
    return lifecycle.CacheStatus(
        expected=sum(call.expected_tokens for call in truth.calls),
        read=sum(call.read_tokens for call in truth.calls),
        calls=len(truth.calls),
        lifetime_ms=lifetime.lifetime_ms,
        lifetime_from=lifetime.source,
        gap=gap(truth, rule, lifetime, documented_ms) or None,
        expires_at=None if called_ms is None else called_ms + lifetime.lifetime_ms,
        busts=lifecycle.CacheBusts.saved(state.busts),
    )


BY_ESTIMATE = "no usage is reported: a compaction is asked for by the estimate of the list's tokens"


def notes(session: SessionCore, cache: lifecycle.CacheStatus | None) -> tuple[str, ...]:
    """One sentence each, without conversation content."""
    mismatches = session.mismatches.note(session.state.model.window)
    sentences = tuple(filter(None, (mismatches, session.preset.why_idle(session.state, session.policy))))
    gap = (cache.gap,) if cache is not None and cache.gap else ()
    by_settings = (_asking, _ahead, _pins, _prune, _vectors, _unseen)
    set_so = (sentence for told in by_settings for sentence in told(session))
    stored = (session.stored.note,) if session.stored.note else ()
    return (*session.warnings, *stored, *session.idle_keys, *sentences, *_window(session), *gap, *set_so)


def _window(session: SessionCore) -> Iterator[str]:
    """What a refusal taught."""
    declared, taken = session.state.model.window, window_of(session.state)
    if taken != declared:
        yield f"the model refused a list as too long: ctxmgr now assumes a window of {taken} tokens, not {declared}"


def _asking(session: SessionCore) -> Iterator[str]:
    """Whether and by what means a compaction will be requested."""
    if not session.capabilities.request_compaction:
        return
    if not session.preset.asks_for_compaction:
        yield f"no compaction is requested in preset {session.policy.preset}"
    elif not session.state.enabled:
        yield "no compaction is requested while pruning is switched off"
    elif not policy_keys.compaction(session.policy).enabled:
        yield "no compaction is asked for: the policy's compaction.enabled is false"
    elif session.by_estimate and not session.mismatches.times:
        yield BY_ESTIMATE


def _pins(session: SessionCore) -> Iterator[str]:
    """Whether pins hold anything, which is decided when an epoch begins."""
    if session.state.pins and session.preset.prunes and not session.preset.keeps_prefix:
        yield f"pins do nothing in preset {session.policy.preset}"


def _prune(session: SessionCore) -> Iterator[str]:
    """Why a prune that the host requested removes nothing."""
    if session.unpruned:
        yield session.unpruned
    elif session.state.force_prune and not session.preset.is_active(session.state):
        why = "while pruning is switched off" if session.preset.prunes else f"in preset {session.policy.preset}"
        yield f"prune does nothing {why}"


def _vectors(session: SessionCore) -> Iterator[str]:
    """Why the words, not vectors, find a change of subject although the policy wants vectors."""
    cohesion = policy_keys.compaction(session.policy).slices.cohesion
    if cohesion == "host" and not session.capabilities.embed:
        yield 'cohesion "host" does nothing: the host does not declare embed'
    elif cohesion == "embeddings" and session.embed is None:
        yield 'cohesion "embeddings" does nothing: there are no embeddings here (ctxmgr-sidecar[embeddings])'
    elif cohesion == "embeddings" and session.embed is not None and session.embed.failure:
        yield f'cohesion "embeddings" does nothing: {session.embed.failure}'


def _unseen(session: SessionCore) -> Iterator[str]:
    """What no list shows if no packet is written."""
    state = session.state
    if session.preset.is_active(state) or not (state.summaries or state.scratchpad.strip()):
        return
    why = "while pruning is switched off" if session.preset.prunes else f"in preset {session.policy.preset}"
    yield f"no packet is written {why}: lists show neither the scratchpad nor what a summary omitted"


def _ahead(session: SessionCore) -> Iterator[str]:
    """Why nothing is written ahead although the policy wants it."""
    if not policy_keys.compaction(session.policy).prepare_ahead:
        return
    if not session.capabilities.request_compaction:
        yield "prepareAhead does nothing: the host does not declare requestCompaction"
    elif not session.may_ask():
        yield "prepareAhead does nothing: no compaction is asked for"
    elif session.prefetch.failure:
        yield f"prepareAhead wrote nothing: {session.prefetch.failure}"


# what takes time


def asked_status(session: SessionCore, params: lifecycle.GetStatusParams) -> Verb[lifecycle.Status]:
    """The status, including values that take time to compute."""
    if params.flush:
        yield StoreFlush()
    cost = (yield from _cold_cost(session)) if params.cold_cost else None
    made = status(session)
    if cost is None or made.cache is None:
        return made
    return msgspec.structs.replace(made, cache=msgspec.structs.replace(made.cache, cold_cost=cost))


def _cold_cost(session: SessionCore) -> Verb[lifecycle.ColdCost | None]:
    """Computed once per state of the session. None if the list is not available, or the cache's end is unknown."""
    cache, known = cache_status(session), session.cold_cost
    if cache is None or cache.expires_at is None or not session.projection.messages:
        return None
    if known is None or known[0] is not session.state:
        state, at = session.state, cache.expires_at + 1
        known = session.cold_cost = state, (yield Offload(lambda: _planned_cost(session, at)))
    return known[1]


def _planned_cost(session: SessionCore, time_ms: int) -> lifecycle.ColdCost | None:
    delta = Delta(len(session.projection.messages), tuple(session.pending_messages))
    params = lifecycle.ContextParams(session.state.session_id, at=time_ms)
    plan = listing.attempt(session, delta, params, may_take_long=True)
    if isinstance(plan, listing.ProjectionFailure):
        return None
    raw, pruned = (_written(session, weight) for weight in (plan.plan.raw_weight, plan.plan.weight))
    return lifecycle.ColdCost(raw, pruned)


def _written(session: SessionCore, weight: int) -> lifecycle.WrittenPrompt:
    gauge = session.gauge(session.state)
    tokens = gauge.tokens(weight)
    return lifecycle.WrittenPrompt(tokens, prices.dollars(CallTokens(written_tokens=tokens), gauge.terms.prices))
