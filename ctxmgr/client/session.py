"""One session: its methods, and the list to send if ctxmgr does not answer.

Rules:
1. `context` and the events never raise because of ctxmgr, so a model call never fails because of it. If the
   argument of `context` is not a list of messages, it raises TypeError.
2. `request` raises a `SidecarFault`: a caller that asks for something by name wants to know.
3. If the sidecar does not know the session, it is started before anything else, within the time-out of the call.
4. An event without an answer is kept and sent again before anything else (`outbox`).
5. Only new messages are sent, and only edits come back. After anything but a good answer the next list is sent
   whole, because it is unknown what ctxmgr has.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from ctxmgr.client.channel import Channel, decoded, encoded, fault_of
from ctxmgr.client.fallback import Fallback, SentList, Source, begins_with, fallback, room
from ctxmgr.client.host import LONG
from ctxmgr.client.outbox import Entries, Outbox, Sidecar
from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model import InvalidParams
from ctxmgr.model.api import ListAnswer, M, compaction, edits, lifecycle, message_list, model_of, raw_json, reports
from ctxmgr.wire import errors

Answer = TypeVar("Answer")
LARGE_BYTES = 1 << 20  # of a message; a longer one is checked in a thread


class ContextOutcome(msgspec.Struct, frozen=True):
    """Where the last list came from: "answered" by ctxmgr; "kept", the last projection and the new messages; or
    the program's "own", unchanged. `fits`: whether it probably fits the context window; if it is false, compact
    before the call. `fault`: why ctxmgr did not answer."""

    source: Source
    fits: bool
    report: reports.Report | None = None
    fault: SidecarFault | None = None


class AsyncClientSession:
    """Made by `AsyncClient.session`. `restored`: whether ctxmgr knew the session; None until it was started.
    `outcome` is that of the last `context`. `last_status` is the status of the last answer that had one."""

    def __init__(self, client: Sidecar, params: lifecycle.SessionStartParams, entries: Entries) -> None:
        self._client, self.session_id = client, params.session_id
        self.outcome: ContextOutcome | None = None
        self.last_status: lifecycle.Status | None = None
        self._base: tuple[Channel, str] | None = None  # of the last answer, while it is known to be valid
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
        """The list to send to the model. Messages that stay are the same objects that you gave, and `messages` is
        not changed. `overhead_tokens`: tokens of system prompt and tools, if they are not in the list.
        `time_ms`: when the call is made (default: now); it tells whether the prompt cache has expired.
        `own_marks`: cache marks of the request outside the list (default: 2); `with_cache_marks` sets those in
        the list. `prefix_change`: how system prompt or tools differ from those of the last call. Raises
        TypeError if `messages` is not a list, and nothing else."""
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
        """The list to send if ctxmgr has not answered. `thrown`: the reason."""
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
        """Each message as JSON. Messages that are the same bytes objects as in the last list are not checked again.
        Raises InvalidParams.
        """
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
        """Sends only the new messages if ctxmgr has the others. `beside`: overhead tokens, own cache marks, and the
        change of the prefix.
        """
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

    # events; they return None if they could not be sent

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
        """Report a model call and the results of its tools. `usage`: the provider's own object.
        With `Host.on_request_compaction`, a request to compact goes there and is not in the `commands` of the
        answer. Without it, carry out the `commands`.
        `notify`: do not wait for an answer. A compaction is then requested through that callback only."""
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
        result = await self._outbox.event("turn_end", params, lifecycle.TurnEndResult, notify)
        if result is None or self._client.host.on_request_compaction is None:
            return result
        others = [command for command in result.commands if command.method != "requestCompaction"]
        return msgspec.structs.replace(result, commands=others)

    async def model_select(self, model: lifecycle.Model | Mapping[str, Any]) -> lifecycle.StatusResult | None:
        """Report another model from the next call on. Raises InvalidParams if it is invalid."""
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
        """Report a compaction: `summary` replaces older messages."""
        self._base = None
        compacted_ms = self._client.timing.now_ms() if time_ms is None else time_ms
        entry = lifecycle.CompactionEntry(
            summary, entry_id, first_kept_entry_id=first_kept_entry_id, timestamp=compacted_ms
        )
        return await self._event("session_compact", {"compactionEntry": entry})

    async def session_compact_failed(
        self, reason: str, error_message: str | None = None
    ) -> lifecycle.StatusResult | None:
        """Report that a requested compaction failed. It is requested again later."""
        return await self._event("session_compact_failed", {"reason": reason, "errorMessage": error_message})

    async def session_tree(self, params: Mapping[str, Any]) -> lifecycle.StatusResult | None:
        """Report a move in the session tree, with params as in the protocol."""
        self._base = None
        return await self._event("session_tree", params)

    async def set_policy(self, policy: Mapping[str, Any]) -> lifecycle.PolicyResult | None:
        """Sets policy keys for this session, over the client's. They are sent again to a sidecar that did not
        answer."""
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
        """Calls any method of this session, with params as in the protocol. Returns the decoded answer. Raises
        SidecarFault."""
        answer = await self._answer(method, params or {}, timeout_ms)
        self._client.works(method, self.session_id)
        return msgspec.json.decode(answer)

    async def end(self) -> None:
        """Ends the session. Its snapshot stays. It is not started again after a restart of the sidecar."""
        if self._outbox.is_started:
            await self._tell("session_shutdown", {}, object)
            self._outbox.lost()
        self._outbox.clear()
        self._client.forget(self.session_id)

    # what the client calls

    async def tell_of_it(self, timeout_ms: float) -> None:
        """Waits until ctxmgr knows the session, for at most `timeout_ms`. The start then continues in the
        background.
        """
        try:
            await self._outbox.ready(self._client.ends("session_start", None, timeout_ms))
        except SidecarFault as fault:
            self._client.note(fault, self.session_id)

    # internal

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
        """Waits for a call that may take minutes, while the process answers anything at all. Raises
        SidecarFault.
        """
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
