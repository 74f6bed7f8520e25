"""What the structs of the verbs leave open, as the author of a host needs to know it.

1. Members may be untyped in a struct, because a host's bytes pass through unchanged or because an answer is
   spliced. They still have a shape. `MEMBERS` names it; a session does not read it from here.
2. Every set of words has a name, so that each generator makes one type of it.
"""

from typing import Any, Literal, NamedTuple

import msgspec

from ctxmgr.engine.presets import PRESETS
from ctxmgr.model import EndpointApi, Idle, KeepPoint, LeftKind, PinBy, Preset, Zone, difference
from ctxmgr.model.api.compaction import HostPreparation, TreePreparation
from ctxmgr.model.api.lifecycle import UsageParams
from ctxmgr.model.compaction import Format, Strategy, Weigher
from ctxmgr.model.saved import LatchState, Slot, Source

Json = dict[str, Any]


class LiteralSet(NamedTuple):
    """A set of words, and what they mean."""

    literal: Any
    description: str


LITERALS: dict[str, LiteralSet] = {
    "Zone": LiteralSet(Zone, "A band of pressure. See reference.md#the-zones."),
    "Preset": LiteralSet(
        Preset,
        f"How lists are changed. {'; '.join(f'`{name}` {preset.summary}' for name, preset in PRESETS.items())}.",
    ),
    "KeepPoint": LiteralSet(
        KeepPoint,
        "How much stays: `lean` least, `careful` most.",
    ),
    "Idle": LiteralSet(
        Idle, "What the first call sends after the prompt cache has expired: `say` as usual, `prune` a fifth."
    ),
    "PromptPart": LiteralSet(
        Literal["tools", "system", "messages"], "A part of a prompt, in the order in which it is cached."
    ),
    "HowChanged": LiteralSet(difference.How, "What happened to a part. `moved`: its order changed."),
    "LatchState": LiteralSet(
        LatchState,
        "`idle`: may ask. `asked`: waits for the outcome. `cooldown`: was refused or failed. `resting`: failed "
        "too often, waits for pressure to fall.",
    ),
    "Strategy": LiteralSet(
        Strategy,
        "How a summary is written. `single-shot`: one call. `parallel-stitch`: slices in parallel, then merged. "
        "`sequential-accumulated`: slices one after the other, each with what the earlier ones gave. "
        "`sequential-rolling` and `incremental`: each call continues the summary. `extractive`: without a model, "
        "from what was said.",
    ),
    "SummaryFormat": LiteralSet(Format, "The sections of a summary."),
    "Weigher": LiteralSet(
        Weigher, '"tokens": real tokens, as the session counts them. "chars4": UTF-16 units / 4, as pi counts.'
    ),
    "FactSlot": LiteralSet(Slot, "What a fact is about."),
    "FactSource": LiteralSet(Source, "Who said it."),
    "Writer": LiteralSet(Literal["host", "ctxmgr"], "Who writes compactions and branch summaries."),
    "SummaryModel": LiteralSet(Literal["host", "endpoint", "none"], "Who runs the model that writes a summary."),
    "EndpointApi": LiteralSet(EndpointApi, "API of a model server."),
    "CountSource": LiteralSet(Literal["usage", "vocabulary", "estimate"], "Source of tokens and pressure."),
    "SaidBy": LiteralSet(
        Literal["host", "policy", "registry", "family", "default"],
        "Source: the host, the policy, what is known of this model, what is known of a similar one, or none.",
    ),
    "LifetimeSource": LiteralSet(
        Literal["host", "policy", "learned", "rule"],
        "Source of the cache lifetime. `host` and `policy`: `cacheTtlMs`. `learned`: from what calls read after "
        "pauses. `rule`: known of the provider.",
    ),
    "CacheKind": LiteralSet(
        Literal["marks", "implicit", "none"],
        "`marks`: up to each mark in the request. `implicit`: automatic. `none`: nothing.",
    ),
    "SliceBreaks": LiteralSet(Literal["steps", "natural"], "Where a long history is sliced."),
    "SliceCohesion": LiteralSet(Literal["words", "embeddings", "host"], "How a change of subject is detected."),
    "CompactionMoment": LiteralSet(Literal["whenIdle", "midRun"], "When a host can compact on request."),
    "AfterOverflow": LiteralSet(Literal["session_compact", "context"], "What to send after an overflow."),
    "CompactionReason": LiteralSet(Literal["threshold", "overflow"], "Why a compaction is requested."),
    "Delivery": LiteralSet(Literal["now", "whenIdle"], "When to compact."),
    "AnswerForm": LiteralSet(Literal["messages", "edits"], "How `context` returns the list."),
    "Mode": LiteralSet(Literal["on", "off"], "Whether lists are changed."),
    "VerdictKind": LiteralSet(
        Literal["kept", "distilled", "pruned", "cut", "dropped", "inserted"], "What happened to a message."
    ),
    "PinBy": LiteralSet(
        PinBy, "What a pin names: a tool call by its id, a message by its digest, a file's path, or a tool."
    ),
    "LeftKind": LiteralSet(
        LeftKind, "What was done to something at an epoch. `shortened`: the arguments of a call."
    ),
    "ProgressKind": LiteralSet(Literal["begin", "report", "end"], "The stage of a call."),
    # as ctxmgr.model.compaction.completion has it, which is above this floor
    "Purpose": LiteralSet(
        Literal["history", "turn-prefix", "slice", "merge", "branch", "short"], "The purpose of a model call."
    ),
}

GIVEN: tuple[type[msgspec.Struct], ...] = (HostPreparation, TreePreparation, UsageParams)


def ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def many(items: Json) -> Json:
    return {"type": "array", "items": items}


def nullable(schema: Json) -> Json:
    return {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}


