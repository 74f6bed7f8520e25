"""Recordings and policies as tasks, each with a key made from everything that its result depends on.

1. A task is one recording under one policy. Its key is a digest of the recording's digest, the policy's, the
   settings', ctxmgr's release and the schema version. Nothing else changes a figure.
2. Preset `off` always runs, since costs are shown as shares of it.
3. The same content at two addresses is one recording, at the first address.
4. The largest recording runs first, so that a long task does not start when all others have ended. Among equal
   sizes the smaller key comes first.

A run writes one row for each recording and policy, and one row for each call of the model, by tables of columns:

1. `SCHEMA_VERSION` increases when a column changes its meaning or type, or is removed. Results of another version
   are not read, and all keys change. A new column changes nothing for readers.
2. Figures have the columns of the metrics (`ctxmgr.study.figures`). The reference page and the Parquet schema are
   generated from `TABLES`.
3. Rows contain nothing of a conversation but names of files and programs, and what failed.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr import __version__
from ctxmgr.devices import private_file
from ctxmgr.study.corpus.sources import CorpusFault, RecordingAddress, SourceFile, recordings_in
from ctxmgr.study.figures import CALLS, Column, columns

SCHEMA_VERSION = 2

Row = dict[str, Any]  # values by column


class Evaluation(msgspec.Struct, frozen=True):
    """The result for one recording under one policy."""

    recording: Row
    calls: list[Row] = []


def _figures(some: Iterable[Column]) -> list[Column]:
    """Columns of metrics or of calls; null if there is no value."""
    return [Column(column.name, column.about, column.type | None) for column in some if column.name]


PROBES = (
    Column("kind", "The kind, for example `goal` or `errors`.", str),
    Column(
        "used_share",
        "Of what the recording went on to use, the share that the list still answers, 0 to 1.",
        float | None,
    ),
    Column("used_count", "Number of these probes.", int),
    Column("every_share", "The same share for all probes of the kind.", float | None),
    Column("every_count", "Number of all probes of the kind.", int),
)
RECORDINGS = (
    Column("key", "Key of this result, made from content, policy, settings, release and schema version.", str),
    Column("digest", "SHA-256 of the recording's bytes, in hex.", str),
    Column("name", "The recording's file name.", str),
    Column("address", "Where it was read: a path, `file.parquet#row`, or a URL.", str),
    Column("size_bytes", "Size in bytes.", int),
    Column("policy", "The policy as requested.", str),
    Column("policy_digest", "SHA-256 of the policy's preset and keys, in hex.", str),
    Column("settings_digest", "SHA-256 of window, overhead and probes, in hex.", str),
    Column("release", "Version of ctxmgr.", str),
    Column("schema_version", "Version of this schema.", int),
    Column(
        "status",
        "`ok`. `bad`: the recording cannot be read or run. `lost`: its worker was killed or it could not be "
        "fetched, and the next run tries again.",
        str,
    ),
    Column("reason", "Why it is not `ok`, in one line.", str),
    Column("host", "The program that recorded it.", str | None),
    Column("model", "The recorded model's id.", str | None),
    Column("window_tokens", "Context window of the run.", int | None),
    *_figures(columns()),
    Column("floor_dollars", "Cost of its messages, each written to the cache once.", float | None),
    Column("compaction_count", "Compactions.", int | None),
    Column("own_compaction_count", "Of these, those that the host made on its own.", int | None),
    Column("fault_count", "Answers that failed a check.", int | None),
    Column("faults", "The first of them: the call and what failed, without quotes.", list[str] | None),
    Column("probes", "One row per kind. Empty without probes.", PROBES),
    Column("packet_count", "Packets in its lists.", int | None),
    Column("packet_tokens_mean", "Mean tokens of a packet, in lists that have one.", float | None),
    Column("packet_line_count", "Lines of packets.", int | None),
    Column("judged_line_count", "Of these, lines that the recording can confirm or refute.", int | None),
    Column("untrue_line_count", "Of these, lines that the recording refutes.", int | None),
    Column("unjudged_line_count", "Lines that the recording can neither confirm nor refute.", int | None),
    Column("fingerprint", "Hash of the bytes of all answers.", str | None),
    Column("cpu_seconds", "CPU time. Varies from run to run.", float | None),
    Column("peak_bytes", "Peak memory of its worker so far. Varies from run to run.", int | None),
)
OF_CALLS = (
    Column("key", "Key of the result that it belongs to.", str),
    Column("call_index", "Index of the call, from 0.", int),
    *_figures(CALLS),
)
TABLES = {  # what a row is, and its columns
    "RecordingRow": ("One recording with one policy. A row that is not `ok` has no figures.", RECORDINGS),
    "ProbeRow": ("One kind of memory probe of one recording with one policy.", PROBES),
    "CallRow": ("One model call of one recording with one policy.", OF_CALLS),
}


BASE = "off"


class CorpusPolicy(msgspec.Struct, frozen=True):
    """`name`: as the user wrote it. `preset` and other `keys` of the policy. A peer is a preset without keys."""

    name: str
    preset: str
    keys: dict[str, Any] = {}

    @property
    def digest(self) -> str:
        return _digest(self.preset, self.keys)


class CorpusSettings(msgspec.Struct, frozen=True):
    """The settings of all tasks. `window_tokens`: None for each recording's own."""

    window_tokens: int | None = None
    overhead_tokens: int = 5_000

    @property
    def digest(self) -> str:
        return _digest(msgspec.to_builtins(self))


