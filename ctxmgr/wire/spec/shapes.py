"""What the structs of the verbs leave open, as a host author has to know it. Loaded only when asked for.

1. Members that are raw or plain in a struct, because a host's bytes go through as they came or because an answer is
   spliced, have a shape all the same. `MEMBERS` names it; the session reads it from there, not from here.
2. Every set of words has a name, so that a generator makes one type of it, and always the same.
"""

from typing import Any, Literal

import msgspec

from ctxmgr.model.api.compaction import HostPreparation, TreePreparation
from ctxmgr.model.compaction import Format, Strategy, Weigher
from ctxmgr.model.epochs import LeftKind
from ctxmgr.model.facts import Slot, Source
from ctxmgr.model.latch import LatchState
from ctxmgr.model.policy import Preset, Zone

Json = dict[str, Any]

LITERALS: dict[str, Any] = {
    "Zone": Zone,
    "Preset": Preset,
    "LatchState": LatchState,
    "Strategy": Strategy,
    "SummaryFormat": Format,
    "Weigher": Weigher,
    "FactSlot": Slot,
    "FactSource": Source,
    "Writer": Literal["host", "ctxmgr"],
    "SummaryModel": Literal["host", "endpoint", "none"],
    "SliceBreaks": Literal["steps", "natural"],
    "SliceCohesion": Literal["words", "embeddings", "host"],
    "CompactionMoment": Literal["whenIdle", "midRun"],
    "CompactionReason": Literal["threshold", "overflow"],
    "Delivery": Literal["now", "whenIdle"],
    "AnswerForm": Literal["messages", "edits"],
    "Mode": Literal["on", "off"],
    "VerdictKind": Literal["kept", "distilled", "pruned", "dropped", "inserted"],
    "LeftKind": LeftKind,
    "ProgressKind": Literal["begin", "report", "end"],
    # as ctxmgr.model.completion has it, which is above this floor
    "Purpose": Literal["history", "turn-prefix", "slice", "merge", "branch", "short"],
}

GIVEN: tuple[type[msgspec.Struct], ...] = (HostPreparation, TreePreparation)


def ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def many(items: Json) -> Json:
    return {"type": "array", "items": items}


def nullable(schema: Json) -> Json:
    return {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}


def _object(required: dict[str, Json], **optional: Json) -> Json:
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


_TEXT, _NUMBER, _INDEX = {"type": "string"}, {"type": "number"}, {"type": "integer", "minimum": 0}
_ID, _VERSION = ref("RequestId"), {"const": "2.0"}

# By type and member. "*": of every type that leaves the member open.
MEMBERS: dict[str, Json] = {
    "*.entries": nullable(many(ref("Entry"))),
    "*.branchEntries": nullable(many(ref("Entry"))),
    "*.progressToken": nullable(ref("ProgressToken")),
    "SummarizeBranchParams.entries": many(ref("Entry")),
    "TreePreparation.entriesToSummarize": nullable(many(ref("Entry"))),
    "InitializeParams.policy": nullable(ref("PolicyKeys")),
    "SetPolicyParams.policy": ref("PolicyKeys"),
    "PolicyKeys.models": nullable({"type": "object", "additionalProperties": nullable(ref("ModelPolicyKeys"))}),
    "ContextParams.messages": nullable(many(ref("Message"))),
    "Append.messages": many(ref("Message")),
    "TurnEndParams.message": ref("Message"),
    "TurnEndParams.toolResults": nullable(many(ref("Message"))),
    "HostPreparation.messagesToSummarize": nullable(many(ref("Message"))),
    "HostPreparation.turnPrefixMessages": nullable(many(ref("Message"))),
    "Preparation.messagesToSummarize": many(ref("Message")),
    "Preparation.turnPrefixMessages": many(ref("Message")),
    "ContextResult.messages": many(ref("Message")),
    "ContextResult.edits": many(ref("Edit")),
    "BeforeCompactParams.preparation": ref("HostPreparation"),
    "BeforeTreeParams.preparation": ref("TreePreparation"),
    "EditScratchpadParams.operations": many(ref("ScratchpadOperation")),
    "CancelParams.id": _ID,
    "ProgressParams.token": ref("ProgressToken"),
    "Status.zone": ref("Zone"),
    "Status.preset": ref("Preset"),
    "LatchStatus.state": ref("LatchState"),
    "Report.zone": ref("Zone"),
    "RequestCompactionParams.zone": ref("Zone"),
    "RequestCompactionParams.compaction": ref("Compaction"),
    "LedgerFact.slot": ref("FactSlot"),
    "LedgerFact.source": ref("FactSource"),
    "PolicyResult.thresholds": ref("Thresholds"),
    "Prompt.purpose": ref("Purpose"),
    "CompleteParams.purpose": ref("Purpose"),
    "Compaction.details": ref("SummaryDetails"),
    "BranchSummary.details": ref("SummaryDetails"),
    "Command.method": {"const": "requestCompaction"},
    "Command.params": ref("RequestCompactionParams"),
}

# Types that no struct stands for.
TYPES: dict[str, Json] = {
    "Message": {},
    "Entry": {},
    "RequestId": {"anyOf": [_TEXT, _NUMBER]},
    "ProgressToken": {"anyOf": [_TEXT, {"type": "integer"}]},
    "Edit": {"anyOf": [ref("KeepEdit"), ref("PutEdit")]},
    "KeepEdit": _object({"keep": {"type": "array", "items": _INDEX, "minItems": 2, "maxItems": 2}}),
    "PutEdit": _object({"put": ref("Message")}),
    "ScratchpadOperation": {"anyOf": [ref("StrReplace"), ref("Insert"), ref("Overwrite")]},
    "Thresholds": _object(dict.fromkeys(("usable", "yellow", "red", "compact", "limit"), _NUMBER)),
    "SummaryDetails": _object(
        {"readFiles": many(_TEXT), "modifiedFiles": many(_TEXT), "ctxmgr": {"type": "object"}}
    ),
    "DiscoverResult": {"type": "object"},
    "RequestMessage": _object({"jsonrpc": _VERSION, "id": _ID, "method": _TEXT}, params={"type": "object"}),
    "NotificationMessage": _object({"jsonrpc": _VERSION, "method": _TEXT}, params={"type": "object"}),
    "ResultMessage": _object({"jsonrpc": _VERSION, "id": _ID, "result": {}}),
    "ErrorMessage": _object({"jsonrpc": _VERSION, "id": nullable(_ID), "error": ref("ErrorObject")}),
    "ErrorObject": _object({"code": {"type": "integer"}, "message": _TEXT}, data=ref("ErrorPlace")),
    "ErrorPlace": _object({}, path=_TEXT, call=_TEXT),
}
ENVELOPE = ("RequestMessage", "NotificationMessage", "ResultMessage", "ErrorMessage")
