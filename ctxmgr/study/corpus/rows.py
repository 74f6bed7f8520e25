"""What a run writes down: one `RecordingRow` a recording and policy, and a row a call of the model.

1. `SCHEMA_VERSION` counts up where a column's meaning or type changes, or one goes: results of another version are
   not read, and every key is another one. A column that is added changes nothing for who reads.
2. Figures have the columns of the metrics (`ctxmgr.study.figures`). All others say here what they are; the page of
   the reference and the Parquet schema are made from `TABLES`.
3. Nothing of a conversation is in a row but names of files and programs, and what failed.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, inspect

from ctxmgr.study.figures import CALLS, columns

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
    """One recording under one policy. `figures`: by column, empty where it is not `ok`."""

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
    figures: dict[str, int | float | None] = {}
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


class Evaluation(msgspec.Struct, frozen=True):
    """What came of one recording under one policy. `calls`: values by column."""

    recording: RecordingRow
    calls: list[dict[str, Any]] = []


class Column(NamedTuple):
    """A column of Parquet rows, and what it is."""

    name: str
    about: str
    type: inspect.Type


def _fields(of: type[msgspec.Struct]) -> Iterator[Column]:
    struct = inspect.type_info(of)
    assert isinstance(struct, inspect.StructType)
    for field in struct.fields:
        if isinstance(field.type, inspect.Metadata):
            yield Column(field.name, (field.type.extra_json_schema or {})["description"], field.type.type)


def _figures(some: Any) -> Iterator[Column]:
    """Of metrics and of calls; null where there is none."""
    yield from (Column(one.name, one.about, inspect.type_info(one.type | None)) for one in some if one.name)


_CALL = (("key", "The result that it is part of.", str), ("call_index", "The call, from 0.", int))
RECORDINGS, PROBES, OF_CALLS = "RecordingRow", "ProbeRow", "CallRow"
TABLES: dict[str, tuple[str, tuple[Column, ...]]] = {  # what a row is, and its columns
    RECORDINGS: ("One recording under one policy.", (*_fields(RecordingRow), *_figures(columns()))),
    PROBES: ("One kind of memory probes of one recording under one policy.", tuple(_fields(ProbeRow))),
    OF_CALLS: (
        "One call of the model in one recording under one policy.",
        (*(Column(name, about, inspect.type_info(of)) for name, about, of in _CALL), *_figures(CALLS)),
    ),
}
