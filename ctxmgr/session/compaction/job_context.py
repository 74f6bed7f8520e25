"""A job's view of its session: taken in the session's turn, never changed after.

Derives from a session and the settings of one call who runs the model, the limits of the cut, and the path to cut.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.engine.compaction import weighing
from ctxmgr.formats import MessageFormat
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model import CompactionPolicy, Message, WeighMessage, policy_keys, prices
from ctxmgr.model.api import compaction as wire
from ctxmgr.model.api import since
from ctxmgr.model.compaction import (
    WITHOUT_MODEL,
    Asking,
    BranchEntry,
    CompactionPlan,
    CutBudget,
    Result,
    Strategy,
)
from ctxmgr.model.saved import Ledger
from ctxmgr.session import ledger_updates
from ctxmgr.session.effective import window_of
from ctxmgr.session.reading import Reader
from ctxmgr.session.session import Embedding, SessionCore
from ctxmgr.session.work import ModelRunner, Offload, Routine
from ctxmgr.summarize import HostContext, Prepared, SummaryInput

WINDOW = 200_000  # tokens; for a summarizing model of unknown window


class JobContext(msgspec.Struct, frozen=True):
    """`policy` and `cut_budget` include the call's own settings, `instructions` those of both. `listed`: the
    messages the session knows, oldest first, each with its entry's id, "" if unknown. `window`: of the session's
    model, in tokens. `scratchpad`: the model's own notes. `ledger`: what the session has learned. `context`: the
    host's last list, if its model can be asked at the end of it, and `sent` its messages. `host_embeds`: the host
    provides vectors; `embed` provides those of the embeddings extra, if it is installed.
    """

    reader: Reader
    policy: CompactionPolicy
    cut_budget: CutBudget
    runner: ModelRunner
    listed: tuple[tuple[Message, str], ...]
    window: int
    scratchpad: str = ""
    ledger: Ledger = Ledger()
    context: HostContext | None = None
    sent: tuple[Message, ...] = ()
    host_embeds: bool = False
    embed: Embedding | None = None

    @property
    def fmt(self) -> MessageFormat:
        """The format of the session's messages."""
        return self.reader.fmt

    @property
    def instructions(self) -> str | None:
        """For whoever writes the summary."""
        return self.policy.instructions

    @property
    def weigh(self) -> WeighMessage:
        """Tokens of a message, uncalibrated."""
        return weighing.by_text(self.reader.weigh, self.reader.media_tokens, self.fmt.extra_weight)

    def path(self, entries: Sequence[bytes] | None, leaf: str | None) -> tuple[BranchEntry, ...]:
        """The branch path: of the host's entries, or of what the session holds."""
        if entries is not None:
            return self.reader.with_tools_in(view_branch.branch(self.fmt, entries, leaf))
        ids = tuple(entry for _, entry in self.listed)
        listed = view_branch.from_messages(self.fmt, [message.raw for message, _ in self.listed], ids)
        return self.reader.with_tools_in(listed)


def take(
    session: SessionCore,
    given: wire.CutSettings | None,
    instructions: str | None,
    *,
    holds: bool = True,
    time_ms: float | None = None,
) -> JobContext:
    """`holds`: include what the session holds; a call with entries of its own avoids that cost. `time_ms`: the
    host's time, in milliseconds.
    """
    policy = policy_keys.compaction(session.policy)
    given = given or wire.CutSettings()
    cut = CutBudget(
        keep_recent_tokens=_number(given.keep_recent_tokens, policy.keep_recent_tokens),
        reserve_tokens=_number(given.reserve_tokens, policy.reserve_tokens),
        weigher=given.weigher or policy.weigher,
    )
    listed = _listed(session) if holds else ()
    context = _host_context(session, policy, 0 if time_ms is None else int(time_ms))
    # a host may return the words of `requestCompaction`; they are used once
    both = dict.fromkeys(text for text in (policy.instructions, instructions) if text and text.strip())
    return JobContext(
        reader=session.reader,
        policy=msgspec.structs.replace(policy, instructions="\n\n".join(both) or None),
        cut_budget=cut,
        runner=via(session, policy, None if given.context_window is None else int(given.context_window)),
        listed=tuple((message, session.entry_of.of(message) or "") for message in listed),
        window=window_of(session.state),
        scratchpad=session.state.scratchpad,
        ledger=session.ledger,
        context=context,
        sent=_listed(session) if context is not None else (),
        host_embeds=bool(session.capabilities.embed),
        embed=session.embed,
    )


