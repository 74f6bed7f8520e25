"""Turns a session into the answers to queries. Reads only; changes nothing."""

from typing import Any

from ctxmgr.engine import packet, zone
from ctxmgr.engine.fold import current
from ctxmgr.model.projection import Edit, Keep, Packet, Verdict
from ctxmgr.session import projecting, settings
from ctxmgr.session.session import Session
from ctxmgr.wire import compactions, verbs

RULES = {
    "kept": "kept",
    "dropped": "older turn",
    "summary": "folded into the ledger",
    "packet": "returned packet",
    "distilled": "bulky result of an older turn",
    "pruned": "old tool output",
    "inserted": "packet",
}


def status(session: Session) -> verbs.Status:
    state = session.state
    known = state.meter.reading is not None
    tokens = session.tokens()
    totals = state.totals
    return verbs.Status(
        mode="on" if state.enabled and session.policy.preset != "off" else "off",
        preset=session.policy.preset,
        zone=zone.zone_of(tokens, session.at),
        pressure=zone.pressure(tokens, session.at),
        tokens=tokens if known else None,
        context_window=state.model.window,
        packet_tokens=session.plan.packet_weight,
        summaries=verbs.Summaries(
            compaction=sum(summary.kind == "compaction" for summary in state.summaries),
            branch=sum(summary.kind == "branch" for summary in state.summaries),
        ),
        latch=verbs.LatchStatus(state.latch.state, state.latch.failures),
        stats=verbs.Stats(
            contexts=totals.contexts,
            fallbacks=totals.fallbacks,
            turns_dropped=totals.turns_dropped,
            results_distilled=totals.results_distilled,
            results_pruned=totals.results_pruned,
            tokens_scanned=totals.tokens_scanned,
            tokens_pruned=totals.tokens_pruned,
            tokens_protected=totals.tokens_protected,
            compactions_requested=totals.compactions_requested,
        ),
        promise=session.at.promise,
        weigher=session.reader.name,
        notes=session.notes,
        seq=state.seq,
    )


def prune_stats(session: Session) -> verbs.PruneStats:
    totals = session.state.totals
    return verbs.PruneStats(
        enabled=session.state.enabled,
        scanned=totals.tokens_scanned,
        pruned=totals.tokens_pruned,
        protected=totals.tokens_protected,
        prunable=totals.tokens_prunable,
        results_pruned=totals.results_pruned,
        tokens_pruned=totals.tokens_pruned,
        results_distilled=totals.results_distilled,
        turns_dropped=totals.turns_dropped,
        seq=session.state.seq,
    )


def policy(session: Session) -> verbs.PolicyResult:
    at = session.at
    return verbs.PolicyResult(
        policy=session.policy,
        thresholds={
            "usable": at.usable,
            "yellow": round(at.yellow, 1),
            "red": round(at.red, 1),
            "compact": round(at.compact, 1),
            "limit": at.limit,
        },
        seq=session.state.seq,
    )


def ledger(session: Session) -> verbs.LedgerResult:
    facts = tuple(
        verbs.LedgerFact(fact.slot, fact.text, fact.source, fact.status, fact.at, fact.detail, fact.entry)
        for fact in current(session.ledger)
    )
    return verbs.LedgerResult(facts, session.state.seq)


def rendered_packet(session: Session, resume: bool) -> verbs.PacketResult:
    """The packet as it would be rendered now, whether or not one is needed."""
    budget = projecting.packet_budget(session.policy, session.zone(), resume)
    text = packet.render(
        session.ledger,
        budget=budget,
        weigh=session.weigh,
        resume=resume,
        scratchpad=session.state.scratchpad,
    )
    return verbs.PacketResult(text, session.weigh(text) if text else 0, session.state.seq)


def scratchpad(session: Session) -> compactions.ScratchpadResult:
    text = session.state.scratchpad
    return compactions.ScratchpadResult(text, session.reader.weigh(text) if text else 0, session.state.seq)


def explain(session: Session) -> verbs.ExplainResult:
    """One verdict a message of the last list, in its order, and one for what was inserted."""
    messages, plan = session.standing.messages, session.plan
    verdicts: list[verbs.Verdict] = []
    by_index: dict[int, list[Edit]] = {}
    kept: set[int] = set()
    for piece in plan.pieces:
        if isinstance(piece, Packet):
            rule = RULES["inserted"]
            verdicts.append(verbs.Verdict(None, "", "inserted", rule, 0, piece.weight))
        elif isinstance(piece, Keep):
            kept.update(range(piece.start, piece.end))
        else:
            by_index.setdefault(piece.index, []).append(piece)
    for index, message in enumerate(messages):
        edits = by_index.get(index, [])
        saved = sum(edit.before - edit.after for edit in edits)
        verdict: Verdict
        if edits:
            verdict, rule, after = edits[0].kind, RULES[edits[0].kind], message.weight - saved
        elif index in kept:
            verdict, rule, after = "kept", RULES["kept"], message.weight
        else:
            role = message.view.role
            verdict, rule, after = "dropped", RULES.get(role, RULES["dropped"]), 0
        verdicts.append(verbs.Verdict(index, message.digest, verdict, rule, message.weight, after))
    return verbs.ExplainResult(tuple(verdicts), session.state.seq)


def compaction_request(session: Session, reason: Any, tokens: int) -> verbs.RequestCompactionParams:
    ahead = session.ahead.prepared
    mid_run = session.capabilities.request_compaction == "midRun"
    return verbs.RequestCompactionParams(
        session_id=session.state.session_id,
        reason=reason,
        zone=session.zone(),
        tokens=tokens if session.state.meter.reading is not None else None,
        threshold=int(session.at.red),
        context_window=session.state.model.window,
        deliver="now" if mid_run else "whenIdle",
        custom_instructions=settings.compaction(session.policy).instructions,
        compaction=ahead.compaction if ahead else None,
    )