def about(description: str, schema: Json) -> Json:
    return {"description": description, **schema}


def _object(required: dict[str, Json], **optional: Json) -> Json:
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


_TEXT, _NUMBER, _INDEX = {"type": "string"}, {"type": "number"}, {"type": "integer", "minimum": 0}
_ID, _VERSION = ref("RequestId"), {"const": "2.0"}

# By type and member. "*": every type that leaves the member open.
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
    "TurnEndParams.usage": nullable(ref("UsageParams")),
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

# Types without a struct.
TYPES: dict[str, Json] = {
    "Message": about(
        "One message: the host's own object, in the format that `initialize` named. It passes unchanged. Unknown "
        "members, blocks and roles stay where they are.",
        {},
    ),
    "Entry": about(
        "One entry of the host's session tree, as the host's own object: `{id, parentId, type, timestamp?}` and "
        "the members of its type, as in pi: `message` of a message, `summary` of a compaction. Entries of unknown "
        "types only have a place in the tree. Entries without `id` are ignored.",
        {},
    ),
    "RequestId": about(
        "Id of a request. ctxmgr returns it byte for byte. ctxmgr's own ids are strings.",
        {"anyOf": [_TEXT, _NUMBER]},
    ),
    "ProgressToken": about("A token of the host's choice.", {"anyOf": [_TEXT, {"type": "integer"}]}),
    "Edit": about(
        "One piece of the list to send: a range of the host's own messages, or a message to insert.",
        {"anyOf": [ref("KeepEdit"), ref("PutEdit")]},
    ),
    "KeepEdit": about(
        "Messages of the host that stay as they are.",
        _object(
            {
                "keep": about(
                    "`[from, to]`: indexes into the whole list, including its appended part. `to` is not included.",
                    {"type": "array", "items": _INDEX, "minItems": 2, "maxItems": 2},
                ),
            },
        ),
    ),
    "PutEdit": about(
        "A message that replaces others or is added.",
        _object(
            {
                "put": about("The message, in the host's format.", ref("Message")),
            },
        ),
    ),
    "ScratchpadOperation": about(
        "One edit. `op` says which.", {"anyOf": [ref("StrReplace"), ref("Insert"), ref("Overwrite")]}
    ),
    "Thresholds": about(
        "Tokens in the provider's count. A zone begins at its threshold.",
        _object(
            {
                "usable": about("The window minus the reserve. Pressure is a share of this.", _NUMBER),
                "yellow": about("Where yellow begins.", _NUMBER),
                "red": about("Where red begins. From here on, a compaction is requested.", _NUMBER),
                "compact": about("Where compact begins.", _NUMBER),
                "limit": about("The largest list that leaves room for a reply.", _NUMBER),
            },
        ),
    ),
    "SummaryDetails": about(
        "Files, and how a summary was written.",
        _object(
            {
                "readFiles": about("Files that were read and not changed.", many(_TEXT)),
                "modifiedFiles": about("Files that were written or edited.", many(_TEXT)),
                "ctxmgr": about(
                    "How it was written, for people: strategy, calls, tokens spent, what went wrong.",
                    {"type": "object"},
                ),
            },
        ),
    ),
    "DiscoverResult": about(
        "The protocol as an OpenRPC document, the same as `openrpc.json` in this folder.", {"type": "object"}
    ),
    "RequestMessage": about(
        "A request. It is answered once, with a result or an error of the same id.",
        _object(
            {
                "jsonrpc": about(
                    "Version of JSON-RPC. A host that writes one message per line may omit it.", _VERSION
                ),
                "id": about("The id of the request.", _ID),
                "method": about("The method.", _TEXT),
            },
            params=about("By name, never by position.", {"type": "object"}),
        ),
    ),
    "NotificationMessage": about(
        "A notification. It is never answered.",
        _object(
            {
                "jsonrpc": about("The version of JSON-RPC.", _VERSION),
                "method": about("The method.", _TEXT),
            },
            params=about("By name, never by position.", {"type": "object"}),
        ),
    ),
    "ResultMessage": about(
        "The answer to a request.",
        _object(
            {
                "jsonrpc": about("The version of JSON-RPC.", _VERSION),
                "id": about("The id of the request.", _ID),
                "result": about("The method's result. null for methods without one.", {}),
            },
        ),
    ),
    "ErrorMessage": about(
        "The answer to a request that failed.",
        _object(
            {
                "jsonrpc": about("The version of JSON-RPC.", _VERSION),
                "id": about("Id of the request. null if it could not be read.", nullable(_ID)),
                "error": about("What went wrong.", ref("ErrorObject")),
            },
        ),
    ),
    "ErrorObject": about(
        "What went wrong. Its message never contains conversation text.",
        _object(
            {
                "code": about("See reference.md#errors.", {"type": "integer"}),
                "message": about("A sentence for people.", _TEXT),
            },
            data=about("Where the fault is.", ref("ErrorPlace")),
        ),
    ),
    "ErrorPlace": about(
        "Where a fault is, and what to do about it.",
        _object(
            {},
            path=about("JSON path below the params, for example `$.model.contextWindow`.", _TEXT),
            call=about("For `retrieve`: the call that produces the same again, for the model.", _TEXT),
        ),
    ),
}

# Types that the struct describes differently, since it represents two of them.
DESCRIPTIONS = {
    "PolicyKeys": (
        "Settings that differ from the defaults. An unknown key is refused (-32602). Beyond what a schema can "
        'say: zones must increase, slices must be larger than their overlap, and `model` "endpoint" needs an '
        "`endpoint`."
    )
}

# Members that tag structs but are not fields.
TAGS = {"op": "The kind of edit."}

ENVELOPE = ("RequestMessage", "NotificationMessage", "ResultMessage", "ErrorMessage")
