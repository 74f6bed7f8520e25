"""The library: one session in this process, without a sidecar, a loop or a file. The program calls it before and
after each model call.

    from ctxmgr import Policy, Session
    session = Session(Policy(preset="turns"), format="openai")
    sent = session.project([{"role": "user", "content": "Fix the login bug."}])

Rules:
1. A call that raises has changed nothing. It raises errors of `ctxmgr.model.errors`, or TypeError if a list of
   messages is no list.
2. `project` raises only for an invalid message list. After an internal fault it still returns a list to send, and
   `report.reason` says so.
3. Nothing is read from a clock or a disk: you pass the call's time and the saved state, and the same calls give the
   same lists.
4. A session is not thread-safe.

It turns a program's calls into what a session takes, runs what the session requests in the caller's thread, and
returns plain values. It knows neither server nor client nor device: vocabulary, files and clock belong to the
program.
"""

import math
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import msgspec

from ctxmgr import late
from ctxmgr.formats import format_of
from ctxmgr.model import CallFailed, Policy, Weigh, invalid_params, of_all, policy_keys
from ctxmgr.model.api import (
    GivenTools,
    ListAnswer,
    M,
    converted,
    edits,
    lifecycle,
    message_list,
    model_of,
    raw_json,
    raw_object,
    reports,
    tools_of,
    with_cache_marks,
)
from ctxmgr.model.saved import ModelSpec, State
from ctxmgr.session import Calibration, Offload, Reader, Verb, begun, journal, model_spec, restored
from ctxmgr.session import SessionCore as Living
from ctxmgr.session.context import RawMessages, listing
from ctxmgr.session.methods import ROUTES, archiving, queries

__all__ = ["Session", "with_cache_marks"]

late.load()

Usage = Mapping[str, Any]


def spec_of(
    model: lifecycle.Model | Mapping[str, Any] | str | None, window: int | None, usual: int
) -> ModelSpec | None:
    """None if the program gives neither model nor window. Raises InvalidParams."""
    if model is None and window is None:
        return None
    if isinstance(model, Mapping):
        model = model_of({"contextWindow": window or usual, **model})
    spec = lifecycle.Model(model or "", window or usual) if isinstance(model, str | None) else model_of(model)
    if window is not None:
        spec = msgspec.structs.replace(spec, context_window=window)
    return model_spec(model_of(spec))


def text_of(value: str, name: str) -> str:
    """Raises InvalidParams."""
    if not isinstance(value, str):
        raise invalid_params(f"a text is needed, not {type(value).__name__}", f"$.{name}")
    return value


def natural(value: float | None, name: str) -> float | None:
    """Raises InvalidParams."""
    if value is not None and not (isinstance(value, int | float) and 0 <= value < float("inf")):
        raise invalid_params("a number that is not negative is needed", f"$.{name}")
    return value


def whole_tokens(weigh: Weigh) -> Weigh:
    """The same weigher rounded up to whole tokens, at least 0, since a program's own may return fractions."""
    return lambda text: max(0, math.ceil(weigh(text)))


def read_state(saved: bytes | None, model: ModelSpec | None, usual: int) -> State:
    """Raises InvalidParams if `saved` is no state."""
    if saved is None:
        return begun("", model or ModelSpec("", usual))
    try:
        state = restored(journal.restore([saved])[0])
    except journal.UnreadableJournal as fault:
        raise invalid_params(str(fault), "$.state") from None
    return msgspec.structs.replace(state, model=model) if model is not None else state


def running(verb: Any) -> Any:
    """The value that a verb returns. Work that it requests runs here.

    A session that declares neither `retrieve` nor a model of the host requests nothing else. Raises CallFailed.
    """
    if not isinstance(verb, Generator):
        return verb
    value: Any = None
    while True:
        try:
            wanted = verb.send(value)
        except StopIteration as stop:
            return stop.value
        if not isinstance(wanted, Offload):
            verb.close()
            raise CallFailed(f"a session in this process has no {type(wanted).__name__.lower()}")
        value = wanted.run()


CAPABILITIES = lifecycle.HostCapabilities(request_compaction="whenIdle", edits=True)
WINDOW = 200_000  # tokens, if the program names no model

_answer = msgspec.json.Decoder(ListAnswer).decode


