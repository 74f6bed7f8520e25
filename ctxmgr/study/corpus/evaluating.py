"""Turns a task into its rows, in whatever process it runs: reads the recording, drives it in process, measures, and
runs the probes.

1. Nothing raises: a recording that cannot be read or driven becomes a row with a reason.
2. The same task gives the same rows everywhere, except for CPU time and memory.
3. It measures like `ctxmgr replay`: with the modelled host, its prices and its way of caching.
4. Reasons and faults name a location but quote nothing from it: rows hold no conversation.
"""

import resource
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from ctxmgr import __version__
from ctxmgr.plain_text import unquoted_fault_text
from ctxmgr.study.corpus import sources
from ctxmgr.study.corpus.tasks import SCHEMA_VERSION, CorpusPolicy, CorpusTask, Evaluation, Row
from ctxmgr.study.driving import PEERS, ReplayOptions, ReplayResult, drive, peers
from ctxmgr.study.figures import CALLS, Measures, calls, closed_cost, columns
from ctxmgr.study.observations import MessageCache, Observation, PriceSheet, message_reader
from ctxmgr.study.probes import graded
from ctxmgr.study.recordings import Recording, Stream, UnreadableRecording, readers
from ctxmgr.study.replay import modelled

FAULTS_KEPT = 5  # of a recording's failed checks, in its row
REASON_CHARACTERS = 300
KIB = 1024  # bytes: the unit in which the system reports memory

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Evaluation).decode


def evaluated(task: CorpusTask) -> bytes:
    """An `Evaluation` as a line of JSON, so that the process that collects many need not parse it."""
    began = time.thread_time()
    try:
        evaluation = _evaluation(task)
    except OSError as fault:
        evaluation = Evaluation(failed(task, "lost", f"cannot be fetched: {fault.strerror or fault}"))
    except Exception as fault:  # noqa: BLE001  rule 1
        evaluation = Evaluation(failed(task, "bad", _fault_text(fault)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    seconds = time.thread_time() - began
    evaluation.recording.update(cpu_seconds=round(seconds, 3), peak_bytes=peak)
    return encode(evaluation)


def failed(task: CorpusTask, status: Literal["bad", "lost"], reason: str) -> Row:
    """A row without figures."""
    return {**_named(task), "status": status, "reason": _printable(reason[:REASON_CHARACTERS])}


def _printable(name: str) -> str:
    """The name with bytes that are not UTF-8 replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _fault_text(fault: Exception) -> str:
    """Rule 4."""
    if isinstance(fault, UnreadableRecording):
        return fault.unquoted
    return f"{unquoted_fault_text(fault)}; `ctxmgr replay` says more"


def _named(task: CorpusTask) -> Row:
    recording, policy = task.recording, task.policy
    return {
        "key": task.key,
        "digest": recording.digest,
        "name": _printable(recording.name),
        "address": _printable(recording.address),
        "size_bytes": recording.size_bytes,
        "policy": policy.name,
        "policy_digest": policy.digest,
        "settings_digest": task.settings.digest,
        "release": __version__,
        "schema_version": SCHEMA_VERSION,
    }


@lru_cache(maxsize=1)
def _recorded(address: str, name: str, digest: str) -> Recording | Stream:
    """Cached, since a worker often gets the next policy of the same recording. Raises UnreadableRecording,
    OSError.
    """
    try:
        content = sources.content(address)
    except OSError:
        raise
    except sources.NoRecording as fault:
        raise UnreadableRecording(f"{name} is {fault}") from None
    except Exception as fault:  # noqa: BLE001  a store's own error, which may not occur again
        raise OSError(f"{type(fault).__name__}") from None
    if sources.digest(content) != digest:
        raise UnreadableRecording(f"{name} has changed since it was listed")
    return readers.read(readers.source_of(name, content))


def _evaluation(task: CorpusTask) -> Evaluation:
    recorded = _recorded(task.recording.address, task.recording.name, task.recording.digest)
    settings, policy = task.settings, task.policy
    sheet = PriceSheet(overhead_tokens=settings.overhead_tokens)
    window = settings.window_tokens or recorded.window
    outcome = _outcome(recorded, policy, modelled(policy.preset, policy.keys, window, sheet))
    messages = MessageCache(message_reader())
    measures = Measures(outcome.observations, messages, sheet)
    row = {
        **_named(task),
        "status": "ok",
        "reason": "",
        "host": outcome.host,
        "model": recorded.model,
        "window_tokens": window,
        **{column.name: column.of(measures) for column in columns()},
        "floor_dollars": closed_cost.floor_dollars(outcome.observations, messages, sheet),
        "compaction_count": outcome.compacted,
        "own_compaction_count": outcome.own,
        "fault_count": len(outcome.fault_codes),
        "faults": outcome.fault_codes[:FAULTS_KEPT],
        **_probed(task, recorded, outcome.observations, messages),
        "fingerprint": outcome.fingerprint,
    }
    series = calls(measures, {column.name: column for column in CALLS if column.name})
    return Evaluation(row, [{"key": task.key, "call_index": index, **call} for index, call in enumerate(series)])


def _outcome(recorded: Recording | Stream, policy: CorpusPolicy, options: ReplayOptions) -> ReplayResult:
    """The result of ctxmgr, or of a peer. Peers cannot be driven through a stream."""
    if policy.preset not in PEERS:
        return drive(recorded, options)
    if not isinstance(recorded, Recording):
        raise UnreadableRecording("peers cannot replay a stream of events")
    return peers.driven(recorded, policy.preset, options)


def _probed(
    task: CorpusTask, recorded: Recording | Stream, observations: Sequence[Observation], messages: MessageCache
) -> Row:
    """The part of the row about probes: what its lists still answer, and whether its packets are true. Empty for a
    stream, which has no complete list.
    """
    if not isinstance(recorded, Recording):
        return {}
    window = task.settings.window_tokens or recorded.window
    grades = graded(recorded, window, observations, messages.weight)
    rows = [
        {
            "kind": kind,
            "used_share": score.used.share,
            "used_count": score.used.probe_count,
            "every_share": score.every.share,
            "every_count": score.every.probe_count,
        }
        for kind, score in grades.kinds.items()
    ]
    precision = grades.precision
    if precision is None:
        return {"probes": rows}
    return {
        "probes": rows,
        "packet_count": precision.packet_count,
        "packet_tokens_mean": precision.packet_tokens,
        "packet_line_count": precision.every.line_count,
        "judged_line_count": precision.every.judged_count,
        "untrue_line_count": precision.every.untrue_count,
        "unjudged_line_count": precision.every.unjudged_count,
    }
