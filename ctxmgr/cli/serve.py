"""The function of `ctxmgr serve`. A host waits for its start, so nothing else is imported before it."""

import gc
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse  # not loaded by a plain call

    from ctxmgr.known_models import Registry

MAX_MESSAGE_MIB = 64
LEASE_MS = range(100, 600_001)  # if shorter, an owner would lose its sessions with each slow request
PLAIN = {"--state-dir": "state_dir", "--record": "record", "--models": "models", "--store": "store"}


def plain(arguments: Sequence[str]) -> SimpleNamespace | None:
    """What argparse would return for arguments that are only options of `PLAIN` with a value each; None for any
    other. It avoids argparse, which takes 5 ms of the start that a host waits for.
    """
    names, values = arguments[::2], arguments[1::2]
    if len(names) != len(values) or not PLAIN.keys() >= set(names):
        return None
    if any(value.startswith("-") for value in values):
        return None
    given = {PLAIN[name]: value for name, value in zip(names, values, strict=True)}
    names = ("state_dir", "record", "preload", "models", "store", "store_delay_ms", "store_lease_ms")
    nothing = dict.fromkeys(names)
    return SimpleNamespace(**{**nothing, "max_message": MAX_MESSAGE_MIB, **given})


def run(parsed: "argparse.Namespace | SimpleNamespace") -> int:
    wrong = _wrong(parsed)
    if wrong is not None:
        print(f"ctxmgr serve: {wrong}", file=sys.stderr)
        return 2
    gc.disable()  # until it serves: imported modules are not garbage, and a host waits
    from ctxmgr.server import Setup, serve

    models = _models(parsed.models) if parsed.models else None
    size, store = parsed.max_message << 20, (parsed.store, parsed.store_delay_ms, parsed.store_lease_ms)
    return serve(Setup(parsed.state_dir, parsed.record, parsed.preload, size, models, *store))


def _wrong(parsed: "argparse.Namespace | SimpleNamespace") -> str | None:
    """What is wrong with the given numbers."""
    delay_ms, lease_ms = parsed.store_delay_ms, parsed.store_lease_ms
    if parsed.max_message < 1:
        return "--max-message must be at least 1"
    if delay_ms is not None and delay_ms < 0:
        return "--store-delay-ms must be at least 0"
    if lease_ms is not None and lease_ms not in LEASE_MS:
        return f"--store-lease-ms must be from {LEASE_MS[0]} to {LEASE_MS[-1]}"
    if parsed.store is None and (delay_ms, lease_ms) != (None, None):
        return "--store-delay-ms and --store-lease-ms are of a store, and no --store is named"
    return None


def _models(path: str) -> "Registry | None":
    """The model facts of a file. A start that a host waits for continues with the built-in ones if the file is
    unusable.
    """
    from ctxmgr.settings import SettingsFault, models_file

    try:
        return models_file(path)
    except SettingsFault as fault:
        print(f"ctxmgr serve: {fault}; what is shipped holds", file=sys.stderr, flush=True)
        return None
