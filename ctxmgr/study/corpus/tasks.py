"""Recordings and policies as tasks, each named by all that its result depends on.

1. A task is one recording under one policy. Its key is a digest of the recording's digest, the policy's, the
   settings', ctxmgr's release and the schema's version: nothing else moves a figure.
2. Preset `off` always runs: costs are told as shares of it.
3. The same content at two addresses is one recording, at the first of them.
4. Longest first: what takes long does not begin when all else has ended. Of equal size the smaller key.
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
from ctxmgr.study.corpus.rows import SCHEMA_VERSION
from ctxmgr.study.corpus.sources import CorpusFault, RecordingAddress, SourceFile, recordings_in

BASE = "off"


class CorpusPolicy(msgspec.Struct, frozen=True):
    """`name` as it was written; `preset` and the other `keys` of the policy. A peer's name is a preset without
    keys."""

    name: str
    preset: str
    keys: dict[str, Any] = {}

    @property
    def digest(self) -> str:
        return _digest(self.preset, self.keys)


class CorpusSettings(msgspec.Struct, frozen=True):
    """What holds for all tasks. `window_tokens`: None for each recording's own. `with_probes`: ask the probes."""

    window_tokens: int | None = None
    overhead_tokens: int = 5_000
    with_probes: bool = True

    @property
    def digest(self) -> str:
        return _digest(msgspec.to_builtins(self))


class CorpusTask(msgspec.Struct, frozen=True):
    key: str
    recording: RecordingAddress
    policy: CorpusPolicy
    settings: CorpusSettings


def policies(texts: Iterable[str]) -> list[CorpusPolicy]:
    """Of `PRESET[:KEY=VALUE[,KEY=VALUE...]]` or a peer, each once, with `off` (rule 2). Raises CorpusFault."""
    return list({policy.digest: policy for policy in map(_policy, [*texts, BASE])}.values())


def key(digest: str, policy: CorpusPolicy, settings: CorpusSettings) -> str:
    """Rule 1."""
    return _digest(digest, policy.digest, settings.digest, __version__, SCHEMA_VERSION)[:32]


def recordings(files: Iterable[SourceFile], memory: Path, sample: int | None = None) -> list[RecordingAddress]:
    """What the files hold. `memory`: a file in which it stays, so that what has not changed is not read again.
    `sample`: only so many, the same each time and a part of any larger sample. Raises OSError, and what `files`
    does."""
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
    """What is to run, in its order (rule 4). `done`: keys."""
    every = (
        CorpusTask(key(recording.digest, policy, settings), recording, policy, settings)
        for recording in recordings
        for policy in policies
    )
    return sorted(
        (task for task in every if task.key not in done), key=lambda task: (-task.recording.size_bytes, task.key)
    )


class _Known(msgspec.Struct, frozen=True):
    """What a file held when it was read last."""

    file: SourceFile
    recordings: list[RecordingAddress]
    is_whole: bool


def _remembered(memory: Path) -> dict[str, _Known]:
    """By address; empty where there is no such file, or a broken one."""
    with contextlib.suppress(OSError, ValueError, msgspec.ValidationError):
        return msgspec.convert(json.loads(memory.read_bytes()), dict[str, _Known])
    return {}


def _remember(memory: Path, known: dict[str, _Known]) -> None:
    """In ASCII: names of files need not be text. What could not be read whole is read again by the next run."""
    whole = {address: msgspec.to_builtins(entry) for address, entry in known.items() if entry.is_whole}
    with os.fdopen(os.open(memory, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
        json.dump(whole, file)


def _policy(text: str) -> CorpusPolicy:
    from ctxmgr.engine.presets import PRESETS
    from ctxmgr.model import InvalidPolicy, policy_keys
    from ctxmgr.study.driving import PEERS

    if text in PEERS:
        return CorpusPolicy(text, text)
    preset, _, rest = text.partition(":")
    if preset not in PRESETS:
        raise CorpusFault(f"no preset or peer is called {preset!r} ({', '.join((*PRESETS, *PEERS))})")
    keys: dict[str, Any] = {}
    for pair in rest.split(",") if rest else ():
        name, sign, value = pair.partition("=")
        if not sign:
            raise CorpusFault(f"{text}: {pair!r} is no KEY=VALUE")
        try:
            keys[name] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            keys[name] = value
    try:
        policy_keys.policy({**keys, "preset": preset})
    except InvalidPolicy as refused:
        raise CorpusFault(f"{text}: {refused}") from None
    return CorpusPolicy(text, preset, keys)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()
