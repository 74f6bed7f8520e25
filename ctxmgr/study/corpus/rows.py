"""What a run writes down: a row a recording and policy, and a row a call of the model, by tables of columns.

1. `SCHEMA_VERSION` counts up where a column's meaning or type changes, or one goes: results of another version are
   not read, and every key is another one. A column that is added changes nothing for who reads.
2. Figures have the columns of the metrics (`ctxmgr.study.figures`). The page of the reference and the Parquet
   schema are made from `TABLES`.
3. Nothing of a conversation is in a row but names of files and programs, and what failed.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from ctxmgr.study.figures import CALLS, Column, columns

SCHEMA_VERSION = 2

Row = dict[str, Any]  # values by column


class Evaluation(msgspec.Struct, frozen=True):
    """What came of one recording under one policy."""

    recording: Row
    calls: list[Row] = []


def _figures(some: Iterable[Column]) -> list[Column]:
    """Of metrics or of calls; null where there is none."""
    return [Column(column.name, column.about, column.type | None) for column in some if column.name]


PROBES = (
    Column("kind", "The kind, such as `goal` or `errors`.", str),
    Column("used_share", "Of what the recording went on to use, the share still answered, 0 to 1.", float | None),
    Column("used_count", "Probes of what was used.", int),
    Column("every_share", "The same of all probes of the kind.", float | None),
    Column("every_count", "All probes of the kind.", int),
)
RECORDINGS = (
    Column("key", "Names this result: content, policy, settings, release, schema version.", str),
    Column("digest", "SHA-256 of the recording's bytes, in hex.", str),
    Column("name", "The recording's file name.", str),
    Column("address", "Where it was read: a path, `file.parquet#row`, or a URL.", str),
    Column("size_bytes", "Its size, in bytes.", int),
    Column("policy", "The policy, as it was asked for.", str),
    Column("policy_digest", "SHA-256 of its preset and keys, in hex.", str),
    Column("settings_digest", "SHA-256 of window, overhead and probes, in hex.", str),
    Column("release", "The version of ctxmgr that it ran through.", str),
    Column("schema_version", "The version of this schema.", int),
    Column(
        "status",
        "`ok`; `bad`: the recording can not be read or driven; `lost`: its worker was killed, or it could not be "
        "fetched: the next run tries again.",
        str,
    ),
    Column("reason", "Why it is not `ok`, in a line.", str),
    Column("host", "The program that recorded it.", str | None),
    Column("model", "The recorded model's id.", str | None),
    Column("window_tokens", "The context window that it was driven with.", int | None),
    *_figures(columns()),
    Column("compaction_count", "Compactions that were made.", int | None),
    Column("own_compaction_count", "Of these those the host made unasked.", int | None),
    Column("fault_count", "Answers that failed a check.", int | None),
    Column("faults", "The first of them: the call and what failed, without a quote.", list[str] | None),
    Column("probes", "A row a kind; empty where nothing was asked.", PROBES),
    Column("packet_count", "Packets in its lists.", int | None),
    Column("packet_tokens_mean", "Their weight in a list that has one.", float | None),
    Column("packet_line_count", "Lines of packets.", int | None),
    Column("judged_line_count", "Of these those that the recording can bear out.", int | None),
    Column("untrue_line_count", "Of these those that it does not bear out.", int | None),
    Column("unjudged_line_count", "Lines of which the recording does not tell.", int | None),
    Column("fingerprint", "The hash of all answers' bytes.", str | None),
    Column("cpu_seconds", "CPU that it took; differs from run to run.", float | None),
    Column("peak_bytes", "Most memory of its worker so far; differs from run to run.", int | None),
)
OF_CALLS = (
    Column("key", "The result that it is part of.", str),
    Column("call_index", "The call, from 0.", int),
    *_figures(CALLS),
)
TABLES = {  # what a row is, and its columns
    "RecordingRow": ("One recording under one policy. What is not `ok` has no figures.", RECORDINGS),
    "ProbeRow": ("One kind of memory probes of one recording under one policy.", PROBES),
    "CallRow": ("One call of the model in one recording under one policy.", OF_CALLS),
}
