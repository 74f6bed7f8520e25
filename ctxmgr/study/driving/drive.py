"""Drives a recorded session through ctxmgr as its host would, and measures what comes of it.

1. Before each assistant message its list is sent, with the recorded time; after it a `turn_end` with the tool
   results and the usage that the answered list would have had.
2. A requested compaction runs when the host is idle: when the run's last message came, or before the next user
   message. Above window - 16 384 tokens the host compacts by itself, at once: counted apart.
3. Recorded compactions are left out, unless they are asked for; then they are made where recorded, and no others.
4. Each answer is judged from the host's side; what is wrong goes on a list, and the session goes on.
5. A peer is driven the same way, without a ctxmgr (`drive_peer`).
6. ctxmgr is a connection in this process: nothing is started, no vocabulary loaded a second time, and the answers
   are the same bytes. It is a spawned sidecar where that is asked for, and where only a process will do
   (`_sidecar`).
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ctxmgr.plain_text import unquoted_fault_text
from ctxmgr.settings import models_file
from ctxmgr.study.driving import session
from ctxmgr.study.driving.host import Peer, PeerHost, ReplayHost
from ctxmgr.study.driving.outcomes import ReplayOptions, ReplayResult
from ctxmgr.study.observations import MessageCache, message_cache
from ctxmgr.study.recordings import Recording, Stream
from ctxmgr.study.spawning import InProcessDriver, RpcClient, RpcFailure, SidecarProcess, Spawned, this_ctxmgr

DEVICES = {"endpoint", "embeddings", "tokenizer"}  # words of a policy that stand for something outside the process


def drive(
    recorded: Recording | Stream, options: ReplayOptions, step: Callable[[], None] = lambda: None
) -> ReplayResult:
    """One recording through one connection. Faults of ctxmgr end on the outcome's list, they are not raised."""
    window = options.window or recorded.window
    outcome = ReplayResult(recorded.name, options.preset or "default", window)
    sidecar = _sidecar(options)
    client = RpcClient(sidecar)
    side = ReplayHost(client, recorded.session_id, outcome, options.append, options.measure)
    try:
        _begin(client, recorded, options, outcome)
        model = {"id": recorded.model, "contextWindow": window}
        side.ask("session_start", {"model": model, "cwd": recorded.cwd})
        if isinstance(recorded, Stream):
            session.run_events(side, recorded, window, step)
        else:
            session.run(side, recorded, options, window, step)
        client.close()
    except Exception as fault:  # noqa: BLE001  whatever it was, the other recordings go on
        side.fail(_code(fault), f"{type(fault).__name__}: {fault}")
    finally:
        sidecar.kill()
    outcome.exit_code = sidecar.exit_code
    if text := sidecar.stderr():
        side.fail("stderr", f"stderr: {text}")
    if outcome.exit_code != 0:
        ended = f"exit code {outcome.exit_code}"
        side.fail(ended, ended)
    outcome.fingerprint = side.hash.hexdigest()
    if isinstance(recorded, Recording):
        outcome.host, outcome.notes = recorded.host, recorded.notes
    return outcome


def drive_peer(recorded: Recording, name: str, peer: Peer, options: ReplayOptions) -> ReplayResult:
    """One recording, with the lists of this peer; the outcome's preset is its name. Raises nothing of its own."""
    window = options.window or recorded.window
    outcome = ReplayResult(recorded.name, name, window, host=recorded.host, notes=recorded.notes)
    weigh = MessageCache(message_cache.reader()).weight
    side = PeerHost(peer, options.host.overhead_tokens or 0, weigh, recorded.session_id, outcome)
    session.run(side, recorded, msgspec.structs.replace(options, own_summaries=False), window, lambda: None)
    return outcome


def _code(fault: Exception) -> str:
    """What it is and where, without its text."""
    return f"error answer {fault.code}" if isinstance(fault, RpcFailure) else unquoted_fault_text(fault)


def _sidecar(options: ReplayOptions) -> SidecarProcess:
    """Rule 6. A transcript is of a process; an archive, or some keys, want a device."""
    if options.spawn or options.retrieves or options.record is not None or _of_devices(options.policy):
        return Spawned(this_ctxmgr(*_arguments(options)))
    weigher = message_cache.weigher()  # loaded first: weights must not depend on when it would have come
    return InProcessDriver({weigher.name: weigher}, models_file(options.models))


def _of_devices(value: Any) -> bool:
    """Whether a policy, or a part of it, has one of `DEVICES` in it."""
    if isinstance(value, Mapping):
        return any(key in DEVICES or _of_devices(inner) for key, inner in value.items())
    return isinstance(value, str) and value in DEVICES


def _arguments(options: ReplayOptions) -> list[str]:
    recorded = () if options.record is None else ("--record", str(options.record))
    models = () if options.models is None else ("--models", options.models)
    return ["--preload", message_cache.VOCABULARY, *recorded, *models]


def _begin(
    client: RpcClient,
    recorded: Recording | Stream,
    options: ReplayOptions,
    outcome: ReplayResult,
) -> None:
    policy = {**options.policy, **({"preset": options.preset} if options.preset else {})}
    answer = client.request(
        "initialize",
        {
            "protocolVersion": "1.0",
            "clientInfo": {"name": "ctxmgr replay"},
            "capabilities": {
                "requestCompaction": "whenIdle",
                "edits": options.append,
                **({"retrieve": True} if options.retrieves else {}),
            },
            "messageFormat": recorded.format,
            "policy": policy,
            **({"stateDir": str(options.state_dir)} if options.state_dir else {}),
        },
    )
    outcome.preset = options.label or answer["policy"].get("preset", outcome.preset)
    client.notify("initialized", {})
