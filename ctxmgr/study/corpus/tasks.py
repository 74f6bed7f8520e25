"""Turns recordings and policies into tasks, each named by all that its result depends on.

1. A task is one recording under one policy. Its key is a digest of the recording's digest, the policy's, the
   settings', ctxmgr's release and the schema's version: nothing else moves a figure.
2. Preset `off` always runs: costs are told as shares of it.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ctxmgr import __version__
from ctxmgr.study.corpus.rows import SCHEMA_VERSION
from ctxmgr.study.corpus.sources import RecordingAddress

BASE = "off"


class WrongPolicy(Exception):
    """A policy on the command line is none; the text says why."""


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
    """Of `PRESET[:KEY=VALUE[,KEY=VALUE...]]` or a peer, each once, with `off` (rule 2). Raises WrongPolicy."""
    some = {one.digest: one for one in map(_policy, [*texts, BASE])}
    return list(some.values())


def key(digest: str, policy: CorpusPolicy, settings: CorpusSettings) -> str:
    """Rule 1."""
    return _digest(digest, policy.digest, settings.digest, __version__, SCHEMA_VERSION)[:32]


def tasks(
    recording: RecordingAddress, policies: Iterable[CorpusPolicy], settings: CorpusSettings
) -> Iterator[CorpusTask]:
    """Of one recording, one a policy."""
    for policy in policies:
        yield CorpusTask(key(recording.digest, policy, settings), recording, policy, settings)


def draw(digest: str) -> str:
    """A sample is of those recordings whose draws come first: the same in every run, and of any length."""
    return _digest("sample", digest)


def _policy(text: str) -> CorpusPolicy:
    from ctxmgr.engine.presets import PRESETS
    from ctxmgr.model import InvalidPolicy, policy_keys
    from ctxmgr.study.baselines import PEERS

    if text in PEERS:
        return CorpusPolicy(text, text)
    preset, _, rest = text.partition(":")
    if preset not in PRESETS:
        raise WrongPolicy(f"no preset or peer is called {preset!r} ({', '.join((*PRESETS, *PEERS))})")
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
