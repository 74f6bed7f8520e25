"""The params and answers of queries and settings: policy, pruning, ledger, packet."""

from __future__ import annotations  # evaluated with the first call that needs them, not at the start

from typing import Annotated, Any

from msgspec import Meta

from ctxmgr.model.api.lifecycle.plain import Seq, SessionId, Wire
from ctxmgr.model.policy import Policy


class GetStatusParams(Wire, frozen=True):
    """Whose status."""

    session_id: SessionId
    flush: Annotated[
        bool | None,
        Meta(
            description="True: answered when what was saved so far is in the store, or can not be had there now "
            "(`durable` tells). Without a store, at once."
        ),
    ] = None


class SetPruningParams(Wire, frozen=True):
    """Whether lists are projected."""

    session_id: SessionId
    enabled: Annotated[bool, Meta(description="False: lists go as they came. Ledger and snapshot go on.")]


class SetPolicyParams(Wire, frozen=True):
    """Keys to set for this session."""

    session_id: SessionId
    policy: Annotated[
        dict[str, Any],
        Meta(description="The keys to set; others stay as they are, null takes one back to its default."),
    ]


class GetPacketParams(Wire, frozen=True):
    """Which packet."""

    session_id: SessionId
    resume: Annotated[
        bool | None,
        Meta(
            description="True: the longer one, which comes once after a compaction or a move in the tree. Else"
            " what an epoch puts beside its packet is not in it: what the assistant found, what the user answered,"
            " the index."
        ),
    ] = None


class PolicyResult(Wire, frozen=True):
    """The policy in force, and what it comes to for the session's model."""

    policy: Annotated[Policy, Meta(description="All keys with their values, those of the session's model put in.")]
    thresholds: Annotated[dict[str, float], Meta(description="The policy in tokens.")]
    seq: Seq
    presets: Annotated[
        dict[str, tuple[str, ...]],
        Meta(description="Keys that mean something in some presets alone, and in which; all others do in each."),
    ] = {}


class PruneStats(Wire, frozen=True, omit_defaults=False):
    """What pruning of tool output has done. Tokens are ctxmgr's own weights."""

    enabled: Annotated[bool, Meta(description="Pruning is on.")]
    scanned: Annotated[int, Meta(description="Tokens that the last pass looked at.")]
    pruned: Annotated[int, Meta(description="Tokens pruned so far.")]
    protected: Annotated[int, Meta(description="Tokens that the last pass left because they are protected.")]
    prunable: Annotated[int, Meta(description="Tokens that the last pass could have pruned.")]
    results_pruned: Annotated[int, Meta(description="Results pruned so far.")]
    tokens_pruned: Annotated[int, Meta(description="Tokens pruned so far.")]
    results_distilled: Annotated[int, Meta(description="Results distilled so far.")]
    turns_dropped: Annotated[int, Meta(description="Turns dropped so far.")]
    seq: Seq


class LedgerFact(Wire, frozen=True):
    """One statement with its source and time."""

    slot: Annotated[
        str,
        Meta(
            description="Its kind: goal, current, constraint, decision, task, context; request: what the user "
            "said; said: how an assistant's turn ended; question: what the user answered a tool, or would not "
            "have; command: a check that ran; value: a commit; file."
        ),
    ]
    text: Annotated[str, Meta(description="The statement.")]
    source: Annotated[str, Meta(description="Who made it: user, assistant, tool, summary or branch.")]
    status: Annotated[
        str,
        Meta(
            description="Of a task: open, active, done, blocked. Of a file: read, written, edited, "
            "deleted. Of a command: ok, failed, or unknown where nothing tells how it ended. Of a question: "
            "rejected, where its text is a call or a plan that the user would not have. Of a commit: the directory."
        ),
    ] = ""
    at: Annotated[int, Meta(description="The host's time, in milliseconds since the epoch.")] = 0
    detail: Annotated[
        str,
        Meta(
            description="Of a command, what its output counted or the line of its error; of a question, the "
            "answer; of a file, the tool that changed it; of a summary, the heading it stood under."
        ),
    ] = ""
    entry_id: Annotated[str | None, Meta(description="The entry it came from, where that is known.")] = None


class LedgerResult(Wire, frozen=True, omit_defaults=False):
    """The facts that hold now."""

    facts: Annotated[tuple[LedgerFact, ...], Meta(description="In the order they came.")]
    seq: Seq


class HeardSummary(Wire, frozen=True):
    """A summary that the session heard, by an event or in a list."""

    kind: Annotated[str, Meta(description="What it stands for: compaction or branch.")]
    at: Annotated[int, Meta(description="When it was heard, in milliseconds since the epoch.")]
    entry_id: Annotated[str | None, Meta(description="Its entry, where that is known.")] = None
    text: Annotated[str | None, Meta(description="As it came; absent where it is no longer kept.")] = None


class SummariesResult(Wire, frozen=True, omit_defaults=False):
    """The summaries that were heard. The newest three of the branch are kept whole."""

    summaries: Annotated[tuple[HeardSummary, ...], Meta(description="Oldest first.")]
    seq: Seq


class PacketResult(Wire, frozen=True, omit_defaults=False):
    """The packet as it would be now, whether or not the next list needs one."""

    text: Annotated[str, Meta(description="Its text.")]
    tokens: Annotated[int, Meta(description="Its weight.")]
    seq: Seq
