"""The table of methods: what each takes and gives, and how the JSON of a call's params is decoded.

Everything that lists methods is made from this table.
"""

from typing import Any, Literal

import msgspec

from ctxmgr.model import did_you_mean, invalid_params, misfit, misspelled
from ctxmgr.model.api import TelemetryEvent, compaction, lifecycle, recovery, reports
from ctxmgr.wire import errors

# "request": always answered. "notification": never. "event": either, as the host likes.
Kind = Literal["request", "notification", "event"]
Direction = Literal["to ctxmgr", "to host"]


class Method(msgspec.Struct, frozen=True):
    """One row. `counted`: taking effect, it raises the session's `seq`. `result` None: the answer is null.

    `job`: it may take long and holds nothing up: it sees the session as it was in its turn, and no more.
    `both_ways`: the other side sends it as well.
    """

    name: str
    kind: Kind
    params: type[Any]
    result: Any
    summary: str
    session: bool = True
    job: bool = False
    counted: bool = False
    errors: tuple[int, ...] = ()
    direction: Direction = "to ctxmgr"
    both_ways: bool = False


TO_HOST: tuple[Method, ...] = (
    Method(
        "requestCompaction",
        "request",
        lifecycle.RequestCompactionParams,
        lifecycle.RequestCompactionResult,
        "Asks the host to compact; accepted means queued, and is answered at once.",
        direction="to host",
    ),
    Method(
        "complete",
        "request",
        compaction.CompleteParams,
        compaction.CompleteResult,
        "One model call that the host runs; asked only where `capabilities.complete` is declared.",
        direction="to host",
    ),
    Method(
        "embed",
        "request",
        compaction.EmbedParams,
        compaction.EmbedResult,
        "Vectors of texts, by a model of the host; asked only where `capabilities.embed` is declared.",
        direction="to host",
    ),
    Method(
        "$/progress",
        "notification",
        compaction.ProgressParams,
        None,
        "How far a request is that named a `progressToken`.",
        session=False,
        direction="to host",
    ),
    Method(
        "telemetry/event",
        "notification",
        TelemetryEvent,
        None,
        "What happened in a session, in numbers; sent only where `capabilities.telemetry` is declared.",
        session=False,
        direction="to host",
    ),
)

_SESSION = (errors.UNKNOWN_SESSION,)
_Session = lifecycle.SessionParams

