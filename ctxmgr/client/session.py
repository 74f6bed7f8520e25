"""One session: what a program calls, and what it gets when there is no answer.

Rules:
1. `context` and the events never raise because of ctxmgr: a model call never fails because of it. What is
   no list of messages is a fault of the program: `context` raises TypeError.
2. `request` raises, a `SidecarFault`: who asks for something by name wants to know.
3. A sidecar that does not know the session is told of it before anything else, within the bound of the call.
4. An event that is not answered is held, and told again before anything else (`outbox`).
5. Only new messages travel, and only edits come back. After anything but a good answer the next list travels whole:
   what ctxmgr holds is not known then.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from ctxmgr.client.channel import Channel, decoded, encoded, fault_of
from ctxmgr.client.fallback import Fallback, SentList, Source, begins_with, fallback, room
from ctxmgr.client.outbox import Entries, Outbox, Sidecar
from ctxmgr.client.settings import LONG
from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model import InvalidParams
from ctxmgr.model.api import ListAnswer, M, compaction, edits, lifecycle, message_list, model_of, raw_json, reports
from ctxmgr.wire import errors

Answer = TypeVar("Answer")
LARGE_BYTES = 1 << 20  # of a message: a longer one is checked in a thread


class ContextOutcome(msgspec.Struct, frozen=True):
    """Where the last list to send came from: "answered" by ctxmgr; "kept", the last projection and what came since;
    the program's "own", untouched. `fits`: whether it is likely to fit the window; where it is false, compact
    before the call. `fault`: why ctxmgr did not answer."""

    source: Source
    fits: bool
    report: reports.Report | None = None
    fault: SidecarFault | None = None


class AsyncClientSession:
    """Made by `AsyncClient.session`. `restored`: it was known to ctxmgr; None while it could not be started.
    `outcome` is of the last `context`; `last_status` of the last answer that held one."""

    def __init__(self, client: Sidecar, params: lifecycle.SessionStartParams, entries: Entries) -> None:
        self._client, self.session_id = client, params.session_id
        self.outcome: ContextOutcome | None = None
        self.last_status: lifecycle.Status | None = None
        self._base: tuple[Channel, str] | None = None  # of the last answer, while it is known to hold
        self._last: SentList | None = None
        self._outbox = Outbox(client, params, entries, self._failed, self._heard)

    @property
    def restored(self) -> bool | None:
        return self._outbox.restored

    # the list

    async def context(
        self,
        messages: Sequence[M],
        *,
        overhead_tokens: int | None = None,
        time_ms: float | None = None,
        own_marks: int | None = None,
        prefix_change: lifecycle.PrefixChange | None = None,
    ) -> list[M]:
        """The list to send to the model. Kept messages are the very objects that were given; `messages` is left as
        it is. `overhead_tokens`: system prompt and tools, where they are not in the list. `time_ms`: when the call
        is made (default: now); tells whether the provider's cache is cold. `own_marks`: cache marks of the request
        outside of the list (default: 2); `with_cache_marks` sets those of the list. `prefix_change`: where system
        prompt or tools differ from those of the call before, which the status counts. Raises TypeError where
        `messages` is no list, and nothing else."""
        given = message_list(messages)
        try:
            is_large = any(isinstance(message, bytes) and len(message) >= LARGE_BYTES for message in given)
            raws = await asyncio.to_thread(self._raws, given) if is_large else self._raws(given)
            called_ms = self._client.timing.now_ms() if time_ms is None else time_ms
            channel, answer = await self._listed(raws, (overhead_tokens, own_marks, prefix_change), called_ms)
            sent = edits.applied(given, raws, answer)
        except Exception as thrown:  # noqa: BLE001  rule 1
            return self.without(given, overhead_tokens, thrown)
        self._client.works("context", self.session_id)
        self._base = (channel, answer.base) if answer.base else None
        self._last = SentList(tuple(raws), tuple(sent), answer.report.tokens)
        self.outcome = ContextOutcome("answered", True, answer.report)
        return sent

    def without(self, given: Sequence[M], overhead_tokens: int | None, thrown: Exception) -> list[M]:
        """The list to send where ctxmgr has not answered, for the reason that was thrown."""
        fault = self._failed(thrown, "context")
        model = self._outbox.params.model
        space = room(model.context_window, self._client.reserve(model.id), overhead_tokens or 0)
        try:
            raws = [raw_json(message, "$") for message in given]
        except InvalidParams:
            raws = None
        try:
            made = fallback(given, raws, self._last, space)
        except Exception:  # noqa: BLE001  what cannot even be weighed
            made = Fallback(list(given), "own", False)
        self.outcome = ContextOutcome(made.source, made.fits, None, fault)
        return made.messages

    def _raws(self, given: Sequence[M]) -> list[bytes]:
        """Each message as JSON. The very bytes of the last list were checked then. Raises InvalidParams."""
        last = self._last.raws if self._last is not None else ()
        pairs = enumerate(zip(given, last, strict=False))
        known = next((index for index, (message, raw) in pairs if message is not raw), min(len(last), len(given)))
        fresh = [raw_json(message, f"$.messages[{index}]") for index, message in enumerate(given[known:], known)]
        return [*last[:known], *fresh]

    async def _listed(
        self,
        raws: list[bytes],
        beside: tuple[int | None, int | None, lifecycle.PrefixChange | None],
        time_ms: float,
    ) -> tuple[Channel, ListAnswer]:
        """The new messages alone where ctxmgr holds the others. `beside` the list: tokens, cache marks, and what
        changed there."""
        end = self._client.ends("context")
        channel = await self._outbox.ready(end)
        base, self._base = self._base, None  # rule 5
        overhead, own, change = beside
        bare = lifecycle.ContextParams(
            self.session_id,
            at=time_ms,
            overhead_tokens=overhead,
            answer="edits",
            own_marks=own,
            prefix_change=change,
        )

        def whole() -> lifecycle.ContextParams:
            return msgspec.structs.replace(bare, messages=_raws(raws))

        append = None
        if base is not None and base[0] is channel and self._last is not None and begins_with(raws, self._last):
            after = len(self._last.raws)
            append = lifecycle.Append(after, base[1], _raws(raws[after:]))
        try:
            params = whole() if append is None else msgspec.structs.replace(bare, append=append)
            answer = await self._ask(channel, "context", params, end)
        except SidecarFault as fault:
            if fault.code != errors.CONTENT_MODIFIED or append is None:
                raise
            answer = await self._ask(channel, "context", whole(), end)
        return channel, decoded("context", answer, ListAnswer)

    # events: None where it could not be told

    async def turn_end(
        self,
        message: M,
        tool_results: Sequence[M] = (),
        *,
        usage: Mapping[str, Any] | None = None,
        time_ms: float | None = None,
        entry_ids: lifecycle.EntryIds | None = None,
        notify: bool = False,
    ) -> lifecycle.TurnEndResult | None:
        """The model answered and its tools ran. `usage`: the provider's own object. The answer's `commands` are
        carried out by `Host.on_request_compaction` where there is one, else they are the program's. `notify`: no
        answer is waited for; a compaction is then asked for by a request, and so by that callback alone."""
        try:
            params = {
                "sessionId": self.session_id,
                "message": msgspec.Raw(raw_json(message, "$.message")),
                "toolResults": _raws([raw_json(result, "$.toolResults") for result in tool_results]),
                "usage": usage,
                "at": self._client.timing.now_ms() if time_ms is None else time_ms,
                "entryIds": entry_ids,
            }
        except Exception as thrown:  # noqa: BLE001  rule 1
            self._failed(thrown, "turn_end")
            return None
        return await self._outbox.event("turn_end", params, lifecycle.TurnEndResult, notify)

    async def model_select(self, model: lifecycle.Model | Mapping[str, Any]) -> lifecycle.StatusResult | None:
        """Another model from the next call on. Raises InvalidParams where it is none."""
        begins, model = self._outbox.params, model_of(model)
        self._outbox.params = msgspec.structs.replace(begins, model=model)
        return await self._event("model_select", {"model": model})

    async def session_compact(
        self,
        summary: str,
        *,
        entry_id: str | None = None,
        first_kept_entry_id: str | None = None,
        time_ms: float | None = None,
    ) -> lifecycle.StatusResult | None:
        """The program has compacted: `summary` stands in the place of older messages."""
        self._base = None
        compacted_ms = self._client.timing.now_ms() if time_ms is None else time_ms
        entry = lifecycle.CompactionEntry(
            summary, entry_id, first_kept_entry_id=first_kept_entry_id, timestamp=compacted_ms
        )
        return await self._event("session_compact", {"compactionEntry": entry})

    async def session_compact_failed(
        self, reason: str, error_message: str | None = None
    ) -> lifecycle.StatusResult | None:
        """What was asked for could not be done: it is asked for again later."""
        return await self._event("session_compact_failed", {"reason": reason, "errorMessage": error_message})

    async def session_tree(self, params: Mapping[str, Any]) -> lifecycle.StatusResult | None:
        """The program is at another place of its session tree; params in the protocol's words."""
        self._base = None
        return await self._event("session_tree", params)

    async def set_policy(self, policy: Mapping[str, Any]) -> lifecycle.PolicyResult | None:
        """Keys of the policy for this session, over the client's; told again to a sidecar that did not answer."""
        return await self._outbox.event("setPolicy", self._named({"policy": policy}), lifecycle.PolicyResult)

    async def before_compact(self, params: Mapping[str, Any]) -> compaction.BeforeCompactResult | None:
        """The program is about to compact; an empty answer leaves it to the program."""
        return await self._tell("session_before_compact", params, compaction.BeforeCompactResult)

    async def before_tree(self, params: Mapping[str, Any]) -> compaction.BeforeTreeResult | None:
        """The program is about to move in its session tree; an empty answer leaves the summary to the program."""
        return await self._tell("session_before_tree", params, compaction.BeforeTreeResult)

    async def status(self) -> lifecycle.Status | None:
        return await self._tell("getStatus", {}, lifecycle.Status)

    async def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout_ms: float | None = None
    ) -> Any:
        """Any method of this session, in the protocol's words; its decoded answer. Raises SidecarFault."""
        answer = await self._answer(method, params or {}, timeout_ms)
        self._client.works(method, self.session_id)
        return msgspec.json.decode(answer)

    async def end(self) -> None:
        """The session ends; its snapshot stays. It is not started again after a restart of the sidecar."""
        if self._outbox.is_started:
            await self._tell("session_shutdown", {}, object)
            self._outbox.lost()
        self._outbox.clear()
        self._client.forget(self.session_id)

    # what the client calls

    async def tell_of_it(self, timeout_ms: float) -> None:
        """Once ctxmgr has heard of it, or cannot; what is not done by then goes on."""
        try:
            await self._outbox.ready(self._client.ends("session_start", None, timeout_ms))
        except SidecarFault as fault:
            self._client.note(fault, self.session_id)

    # within

    async def _ask(self, channel: Channel, method: str, params: Any, end: float) -> bytes:
        read = self._outbox.notified(channel)
        call = asyncio.ensure_future(self._client.ask(channel, method, params, end))
        try:
            if method in LONG:
                await self._while_it_lives(channel, call)
            answer = await call
        except SidecarFault as fault:
            if fault.code == errors.UNKNOWN_SESSION:
                self._outbox.lost()
            raise
        finally:
            call.cancel()
        self._outbox.drop(read)
        return answer

    async def _while_it_lives(self, channel: Channel, call: "asyncio.Future[bytes]") -> None:
        """Waits for what may take minutes while the process answers anything at all. Raises SidecarFault."""
        params = lifecycle.SessionParams(self.session_id)
        while not (await asyncio.wait({call}, timeout=self._client.timing.probe_ms / 1000))[0]:
            try:
                await self._client.ask(channel, "getStatus", params, self._client.ends("getStatus"))
            except SidecarFault as fault:
                if fault.kind != "error":
                    raise

    async def _event(self, method: str, params: Mapping[str, Any]) -> lifecycle.StatusResult | None:
        return await self._outbox.event(method, self._named(params), lifecycle.StatusResult)

    async def _tell(self, method: str, params: Mapping[str, Any], kind: type[Answer]) -> Answer | None:
        try:
            answer: Answer = decoded(method, await self._answer(method, params, None), kind)
        except Exception as thrown:  # noqa: BLE001  rule 1
            self._failed(thrown, method)
            return None
        self._client.works(method, self.session_id)
        self.last_status = (
            answer if isinstance(answer, lifecycle.Status) else getattr(answer, "status", self.last_status)
        )
        return answer

    async def _answer(self, method: str, params: Mapping[str, Any], timeout_ms: float | None) -> bytes:
        """The answer as JSON. Raises SidecarFault."""
        end = self._client.ends(method, params, timeout_ms)
        wanted = encoded(method, self._named(params))
        return await self._ask(await self._outbox.ready(end), method, wanted, end)

    def _heard(self, status: lifecycle.Status) -> None:
        self.last_status = status

    def _named(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {"sessionId": self.session_id, **params}

    def _failed(self, thrown: Exception, method: str) -> SidecarFault:
        self._base = None
        fault = fault_of(thrown, method)
        self._client.note(fault, self.session_id)
        return fault


def _raws(raws: Sequence[bytes]) -> list[msgspec.Raw]:
    return [msgspec.Raw(raw) for raw in raws]
