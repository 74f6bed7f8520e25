"""A session in this process: the program calls it before and after each model call.

    from ctxmgr import Policy, Session
    session = Session(Policy(preset="turns"), format="openai")
    sent = session.project([{"role": "user", "content": "Fix the login bug."}])

Rules:
1. A call that raises has changed nothing. What is raised is of `ctxmgr.model.errors`; TypeError where a list of
   messages is none.
2. `project` raises for what is no message list alone: a fault inside ends in a list to send, and `report.reason`
   says so.
3. Nothing is read from a clock or a disk: the call's time and the saved state are given, and the same calls give
   the same lists.
4. For one thread at a time.
"""

import math
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import msgspec

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
)
from ctxmgr.model.saved import ModelSpec, State
from ctxmgr.session import Calibration, Offload, Reader, Verb, begun, journal, model_spec, restored
from ctxmgr.session import SessionCore as Living
from ctxmgr.session.context import RawMessages, listing
from ctxmgr.session.methods import ROUTES, archiving, queries

Usage = Mapping[str, Any]


def spec_of(
    model: lifecycle.Model | Mapping[str, Any] | str | None, window: int | None, usual: int
) -> ModelSpec | None:
    """None where the program tells nothing of its model. Raises InvalidParams."""
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
    """The same in whole tokens, and never less than none: what a program counts by may divide."""
    return lambda text: max(0, math.ceil(weigh(text)))


def read_state(saved: bytes | None, model: ModelSpec | None, usual: int) -> State:
    """Raises InvalidParams where `saved` is no state."""
    if saved is None:
        return begun("", model or ModelSpec("", usual))
    try:
        state = restored(journal.restore([saved])[0])
    except journal.UnreadableJournal as fault:
        raise invalid_params(str(fault), "$.state") from None
    return msgspec.structs.replace(state, model=model) if model is not None else state


def running(verb: Any) -> Any:
    """The value that a verb ends with; the work it asks for is done here and now.

    A session that declares neither `retrieve` nor a model of the host asks for nothing else. Raises CallFailed.
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
WINDOW = 200_000  # tokens, where the program tells no model

_answer = msgspec.json.Decoder(ListAnswer).decode


class Session:
    """One conversation, in `format` (`pi`, `openai`, `anthropic`, `responses`; `auto`: the one that the messages
    show). `weigh` gives the tokens of a text: pressure goes by it while no usage is known. What stays in a list
    goes by an estimate, whatever is given here.

    `window` in tokens; a `Model`, or one as a dict, tells its prices and the life of its cache as well. `state`:
    what `state` of an earlier session was, to go on from there. Raises InvalidParams.
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
        """The list to send in place of `messages`, which is left as it is. What is kept are the objects that were
        given, dicts or JSON as bytes; what is put in is of their kind.

        `overhead_tokens`: system prompt and tools, where they are not in the list; it counts while no usage is
        known. `time_ms`: the call's time since 1970, which tells whether the provider's cache is cold.
        `own_marks`: cache marks of the request outside of the list (default: 2); `with_cache_marks` sets those of
        the list, where `report.cache_breakpoints` has them.

        Raises InvalidParams where something in it does not fit, and TypeError where `messages` is no list.
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
        """The model answered `message`, and its tools gave `tool_results`. What comes back is a request to compact,
        at a quiet moment; None as a rule. `usage`: the provider's own object as a dict, or ours."""
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
        """The program has put `summary` in the place of older messages: the next list is another one."""
        entry = lifecycle.CompactionEntry(text_of(summary, "summary"), timestamp=natural(time_ms, "time_ms"))
        self._call("session_compact", lifecycle.SessionCompactParams("", entry))

    def compaction_failed(self, reason: str) -> None:
        """What was asked for could not be done, or will not be: it is asked for again later."""
        self._call("session_compact_failed", lifecycle.CompactFailedParams("", text_of(reason, "reason")))

    def select_model(self, model: lifecycle.Model | Mapping[str, Any]) -> None:
        """Another model from the next call on. Raises InvalidParams where it is none."""
        self._call("model_select", lifecycle.ModelSelectParams("", model_of(model)))

    def declare_tools(self, tools: GivenTools) -> None:
        """What tools of the program's own do, where no name tells it: `{"name": "load", "reads": "doc"}`. These are
        all that are declared, from the next call on. Raises InvalidParams, which names the entry."""
        self._session.declare_tools(tools_of(tools))

    # what it knows

    @property
    def report(self) -> reports.Report | None:
        """What the last `project` did; None before the first."""
        return self._report

    @property
    def status(self) -> lifecycle.Status:
        """Where the session stands: zone, pressure, tokens, what was done so far."""
        vocabulary = self._session.vocabulary
        if vocabulary is not None and self._session.counted_by == "vocabulary":
            running(vocabulary.measured(self._session.projection.messages))
        return queries.status(self._session)

    def explain(self, epoch: int | None = None) -> reports.ExplainResult:
        """One verdict a message of the last list, with the rule and the weights; and the receipts of the epochs,
        that of `epoch` (default: the newest) in full. Raises InvalidParams where none of it is kept."""
        return queries.explain(self._session, epoch)

    @property
    def state(self) -> bytes:
        """All that must outlive the process, as JSON on one line. It holds conversation."""
        return journal.base(self._session.state)

    # within

    def _call(self, method: str, params: Any) -> Any:
        return self._run(ROUTES[method](self._session, params))

    def _run(self, verb: Any) -> Any:
        try:
            return running(verb)
        finally:
            self._session.log_lines.clear()  # for people, who read `report.reason` here