def _host_context(session: SessionCore, policy: CompactionPolicy, now_ms: int) -> HostContext | None:
    """The host's list, if this process has answered it and nothing has invalidated it since, because then the
    provider's cache holds it. `now_ms`: the host's time, 0 if unknown.
    """
    can = session.capabilities.complete_on_context and session.capabilities.complete
    can = can and since.is_in("CompleteParams.instruction", session.version)
    if not (can and policy.model in (None, "host") and session.projection.etag and _listed(session)):
        return None
    state, terms, tokens = session.state, session.model.terms_by(session.state), session.tokens()
    lifetime = terms.cache.lifetime_ms
    cold = prices.is_cold(session.listed_ms, max(state.clock, now_ms) or None, lifetime) or state.reopen == "model"
    cold = cold or terms.cache.kind == "none"
    cached = 0 if cold else min(tokens, state.meter.reading_tokens or tokens)
    return HostContext(cached, tokens, window_of(state), session.gauge(state).ratio, terms.prices)


def at_its_end(seen: JobContext, plan: CompactionPlan) -> HostContext | None:
    """The host's list, if it ends with what stays. If that is unknown, the list must contain what is removed."""
    context = seen.context
    of = plan.recent or (*plan.history, *plan.prefix)
    if context is None or not of:
        return context
    (last,) = seen.reader.read((of[-1].raw,))[-1:] or (None,)
    if last is None:
        return None
    mark, sent = ledger_updates.mark(last), seen.sent
    own = sent[-1:] if plan.recent else sent
    return context if any(mark == ledger_updates.mark(message) for message in own) else None


def via(session: SessionCore, policy: CompactionPolicy, window: int | None = None) -> ModelRunner:
    """Who runs the summarizing model. The host is only asked for what it declared."""
    can = session.capabilities.complete
    kind = policy.model or ("host" if can else "endpoint" if policy.endpoint else "none")
    if kind == "endpoint" and policy.endpoint is not None:
        of = policy.endpoint.context_window
        return ModelRunner("endpoint", window or of, None, policy.endpoint, policy.concurrency)
    kind = "host" if kind == "host" and can else "none"
    window = window or session.state.model.window
    return ModelRunner(kind, window, session.model.max_output_tokens, None, policy.concurrency)


def strategy(seen: JobContext, asked: Strategy | None) -> Strategy:
    """The first strategy to try; without a model there is only one."""
    if seen.runner.kind == "none":
        return WITHOUT_MODEL
    return asked or seen.policy.strategy or "single-shot"


def deadline(seen: JobContext, given: Any) -> int:
    """Milliseconds: the call's own, else the policy's."""
    return _number(given, seen.policy.deadline_ms)


def brief(seen: JobContext, prepared: Prepared, strategy: Strategy, **more: Any) -> SummaryInput[Prepared]:
    """How to write this preparation. `more`: fields of the brief that differ from the policy."""
    given: dict[str, Any] = {
        "format": seen.policy.format,
        "instructions": seen.instructions or "",
        "slices": seen.policy.slices,
        "window": seen.runner.window,
        "max_output_tokens": seen.runner.max_output_tokens,
        "retries": seen.policy.retries,
        "scratchpad": seen.scratchpad,
        "prompts": seen.policy.prompts,
        "ledger": seen.ledger,
    }
    return SummaryInput(prepared, seen.reader.weigh, strategy, **(given | more))


def _listed(session: SessionCore) -> tuple[Message, ...]:
    """The last list, and the messages reported since."""
    shown = session.projection.messages
    known = {message.raw for message in shown}
    return (*shown, *(message for raw, message in session.pending_messages.items() if raw not in known))


def _number(given: Any, default: int) -> int:
    return default if given is None else int(given)


def advanced(asking: Asking[Result]) -> Routine[Result]:
    """The steps of a strategy as those of a job. Its computation between requests is offloaded: prompts and slices
    of a long history take long to build.
    """
    value: Any = None
    while True:
        sent = value
        ended, value = yield Offload(lambda: _step(asking, sent))  # noqa: B023  run before the next step
        if ended:
            return value  # type: ignore[no-any-return]  # the strategy's own result
        value = yield value


def _step(asking: Asking[Any], value: Any) -> tuple[bool, Any]:
    """(True, result) or (False, requests). A generator's end must not cross a thread as an exception."""
    try:
        return False, asking.send(value)
    except StopIteration as stop:
        return True, stop.value