class Session:
    """One conversation, in `format` (`pi`, `openai`, `anthropic`, `responses`; `auto` detects it from the
    messages). `weigh` returns the tokens of a text. It determines the pressure until usage is known; what stays in
    a list is decided by an estimate, whatever you pass here.

    `window` in tokens. `model`: an id, or a `Model` (also as a dict) with prices and cache lifetime. `state`: the
    `state` of an earlier session, to continue it. Raises InvalidParams.
    """

    def __init__(
        self,
        policy: Policy | Mapping[str, Any] | None = None,
        *,
        format: str = "pi",
        window: int | None = None,
        model: lifecycle.Model | Mapping[str, Any] | str | None = None,
        weigh: Weigh | None = None,
        state: bytes | None = None,
    ) -> None:
        fmt = format_of(format, "$.format")
        begins = read_state(state, spec_of(model, window, WINDOW), WINDOW)
        keys = policy_keys.checked_keys(policy)
        self._session = Living(begins, fmt, keys, CAPABILITIES, Reader(fmt))
        if weigh is not None:
            name = str(getattr(weigh, "name", "given"))
            self._session.vocabulary = Calibration(name, of_all(whole_tokens(weigh)))
        self._raw_messages = RawMessages()
        self._report: reports.Report | None = None

    # before a model call

    def project(
        self,
        messages: Sequence[M],
        *,
        overhead_tokens: int | None = None,
        time_ms: float | None = None,
        own_marks: int | None = None,
    ) -> list[M]:
        """The list to send instead of `messages`, which is not modified. Kept messages are the objects you passed,
        dicts or JSON as bytes; inserted ones have the same type.

        `overhead_tokens`: system prompt and tools, if they are not in the list; it counts until usage is known.
        `time_ms`: the call's time since 1970, used to tell whether the provider's cache is cold. `own_marks`: cache
        marks of the request outside the list (default: 2); `with_cache_marks` sets those in the list, at
        `report.cache_breakpoints`.

        Raises InvalidParams if an argument or a message is invalid, and TypeError if `messages` is no list.
        """
        given = message_list(messages)
        raws = [raw_json(message, f"$.messages[{number}]") for number, message in enumerate(given)]
        params = lifecycle.ContextParams(
            "",
            [msgspec.Raw(raw) for raw in raws],
            at=natural(time_ms, "time_ms"),
            overhead_tokens=natural(overhead_tokens, "overhead_tokens"),
            answer="edits",
            own_marks=natural(own_marks, "own_marks"),
        )
        answer = _answer(b"".join((b"{", *self._run(self._context(params)), b"}")))
        self._report = answer.report
        return edits.applied(given, raws, answer)

    def _context(self, params: lifecycle.ContextParams) -> Verb[listing.Parts]:
        parts = yield from listing.context(self._session, self._raw_messages, params)
        yield from archiving.archived(self._session)
        return parts

    # after it

    def turn_end(
        self,
        message: M,
        tool_results: Sequence[M] = (),
        *,
        usage: Usage | None = None,
        time_ms: float | None = None,
    ) -> lifecycle.RequestCompactionParams | None:
        """Records that the model answered `message`, and that its tools returned `tool_results`. Returns a request
        to compact at a quiet moment, usually None. `usage`: the provider's own object as a dict, or ours.
        """
        results = [
            raw_object(result, f"$.tool_results[{number}]")
            for number, result in enumerate(message_list(tool_results))
        ]
        params = lifecycle.TurnEndParams(
            "",
            msgspec.Raw(raw_object(message, "$.message")),
            [msgspec.Raw(raw) for raw in results],
            converted(usage, dict[str, Any], "$.usage") if usage is not None else None,
            natural(time_ms, "time_ms"),
        )
        ended: lifecycle.TurnEndResult = self._call("turn_end", params)
        wanted: lifecycle.RequestCompactionParams | None = ended.commands[0].params if ended.commands else None
        return wanted

    def compacted(self, summary: str, *, time_ms: float | None = None) -> None:
        """Records that the program has replaced older messages with `summary`: the next list is a new one."""
        entry = lifecycle.CompactionEntry(text_of(summary, "summary"), timestamp=natural(time_ms, "time_ms"))
        self._call("session_compact", lifecycle.SessionCompactParams("", entry))

    def compaction_failed(self, reason: str) -> None:
        """Records that a requested compaction failed or was declined. It is requested again later."""
        self._call("session_compact_failed", lifecycle.CompactFailedParams("", text_of(reason, "reason")))

    def select_model(self, model: lifecycle.Model | Mapping[str, Any]) -> None:
        """Sets the model from the next call on. Raises InvalidParams if it is invalid."""
        self._call("model_select", lifecycle.ModelSelectParams("", model_of(model)))

    def declare_tools(self, tools: GivenTools) -> None:
        """Says what the program's own tools do, if their names do not: `{"name": "load", "reads": "doc"}`. Replaces
        all earlier declarations, from the next call on. Raises InvalidParams, which names the entry.
        """
        self._session.declare_tools(tools_of(tools))

    # queries

    @property
    def report(self) -> reports.Report | None:
        """What the last `project` did; None before the first."""
        return self._report

    @property
    def status(self) -> lifecycle.Status:
        """The session's state: zone, pressure, tokens, and totals so far."""
        vocabulary = self._session.vocabulary
        if vocabulary is not None and self._session.counted_by == "vocabulary":
            running(vocabulary.measured(self._session.projection.messages))
        return queries.status(self._session)

    def explain(self, epoch: int | None = None) -> reports.ExplainResult:
        """One verdict for each message of the last list, with its rule and tokens; and the receipts of the epochs,
        with that of `epoch` (default: the newest) in full. Raises InvalidParams if there is no stored receipt of
        it.
        """
        return queries.explain(self._session, epoch)

    @property
    def state(self) -> bytes:
        """Everything that must outlive the process, as JSON on one line. It contains conversation."""
        return journal.base(self._session.state)

    # internals

    def _call(self, method: str, params: Any) -> Any:
        return self._run(ROUTES[method](self._session, params))

    def _run(self, verb: Any) -> Any:
        try:
            return running(verb)
        finally:
            self._session.log_lines.clear()  # for logs; `report.reason` says the same here