class CorpusTask(msgspec.Struct, frozen=True):
    key: str
    recording: RecordingAddress
    policy: CorpusPolicy
    settings: CorpusSettings


def policies(texts: Iterable[str]) -> list[CorpusPolicy]:
    """Parses texts of the form `PRESET[:KEY=VALUE[,KEY=VALUE...]]`, or names of peers. Removes duplicates and adds
    `off` (rule 2). Raises CorpusFault.
    """
    return list({policy.digest: policy for policy in map(_policy, [*texts, BASE])}.values())


def key(digest: str, policy: CorpusPolicy, settings: CorpusSettings) -> str:
    """Rule 1."""
    return _digest(digest, policy.digest, settings.digest, __version__, SCHEMA_VERSION)[:32]


def recordings(files: Iterable[SourceFile], memory: Path, sample: int | None = None) -> list[RecordingAddress]:
    """The recordings in the files. `memory`: a cache file, so that unchanged files are not read again. `sample`:
    only this many, the same every time, and a subset of any larger sample. Raises OSError, and what iterating
    `files` raises.
    """
    known = _remembered(memory)
    by_address: dict[str, _Known] = {}
    for file in sorted(set(files), key=lambda file: file.address):
        before = known.get(file.address)
        if before is not None and before.file == file:
            by_address[file.address] = before
        else:
            by_address[file.address] = _Known(file, *recordings_in(file))
    _remember(memory, known | by_address)
    by_digest: dict[str, RecordingAddress] = {}
    for entry in by_address.values():
        for recording in entry.recordings:
            by_digest.setdefault(recording.digest, recording)
    return sorted(by_digest.values(), key=lambda recording: _digest("sample", recording.digest))[:sample]


def tasks(
    recordings: Iterable[RecordingAddress],
    policies: Sequence[CorpusPolicy],
    settings: CorpusSettings,
    done: Collection[str] = (),
) -> list[CorpusTask]:
    """The tasks to run, in order (rule 4). `done`: keys of finished tasks."""
    every = (
        CorpusTask(key(recording.digest, policy, settings), recording, policy, settings)
        for recording in recordings
        for policy in policies
    )
    return sorted(
        (task for task in every if task.key not in done), key=lambda task: (-task.recording.size_bytes, task.key)
    )


class _Known(msgspec.Struct, frozen=True):
    """What a file held when it was last read."""

    file: SourceFile
    recordings: list[RecordingAddress]
    is_whole: bool


def _remembered(memory: Path) -> dict[str, _Known]:
    """By address; empty if the file is missing or broken."""
    with contextlib.suppress(OSError, ValueError, msgspec.ValidationError):
        return msgspec.convert(json.loads(memory.read_bytes()), dict[str, _Known])
    return {}


def _remember(memory: Path, known: dict[str, _Known]) -> None:
    """Written in ASCII, since file names may be invalid text. The next run reads files again that could not be read
    completely.
    """
    whole = {address: msgspec.to_builtins(entry) for address, entry in known.items() if entry.is_whole}
    with os.fdopen(private_file(str(memory)), "w", encoding="ascii") as file:
        json.dump(whole, file)


def _policy(text: str) -> CorpusPolicy:
    from ctxmgr.engine.presets import PRESETS
    from ctxmgr.model import InvalidPolicy, did_you_mean, policy_keys
    from ctxmgr.settings import policy_value
    from ctxmgr.study.driving import PEERS

    if text in PEERS:
        return CorpusPolicy(text, text)
    preset, _, rest = text.partition(":")
    if preset not in PRESETS:
        names = (*PRESETS, *PEERS)
        raise CorpusFault(
            f"there is no preset or peer {preset!r} ({', '.join(names)}){did_you_mean(preset, names)}"
        )
    keys: dict[str, Any] = {}
    for pair in rest.split(",") if rest else ():
        name, sign, value = pair.partition("=")
        if not sign:
            raise CorpusFault(f"{text}: {pair!r} is not KEY=VALUE")
        keys[name] = policy_value(value)
    try:
        policy_keys.policy({**keys, "preset": preset})
    except InvalidPolicy as refused:
        raise CorpusFault(f"{text}: {refused}") from None
    return CorpusPolicy(text, preset, keys)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()
