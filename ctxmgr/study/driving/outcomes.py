"""How a recording is driven, and the result: plain values."""

from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.study.observations import Observation
from ctxmgr.study.recordings import Write


class HostLimits(msgspec.Struct, frozen=True):
    """How the simulated host counts and compacts.

    `overhead_tokens`: its usage is its list by ctxmgr's count, the reply and this number, not what was recorded;
    None: the recorded usage. `keep_tokens`: of a compaction, None for the host's own number, at most a quarter of
    the window.
    """

    overhead_tokens: int | None = None
    keep_tokens: int | None = None


class ReplayOptions(msgspec.Struct, frozen=True):
    """`window` in tokens, None for the recording's own. `append`: send only what is new and receive edits.

    `state_dir` for snapshots. `record`: a transcript's file. `measure`: keep what each call shows. `label`: the
    outcome's name instead of its preset. `write`: writes the host's own summaries, instead of `pi_host`.
    `own_summaries`: ctxmgr writes them, without a model. `models`: a file of facts about models, for ctxmgr.
    `spawn`: always use a spawned sidecar. `retrieves`: its model has a tool for removed content, archived in
    `state_dir`.
    """

    preset: str | None = None
    window: int | None = None
    append: bool = False
    recorded_compactions: bool = False
    state_dir: Path | None = None
    record: Path | None = None
    policy: dict[str, Any] = {}
    label: str | None = None
    measure: bool = False
    host: HostLimits = HostLimits()
    write: Write | None = None
    own_summaries: bool = False
    models: str | None = None
    spawn: bool = False
    retrieves: bool = False


class ReplayedCall(msgspec.Struct, frozen=True):
    """One `context`. Counts in tokens, uncalibrated. `seconds`: from request to answer, at the client."""

    zone: str
    before_tokens: int
    after_tokens: int
    dropped: int
    distilled: int
    pruned: int
    packet_tokens: int
    seconds: float
    index: int = 0


class TimelineMark(msgspec.Struct, frozen=True):
    """An event; `call_index` is the number of calls before it."""

    kind: str
    call_index: int
    text: str = ""


class ReplayResult(msgspec.Struct):
    """The result of one drive. `own`: compactions the host made unasked. `failed_compactions` had nothing to
    compact.

    `fingerprint`: the hash of every answer's bytes, equal for two runs of the same program. `host` and `notes` are
    the recording's. `fault_codes`: each failure of the drive without quotations. `observations`: what was shown, if
    requested. `arithmetic`: of each epoch.
    """

    name: str
    preset: str
    window: int
    calls: list[ReplayedCall] = []
    marks: list[TimelineMark] = []
    failures: list[str] = []
    fault_codes: list[str] = []
    arithmetic: list[str] = []
    requested: int = 0
    compacted: int = 0
    own: int = 0
    failed_compactions: int = 0
    turn_ends: int = 0
    turn_end_seconds: list[float] = []
    fingerprint: str = ""
    host: str = "pi"
    notes: tuple[str, ...] = ()
    exit_code: int | None = None
    packet: str = ""
    observations: list[Observation] = []
