"""Turns recordings and policies into tasks, each named by all that its result depends on.

1. A task is one recording under one policy. Its key is a digest of the recording's digest, the policy's, the
   settings', ctxmgr's release and the schema's version: nothing else moves a figure.
2. The same content at two addresses is one task.
3. Longest first: what takes long does not begin when all else has ended. Of equal size the smaller key.
4. Preset `off` always runs: costs are told as shares of it.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec

from ctxmgr import __version__
from ctxmgr.study.corpus.rows import SCHEMA_VERSION
from ctxmgr.study.corpus.sources import RecordingAddress

BASE = "off"


class WrongPolicy(Exception):
    """A policy on the command line is none; the text says why."""


class CorpusPolicy(msgspec.Struct, frozen=True):
    """`name` as it was written; `preset` and the other `keys` of the policy."""

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
    """Of `PRESET[:KEY=VALUE[,KEY=VALUE...]]`, each once, with `off` (rule 4). Raises WrongPolicy."""
    some = {one.digest: one for one in map(_policy, [*texts, BASE])}
    return list(some.values())


def key(digest: str, policy: CorpusPolicy, settings: CorpusSettings) -> str:
    """Rule 1."""
    return _digest(digest, policy.digest, settings.digest, __version__, SCHEMA_VERSION)[:32]


def tasks(
    recordings: Iterable[RecordingAddress],
    policies: Sequence[CorpusPolicy],
    settings: CorpusSettings,
    done: Collection[str] = (),
) -> list[CorpusTask]:
    """Rules 2 and 3, without those that are `done`."""
    some = {}
    for recording in recordings:
        for policy in policies:
            name = key(recording.digest, policy, settings)
            if name not in done and name not in some:
                some[name] = CorpusTask(name, recording, policy, settings)
    return sorted(some.values(), key=lambda task: (-task.recording.size_bytes, task.key))


def sampled(recordings: Sequence[RecordingAddress], count: int | None) -> list[RecordingAddress]:
    """So many of them, by their digests: the same in every run, and of any length."""
    if count is None:
        return list(recordings)
    some = {one.digest: one for one in recordings}
    return [some[digest] for digest in sorted(some, key=lambda one: _digest("sample", one))[:count]]


def _policy(text: str) -> CorpusPolicy:
    from ctxmgr.engine.presets import PRESETS
    from ctxmgr.model import InvalidPolicy, policy_keys

    preset, _, rest = text.partition(":")
    if preset not in PRESETS:
        raise WrongPolicy(f"no preset is called {preset!r} ({', '.join(PRESETS)})")
    keys: dict[str, Any] = {}
    for pair in rest.split(",") if rest else ():
        name, sign, value = pair.partition("=")
        if not sign:
            raise WrongPolicy(f"{text}: {pair!r} is no KEY=VALUE")
        try:
            keys[name] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            keys[name] = value
    try:
        policy_keys.policy({**keys, "preset": preset})
    except InvalidPolicy as refused:
        raise WrongPolicy(f"{text}: {refused}") from None
    return CorpusPolicy(text, preset, keys)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()
