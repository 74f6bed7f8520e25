"""What the structs of the verbs leave open, as a host author has to know it.

1. Members that are raw or plain in a struct, because a host's bytes go through as they came or because an answer is
   spliced, have a shape all the same. `MEMBERS` names it; the session reads it from there, not from here.
2. Every set of words has a name, so that a generator makes one type of it, and always the same.
"""

from typing import Any, Literal, NamedTuple

import msgspec

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
        "What ctxmgr does to a list: `off` nothing; `tools` prunes old tool output; `turns` keeps the "
        "newest turns and puts a packet in the place of the others; `balanced` takes out old steps and results "
        "where that is cheaper than keeping them.",
    ),
    "KeepPoint": LiteralSet(
        KeepPoint,
        "How much stays, by what it is worth: `lean` least, `careful` most.",
    ),
    "Idle": LiteralSet(
        Idle, "What the first call after the provider's cache has ended sends: `say` as usual; `prune` a fifth."
    ),
    "PromptPart": LiteralSet(
        Literal["tools", "system", "messages"], "A part of a prompt, in the order of its cache."
    ),
    "HowChanged": LiteralSet(
        difference.How, "What happened to a part: `moved` are parts that stand in another order."
    ),
    "LatchState": LiteralSet(
        LatchState,
        "`idle`: may ask. `asked`: waits for an outcome. `cooldown`: was refused or failed. `resting`: "
        "failed too often, waits for calm.",
    ),
    "Strategy": LiteralSet(
        Strategy,
        "How a summary is made: one call; slices side by side, then joined; slices one after the other, "
        "each told what the ones before gave (`sequential-accumulated`) or writing the summary on "
        "(`sequential-rolling`, `incremental`); without a model, from what was said (`extractive`).",
    ),
    "SummaryFormat": LiteralSet(Format, "The sections a summary has."),
    "Weigher": LiteralSet(
        Weigher, '"tokens": real ones, as the session counts. "chars4": UTF-16 units / 4, as pi counts.'
    ),
    "FactSlot": LiteralSet(Slot, "What a fact is about."),
    "FactSource": LiteralSet(Source, "Who said it."),
    "Writer": LiteralSet(Literal["host", "ctxmgr"], "Who writes compactions and branch summaries."),
    "SummaryModel": LiteralSet(Literal["host", "endpoint", "none"], "Who runs the model that writes a summary."),
    "EndpointApi": LiteralSet(EndpointApi, "What a model server speaks."),
    "CountSource": LiteralSet(Literal["usage", "vocabulary", "estimate"], "What tokens and pressure come from."),
    "SaidBy": LiteralSet(
        Literal["host", "policy", "registry", "family", "default"],
        "Who said it: the host, the policy, what is known of this model, what is known of one like it, or nobody.",
    ),
    "LifetimeSource": LiteralSet(
        Literal["host", "policy", "learned", "rule"],
        "Who says how long a start is kept: `host` and `policy` by `cacheTtlMs`; `learned` from what calls read "
        "after pauses; `rule`: what is known of the provider.",
    ),
    "CacheKind": LiteralSet(
        Literal["marks", "implicit", "none"],
        "`marks`: a start is kept up to each mark that a request sets; `implicit`: any is; `none`: nothing.",
    ),
    "SliceBreaks": LiteralSet(Literal["steps", "natural"], "Where a long history is cut up."),
    "SliceCohesion": LiteralSet(Literal["words", "embeddings", "host"], "What tells a change of subject."),
    "CompactionMoment": LiteralSet(Literal["whenIdle", "midRun"], "When a host can compact on request."),
    "AfterOverflow": LiteralSet(Literal["session_compact", "context"], "What to send after an overflow."),
    "CompactionReason": LiteralSet(Literal["threshold", "overflow"], "Why a compaction is asked for."),
    "Delivery": LiteralSet(Literal["now", "whenIdle"], "When a compaction is to be made."),
    "AnswerForm": LiteralSet(Literal["messages", "edits"], "How `context` gives the list."),
    "Mode": LiteralSet(Literal["on", "off"], "Whether lists are projected."),
    "VerdictKind": LiteralSet(
        Literal["kept", "distilled", "pruned", "cut", "dropped", "inserted"], "What became of a message."
    ),
    "PinBy": LiteralSet(
        PinBy, "What a pin names: a tool call by its id, a message by its digest, a file's path, or a tool."
    ),
    "LeftKind": LiteralSet(
        LeftKind, "What was done to something at an epoch; `shortened` are the arguments of a call."
    ),
    "ProgressKind": LiteralSet(Literal["begin", "report", "end"], "Where in a call it is."),
    # as ctxmgr.model.compaction.completion has it, which is above this floor
    "Purpose": LiteralSet(
        Literal["history", "turn-prefix", "slice", "merge", "branch", "short"], "What a model call is for."
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

# Types that no struct stands for.
TYPES: dict[str, Json] = {
    "Message": about(
        "One message, the host's own object in the format that `initialize` named. It goes through as "
        "it came: members, blocks and roles that ctxmgr does not know stay where they are.",
        {},
    ),
    "Entry": about(
        "One entry of the host's session tree, the host's own object: `{id, parentId, type, "
        "timestamp?}` and what belongs to its type, as pi has it: `message` of a message, `summary` of "
        "a compaction. Types that are not known have a place in the tree and nothing else; what has no "
        "`id` is passed over.",
        {},
    ),
    "RequestId": about(
        "The id of a request. ctxmgr answers with it byte for byte; its own are strings.",
        {"anyOf": [_TEXT, _NUMBER]},
    ),
    "ProgressToken": about("A token of the host's choice.", {"anyOf": [_TEXT, {"type": "integer"}]}),
    "Edit": about(
        "One piece of the list to send: a run of the host's own messages, or a message to put in.",
        {"anyOf": [ref("KeepEdit"), ref("PutEdit")]},
    ),
    "KeepEdit": about(
        "Messages of the host that stay as they are.",
        _object(
            {
                "keep": about(
                    "`[from, to]`: indices into the whole list, its appended part included; `to` is not included.",
                    {"type": "array", "items": _INDEX, "minItems": 2, "maxItems": 2},
                ),
            },
        ),
    ),
    "PutEdit": about(
        "A message that takes the place of others, or comes in addition.",
        _object(
            {
                "put": about("The message, in the host's format.", ref("Message")),
            },
        ),
    ),
    "ScratchpadOperation": about(
        "One edit, told apart by `op`.", {"anyOf": [ref("StrReplace"), ref("Insert"), ref("Overwrite")]}
    ),
    "Thresholds": about(
        "Tokens by the provider's count. A zone begins at its threshold.",
        _object(
            {
                "usable": about("The window less the reserve: what pressure is a share of.", _NUMBER),
                "yellow": about("Where yellow begins.", _NUMBER),
                "red": about("Where red begins: from here a compaction is asked for.", _NUMBER),
                "compact": about("Where compact begins.", _NUMBER),
                "limit": about("The largest list that leaves room for a reply.", _NUMBER),
            },
        ),
    ),
    "SummaryDetails": about(
        "Files, and how a summary was made.",
        _object(
            {
                "readFiles": about("Files that were read and not changed.", many(_TEXT)),
                "modifiedFiles": about("Files that were written or edited.", many(_TEXT)),
                "ctxmgr": about(
                    "How it was made, for people: strategy, calls, tokens spent, what went wrong.",
                    {"type": "object"},
                ),
            },
        ),
    ),
    "DiscoverResult": about(
        "The protocol as an OpenRPC document; `openrpc.json` in this folder is the same.", {"type": "object"}
    ),
    "RequestMessage": about(
        "A request: it is answered once, with a result or an error of the same id.",
        _object(
            {
                "jsonrpc": about(
                    "The version of JSON-RPC. A host that writes one message a line may leave it out.", _VERSION
                ),
                "id": about("The id of the request.", _ID),
                "method": about("The method.", _TEXT),
            },
            params=about("By name, never by place.", {"type": "object"}),
        ),
    ),
    "NotificationMessage": about(
        "A notification: it is never answered.",
        _object(
            {
                "jsonrpc": about("The version of JSON-RPC.", _VERSION),
                "method": about("The method.", _TEXT),
            },
            params=about("By name, never by place.", {"type": "object"}),
        ),
    ),
    "ResultMessage": about(
        "The answer to a request.",
        _object(
            {
                "jsonrpc": about("The version of JSON-RPC.", _VERSION),
                "id": about("The id of the request.", _ID),
                "result": about("What the method gives, null for those that give nothing.", {}),
            },
        ),
    ),
    "ErrorMessage": about(
        "The answer to a request that failed.",
        _object(
            {
                "jsonrpc": about("The version of JSON-RPC.", _VERSION),
                "id": about("Of the request; null where its id could not be read.", nullable(_ID)),
                "error": about("What went wrong.", ref("ErrorObject")),
            },
        ),
    ),
    "ErrorObject": about(
        "What went wrong. Its message never holds conversation text.",
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
            path=about("JSON path below the params, such as `$.model.contextWindow`.", _TEXT),
            call=about("Of `retrieve`: the call that gives the thing again, for the model.", _TEXT),
        ),
    ),
}

# Types of which the struct says something else: it stands for two of them.
DESCRIPTIONS = {
    "PolicyKeys": (
        "Settings that differ from the defaults. An unknown key is refused (-32602). Beyond what a "
        "schema can say: zones must rise, slices may not overlap by all they hold, and `model` "
        '"endpoint" needs an `endpoint`.'
    )
}

# Members that tell structs apart, and are none of theirs.
TAGS = {"op": "Which edit it is."}

ENVELOPE = ("RequestMessage", "NotificationMessage", "ResultMessage", "ErrorMessage")
