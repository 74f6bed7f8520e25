"""What a run writes down: one `RecordingRow` a recording and policy, one `CorpusCallRow` a call of the model.

1. `SCHEMA_VERSION` counts up where a field's meaning or type changes, or one goes: results of another version are
   not read, and every key is another one. A field that is added with a default changes nothing for who reads.
2. Each field says what it is; the pages of the reference and the Parquet schema are made from here.
3. Nothing of a conversation is in a row but names of files and programs, and what failed.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

SCHEMA_VERSION = 2

Status = Literal["ok", "bad", "lost"]


class ProbeRow(msgspec.Struct, frozen=True):
    """One kind of memory probes of one recording under one policy."""

    kind: Annotated[str, Meta(description="The kind, such as `goal` or `errors`.")]
    used_share: Annotated[
        float | None, Meta(description="Of what the recording went on to use, the share still answered, 0 to 1.")
    ]
    used_count: Annotated[int, Meta(description="Probes of what was used.")]
    every_share: Annotated[float | None, Meta(description="The same of all probes of the kind.")]
    every_count: Annotated[int, Meta(description="All probes of the kind.")]


class RecordingRow(msgspec.Struct, frozen=True, kw_only=True):
    """One recording under one policy."""

    key: Annotated[str, Meta(description="Names this result: content, policy, settings, release, schema version.")]
    digest: Annotated[str, Meta(description="SHA-256 of the recording's bytes, in hex.")]
    name: Annotated[str, Meta(description="The recording's file name.")]
    address: Annotated[str, Meta(description="Where it was read: a path, `file.parquet#row`, or a URL.")]
    size_bytes: Annotated[int, Meta(description="Its size, in bytes.")]
    policy: Annotated[str, Meta(description="The policy, as it was asked for.")]
    policy_digest: Annotated[str, Meta(description="SHA-256 of its preset and keys, in hex.")]
    settings_digest: Annotated[str, Meta(description="SHA-256 of window, overhead and probes, in hex.")]
    release: Annotated[str, Meta(description="The version of ctxmgr that it ran through.")]
    schema_version: Annotated[int, Meta(description="The version of this schema.")]
    status: Annotated[
        Status,
        Meta(
            description="`ok`; `bad`: the recording can not be read or driven; `lost`: its worker was killed, or "
            "it could not be fetched: the next run tries again."
        ),
    ]
    reason: Annotated[str, Meta(description="Why it is not `ok`, in a line.")] = ""
    host: Annotated[str, Meta(description="The program that recorded it.")] = ""
    model: Annotated[str, Meta(description="The recorded model's id.")] = ""
    window_tokens: Annotated[int, Meta(description="The context window that it was driven with.")] = 0
    raw_tokens: Annotated[int, Meta(description="Weight of the recorded conversation that calls were made on.")] = 0
    call_count: Annotated[int, Meta(description="Calls that were answered and that a recorded reply followed.")] = 0
    billed_dollars: Annotated[float, Meta(description="What the input costs with the overhead, warm.")] = 0.0
    closed_dollars: Annotated[float, Meta(description="With what is fetched again: closed-loop cost.")] = 0.0
    input_dollars: Annotated[float, Meta(description="What the input alone costs, cold calls as they are.")] = 0.0
    fetch_count: Annotated[int, Meta(description="Originals that are fetched again.")] = 0
    fetches_in_100: Annotated[float | None, Meta(description="The same in a hundred calls.")] = None
    kept_share: Annotated[
        float | None,
        Meta(description="Of what replies repeat of the old conversation, the share that its lists had, in bytes."),
    ] = None
    kept_bytes: Annotated[int, Meta(description="What its lists gave to replies, by code length.")] = 0
    repeated_bytes: Annotated[
        int, Meta(description="What the old conversation gave to them: all that is asked.")
    ] = 0
    recall_share: Annotated[
        float | None, Meta(description="Of the names that replies use, the share that could be seen.")
    ] = None
    in_place_share: Annotated[float | None, Meta(description="The same in messages as they came.")] = None
    far_share: Annotated[float | None, Meta(description="The same of names last said 20,000 tokens ago.")] = None
    grounding_share: Annotated[float | None, Meta(description="Of lines that edits replace, those in view.")] = None
    epoch_count: Annotated[int, Meta(description="Cache epochs that were announced.")] = 0
    break_count: Annotated[int, Meta(description="Calls whose list does not begin as the one before.")] = 0
    unannounced_count: Annotated[int, Meta(description="Of these those outside of a new epoch.")] = 0
    compaction_count: Annotated[int, Meta(description="Compactions that were made.")] = 0
    own_compaction_count: Annotated[int, Meta(description="Of these those the host made unasked.")] = 0
    fault_count: Annotated[int, Meta(description="Answers that failed a check.")] = 0
    faults: Annotated[
        tuple[str, ...], Meta(description="The first of them: the call and what failed, without a quote.")
    ] = ()
    probes: Annotated[tuple[ProbeRow, ...], Meta(description="A row a kind; empty where nothing was asked.")] = ()
    packet_count: Annotated[int, Meta(description="Packets in its lists.")] = 0
    packet_tokens_mean: Annotated[float | None, Meta(description="Their weight in a list that has one.")] = None
    packet_line_count: Annotated[int, Meta(description="Lines of packets.")] = 0
    judged_line_count: Annotated[int, Meta(description="Of these those that the recording can bear out.")] = 0
    untrue_line_count: Annotated[int, Meta(description="Of these those that it does not bear out.")] = 0
    unjudged_line_count: Annotated[int, Meta(description="Lines of which the recording does not tell.")] = 0
    fingerprint: Annotated[str, Meta(description="The hash of all answers' bytes.")] = ""
    cpu_seconds: Annotated[float, Meta(description="CPU that it took; differs from run to run.")] = 0.0
    peak_bytes: Annotated[int, Meta(description="Most memory of its worker so far; differs from run to run.")] = 0


class CorpusCallRow(msgspec.Struct, frozen=True):
    """One call of the model in one recording under one policy."""

    key: Annotated[str, Meta(description="The result that it is part of.")]
    call_index: Annotated[int, Meta(description="The call, from 0.")]
    time_ms: Annotated[int | None, Meta(description="When it was made, in milliseconds; null where unknown.")]
    sent_tokens: Annotated[int, Meta(description="Weight of the list that was sent.")]
    cached_tokens: Annotated[int, Meta(description="Of these those in common with the call before.")]
    dollars: Annotated[float, Meta(description="What its input costs.")]
    epoch_number: Annotated[int, Meta(description="Its cache epoch.")]
    is_announced: Annotated[bool, Meta(description="Whether it began that epoch.")]
    is_broken: Annotated[bool, Meta(description="Whether its list does not begin as the one before.")]
    is_cold: Annotated[bool, Meta(description="Whether the cache had expired.")]
    own_count: Annotated[int, Meta(description="Compactions that the host made unasked before it.")]
    name_count: Annotated[int, Meta(description="Names that its reply uses.")]
    recalled_count: Annotated[int, Meta(description="Of these those that could be seen.")]


class Evaluation(msgspec.Struct, frozen=True):
    """What came of one recording under one policy."""

    recording: RecordingRow
    calls: tuple[CorpusCallRow, ...] = ()