TABLE: tuple[Method, ...] = (
    Method(
        "initialize",
        "request",
        lifecycle.InitializeParams,
        lifecycle.InitializeResult,
        "The first message: who the host is and what it can do.",
        session=False,
    ),
    Method("initialized", "notification", lifecycle.NoParams, None, "The host has read the answer.", session=False),
    Method("shutdown", "request", lifecycle.NoParams, None, "Saves and closes every session.", session=False),
    Method("exit", "notification", lifecycle.NoParams, None, "Ends the process.", session=False),
    Method(
        "$/cancelRequest",
        "notification",
        lifecycle.CancelParams,
        None,
        "Takes back a request, by the side that sent it.",
        session=False,
        both_ways=True,
    ),
    Method("rpc.discover", "request", lifecycle.NoParams, dict[str, Any], "This table as OpenRPC.", session=False),
    Method(
        "session_start",
        "request",
        lifecycle.SessionStartParams,
        lifecycle.SessionStartResult,
        "A session begins or goes on; what a snapshot knows of it is restored.",
        session=False,
        errors=(errors.REQUEST_FAILED,),
    ),
    Method(
        "model_select",
        "event",
        lifecycle.ModelSelectParams,
        lifecycle.StatusResult,
        "The host uses another model from now on.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "context",
        "request",
        lifecycle.ContextParams,
        reports.ContextResult,
        "The message list before a model call; the answer is the list to send.",
        errors=(*_SESSION, errors.CONTENT_MODIFIED),
    ),
    Method(
        "turn_end",
        "event",
        lifecycle.TurnEndParams,
        lifecycle.TurnEndResult,
        "The model answered and its tools ran. As a request, its commands come in the answer.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "session_before_compact",
        "request",
        compaction.BeforeCompactParams,
        compaction.BeforeCompactResult,
        "The host is about to compact; {} leaves it to the host.",
        errors=_SESSION,
        job=True,
    ),
    Method(
        "session_compact",
        "event",
        lifecycle.SessionCompactParams,
        lifecycle.StatusResult,
        "The host has compacted.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "session_compact_failed",
        "event",
        lifecycle.CompactFailedParams,
        lifecycle.StatusResult,
        "The host's compaction failed.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "session_before_tree",
        "request",
        compaction.BeforeTreeParams,
        compaction.BeforeTreeResult,
        "The host is about to move in its session tree; {} leaves the summary to the host.",
        errors=_SESSION,
        job=True,
    ),
    Method(
        "session_tree",
        "event",
        lifecycle.SessionTreeParams,
        lifecycle.StatusResult,
        "The host has moved in its session tree.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "session_shutdown",
        "event",
        _Session,
        None,
        "The session ends; its snapshot stays.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "getStatus",
        "request",
        lifecycle.GetStatusParams,
        lifecycle.Status,
        "Where the session stands.",
        errors=_SESSION,
    ),
    Method(
        "prune",
        "request",
        _Session,
        lifecycle.StatusResult,
        "The next `context` prunes: tool output, past the minimum; in preset balanced it opens an epoch.",
        errors=_SESSION,
    ),
    Method(
        "setPruning",
        "request",
        lifecycle.SetPruningParams,
        lifecycle.StatusResult,
        "Switches projection and packet off or on; ledger and snapshot go on.",
        errors=_SESSION,
    ),
    Method(
        "getPruneStats",
        "request",
        _Session,
        lifecycle.PruneStats,
        "What pruning has done so far.",
        errors=_SESSION,
    ),
    Method("getPolicy", "request", _Session, lifecycle.PolicyResult, "The policy in force.", errors=_SESSION),
    Method(
        "setPolicy",
        "request",
        lifecycle.SetPolicyParams,
        lifecycle.PolicyResult,
        "Sets policy keys for this session; null takes one back to its default.",
        errors=_SESSION,
    ),
    Method("getLedger", "request", _Session, lifecycle.LedgerResult, "All facts that hold.", errors=_SESSION),
    Method(
        "getSummaries",
        "request",
        _Session,
        lifecycle.SummariesResult,
        "The summaries that the session heard, the newest as they came.",
        errors=_SESSION,
    ),
    Method(
        "getPacket",
        "request",
        lifecycle.GetPacketParams,
        lifecycle.PacketResult,
        "The packet as it would be rendered now.",
        errors=_SESSION,
    ),
    Method(
        "explain",
        "request",
        reports.ExplainParams,
        reports.ExplainResult,
        "One verdict a message of the last projection, with the rule and the weights; and what each epoch did.",
        errors=_SESSION,
    ),
    Method(
        "retrieve",
        "request",
        recovery.RetrieveParams,
        recovery.RetrieveResult,
        "The original of something that left, by the handle in its marker, page by page.",
        errors=(*_SESSION, errors.REQUEST_FAILED),
    ),
    Method(
        "search",
        "request",
        recovery.SearchParams,
        recovery.SearchResult,
        "What left and holds the words of a query, best first, with the handles that `retrieve` takes.",
        errors=(*_SESSION, errors.REQUEST_FAILED),
    ),
    Method(
        "pin",
        "request",
        recovery.PinParams,
        lifecycle.StatusResult,
        "Keeps a message, a call with its result, all that concerns a path, or all of a tool, as it is.",
        errors=_SESSION,
    ),
    Method(
        "unpin",
        "request",
        recovery.PinParams,
        lifecycle.StatusResult,
        "Takes a pin off: what it held may leave at a later epoch.",
        errors=_SESSION,
    ),
    Method(
        "undo",
        "request",
        recovery.UndoParams,
        lifecycle.StatusResult,
        "Brings back what left at an epoch, and pins it.",
        errors=_SESSION,
    ),
    Method(
        "planCompaction",
        "request",
        compaction.PlanCompactionParams,
        compaction.PlanCompactionResult,
        "What a compaction would summarise and keep, and the prompts a host can run on its own model.",
        session=False,
        errors=_SESSION,
        job=True,
    ),
    Method(
        "compact",
        "request",
        compaction.CompactParams,
        compaction.CompactResult,
        "A finished compaction; the host applies it and reports `session_compact`.",
        session=False,
        errors=(*_SESSION, errors.REQUEST_FAILED),
        job=True,
    ),
    Method(
        "summarizeBranch",
        "request",
        compaction.SummarizeBranchParams,
        compaction.SummarizeBranchResult,
        "A finished summary of the branch that is left behind.",
        session=False,
        errors=(*_SESSION, errors.REQUEST_FAILED),
        job=True,
    ),
    Method(
        "getScratchpad",
        "request",
        _Session,
        compaction.ScratchpadResult,
        "The model's own notes.",
        errors=_SESSION,
    ),
    Method(
        "editScratchpad",
        "request",
        compaction.EditScratchpadParams,
        compaction.ScratchpadResult,
        "Edits the notes: str_replace, insert, overwrite, in order, all or none.",
        errors=_SESSION,
    ),
    *TO_HOST,
)

METHODS: dict[str, Method] = {row.name: row for row in TABLE if row.direction == "to ctxmgr"}

_NAME_CHARS = 64  # of an unknown method's name are said


def no_method(name: str) -> str:
    """Says that there is no such method, and which may be meant."""
    return (
        f"there is no method `{name[:_NAME_CHARS]}`{did_you_mean(name, METHODS) or '; `rpc.discover` lists them'}"
    )


class ParamsReader:
    """Keeps a decoder of each method that was called: making one takes longer than using it."""

    def __init__(self) -> None:
        self._decoders: dict[str, msgspec.json.Decoder[Any]] = {}
        self._read: set[str] = set()  # methods whose params were read

    def typos(self, row: Method, params: Any, given: bytes | msgspec.Raw | None) -> list[str]:
        """What is most likely misspelled in the first params of a method that were taken, a sentence each. Later
        ones are not looked at: the same code writes them, and a list of messages is long."""
        if row.name in self._read:
            return []
        self._read.add(row.name)
        return [f"{row.name}: {typo.text} (at ${typo.path})" for typo in misspelled(params, _plain(given))]

    def read(self, row: Method, params: bytes | msgspec.Raw | None) -> Any:
        """The method's params; None is as good as none. InvalidParams, which names the place."""
        decoder = self._decoders.get(row.name)
        if decoder is None:
            decoder = self._decoders[row.name] = msgspec.json.Decoder(row.params)
        try:
            return decoder.decode(params if params is not None else b"{}")
        except msgspec.ValidationError as fault:
            wrong = misfit(fault, row.params, _plain(params))
            raise invalid_params(wrong.text, f"${wrong.path}") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
            raise invalid_params(f"cannot be decoded: {type(fault).__name__}", "$") from None


def _plain(params: bytes | msgspec.Raw | None) -> Any:
    """The params as plain values; None where they are no JSON behind the place at which reading them ended."""
    try:
        return msgspec.json.decode(params if params is not None else b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
