"""The table of methods: their params and results, and how the params of a call are decoded.

Everything that lists methods is generated from this table.
"""

from functools import cache
from typing import Any, Literal

import msgspec

from ctxmgr.model import did_you_mean, invalid_params, misfit, misspelled
from ctxmgr.model.api import TelemetryEvent, compaction, lifecycle, recovery, reports
from ctxmgr.wire import errors

# "request": always answered. "notification": never. "event": either, as the host chooses.
Kind = Literal["request", "notification", "event"]
Direction = Literal["to ctxmgr", "to host"]


class Method(msgspec.Struct, frozen=True):
    """One row. `counted`: it raises the session's `seq` when it takes effect. `result` None: the answer is null.

    `job`: it may be slow and blocks nothing. It sees the session as it was in its turn, and only that.
    `both_ways`: the other side sends it too.
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
        "Asks the host to compact. The host answers at once; accepted means queued.",
        direction="to host",
    ),
    Method(
        "complete",
        "request",
        compaction.CompleteParams,
        compaction.CompleteResult,
        "Asks the host to run one model call. Sent only if `capabilities.complete` is declared.",
        direction="to host",
    ),
    Method(
        "embed",
        "request",
        compaction.EmbedParams,
        compaction.EmbedResult,
        "Asks the host for vectors of texts. Sent only if `capabilities.embed` is declared.",
        direction="to host",
    ),
    Method(
        "$/progress",
        "notification",
        compaction.ProgressParams,
        None,
        "Reports the progress of a request with a `progressToken`.",
        session=False,
        direction="to host",
    ),
    Method(
        "telemetry/event",
        "notification",
        TelemetryEvent,
        None,
        "Reports what happened in a session, in numbers. Sent only if `capabilities.telemetry` is declared.",
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
        "Starts the connection. It must be the first message.",
        session=False,
    ),
    Method(
        "initialized",
        "notification",
        lifecycle.NoParams,
        None,
        "Confirms that the host has read the answer of `initialize`.",
        session=False,
    ),
    Method("shutdown", "request", lifecycle.NoParams, None, "Saves and closes every session.", session=False),
    Method("exit", "notification", lifecycle.NoParams, None, "Ends the process.", session=False),
    Method(
        "$/cancelRequest",
        "notification",
        lifecycle.CancelParams,
        None,
        "Cancels a request. Sent by the side that sent the request.",
        session=False,
        both_ways=True,
    ),
    Method(
        "rpc.discover",
        "request",
        lifecycle.NoParams,
        dict[str, Any],
        "Returns all methods as an OpenRPC document.",
        session=False,
    ),
    Method(
        "session_start",
        "request",
        lifecycle.SessionStartParams,
        lifecycle.SessionStartResult,
        "Starts a session, or continues it from its snapshot.",
        session=False,
        errors=(errors.REQUEST_FAILED,),
    ),
    Method(
        "model_select",
        "event",
        lifecycle.ModelSelectParams,
        lifecycle.StatusResult,
        "Reports that the host now uses another model.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "context",
        "request",
        lifecycle.ContextParams,
        reports.ContextResult,
        "Takes the message list before a model call, and returns the list to send.",
        errors=(*_SESSION, errors.CONTENT_MODIFIED),
    ),
    Method(
        "turn_end",
        "event",
        lifecycle.TurnEndParams,
        lifecycle.TurnEndResult,
        "Reports that the model answered and its tools ran. Sent as a request, the answer contains commands.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "session_before_compact",
        "request",
        compaction.BeforeCompactParams,
        compaction.BeforeCompactResult,
        "Reports that the host is about to compact. The answer is a finished compaction, or {} to leave it to the "
        "host.",
        errors=_SESSION,
        job=True,
    ),
    Method(
        "session_compact",
        "event",
        lifecycle.SessionCompactParams,
        lifecycle.StatusResult,
        "Reports that the host has compacted.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "session_compact_failed",
        "event",
        lifecycle.CompactFailedParams,
        lifecycle.StatusResult,
        "Reports that the host's compaction failed.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "session_before_tree",
        "request",
        compaction.BeforeTreeParams,
        compaction.BeforeTreeResult,
        "Reports that the host is about to move in its session tree. The answer is a summary of the branch, or {} "
        "to leave it to the host.",
        errors=_SESSION,
        job=True,
    ),
    Method(
        "session_tree",
        "event",
        lifecycle.SessionTreeParams,
        lifecycle.StatusResult,
        "Reports that the host has moved in its session tree.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "session_shutdown",
        "event",
        _Session,
        None,
        "Ends the session. Its snapshot is kept.",
        counted=True,
        errors=_SESSION,
    ),
    Method(
        "getStatus",
        "request",
        lifecycle.GetStatusParams,
        lifecycle.Status,
        "Returns the state of the session.",
        errors=_SESSION,
    ),
    Method(
        "prune",
        "request",
        _Session,
        lifecycle.StatusResult,
        "Makes the next `context` prune tool output, ignoring the minimum. In preset balanced, it opens an epoch.",
        errors=_SESSION,
    ),
    Method(
        "setPruning",
        "request",
        lifecycle.SetPruningParams,
        lifecycle.StatusResult,
        "Turns changes of lists off or on. Ledger and snapshot continue.",
        errors=_SESSION,
    ),
    Method(
        "getPruneStats",
        "request",
        _Session,
        lifecycle.PruneStats,
        "Returns what pruning has done so far.",
        errors=_SESSION,
    ),
    Method(
        "getPolicy", "request", _Session, lifecycle.PolicyResult, "Returns the current policy.", errors=_SESSION
    ),
    Method(
        "setPolicy",
        "request",
        lifecycle.SetPolicyParams,
        lifecycle.PolicyResult,
        "Sets policy keys for this session. null resets a key to its default.",
        errors=_SESSION,
    ),
    Method("getLedger", "request", _Session, lifecycle.LedgerResult, "Returns all current facts.", errors=_SESSION),
    Method(
        "getSummaries",
        "request",
        _Session,
        lifecycle.SummariesResult,
        "Returns the summaries of the session, the newest ones unchanged.",
        errors=_SESSION,
    ),
    Method(
        "getPacket",
        "request",
        lifecycle.GetPacketParams,
        lifecycle.PacketResult,
        "Returns the packet as it would be now.",
        errors=_SESSION,
    ),
    Method(
        "explain",
        "request",
        reports.ExplainParams,
        reports.ExplainResult,
        "Returns a verdict for each message of the last list, with the rule and the token counts, and what each "
        "epoch did.",
        errors=_SESSION,
    ),
    Method(
        "retrieve",
        "request",
        recovery.RetrieveParams,
        recovery.RetrieveResult,
        "Returns the original of something that was removed, by the handle in its marker, page by page.",
        errors=(*_SESSION, errors.REQUEST_FAILED),
    ),
    Method(
        "search",
        "request",
        recovery.SearchParams,
        recovery.SearchResult,
        "Searches what was removed by words, and returns the best hits with handles for `retrieve`.",
        errors=(*_SESSION, errors.REQUEST_FAILED),
    ),
    Method(
        "pin",
        "request",
        recovery.PinParams,
        lifecycle.StatusResult,
        "Keeps a message, a call with its result, everything about a path, or everything of a tool, unchanged.",
        errors=_SESSION,
    ),
    Method(
        "unpin",
        "request",
        recovery.PinParams,
        lifecycle.StatusResult,
        "Removes a pin. What it kept may be removed at a later epoch.",
        errors=_SESSION,
    ),
    Method(
        "undo",
        "request",
        recovery.UndoParams,
        lifecycle.StatusResult,
        "Brings back what was removed at an epoch, and pins it.",
        errors=_SESSION,
    ),
    Method(
        "planCompaction",
        "request",
        compaction.PlanCompactionParams,
        compaction.PlanCompactionResult,
        "Returns what a compaction would summarize and keep, and the prompts for the host's own model.",
        session=False,
        errors=_SESSION,
        job=True,
    ),
    Method(
        "compact",
        "request",
        compaction.CompactParams,
        compaction.CompactResult,
        "Writes a compaction. The host applies it and sends `session_compact`.",
        session=False,
        errors=(*_SESSION, errors.REQUEST_FAILED),
        job=True,
    ),
    Method(
        "summarizeBranch",
        "request",
        compaction.SummarizeBranchParams,
        compaction.SummarizeBranchResult,
        "Writes a summary of the branch that is left behind.",
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
        "Edits the model's own notes: str_replace, insert, overwrite. Applied in order, all or none.",
        errors=_SESSION,
    ),
    *TO_HOST,
)

METHODS: dict[str, Method] = {row.name: row for row in TABLE if row.direction == "to ctxmgr"}

_NAME_CHARS = 64  # of an unknown method's name are quoted


def no_method(name: str) -> str:
    """An error text for an unknown method, with the closest one."""
    return (
        f"there is no method `{name[:_NAME_CHARS]}`{did_you_mean(name, METHODS) or '; `rpc.discover` lists them'}"
    )


class ParamsReader:
    """Caches a decoder per method: making one takes longer than using it."""

    def __init__(self) -> None:
        self._decoders: dict[str, msgspec.json.Decoder[Any]] = {}
        self._read: set[str] = set()  # methods whose params were read

    def typos(self, row: Method, params: Any, given: bytes | msgspec.Raw | None) -> list[str]:
        """Likely typos in the first accepted params of each method, one sentence each. Later params are not
        checked: the same code writes them, and a list of messages is long."""
        if row.name in self._read:
            return []
        self._read.add(row.name)
        return [f"{row.name}: {typo.text} (at ${typo.path})" for typo in misspelled(params, _plain(given))]

    def read(self, row: Method, params: bytes | msgspec.Raw | None) -> Any:
        """The params of the method. None counts as `{}`. Raises InvalidParams with the path."""
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
    """The params as plain values. None if they are not valid JSON."""
    try:
        return msgspec.json.decode(params if params is not None else b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


@cache
def openrpc_document() -> msgspec.Raw:
    """The protocol as an OpenRPC document, generated by `scripts/gen` from the table. It is read on first use, or
    after `initialize`, so a start does not wait for it.
    """
    import pkgutil

    content = pkgutil.get_data("ctxmgr", "data/openrpc.json")
    assert content is not None
    return msgspec.Raw(content)
