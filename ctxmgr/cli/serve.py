"""What `ctxmgr serve` runs. A host waits for its start, so nothing else is imported before it."""

import gc
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse  # which a plain call does not wait for

    from ctxmgr.known_models import Registry

MAX_MESSAGE_MIB = 64
LEASE_MS = range(100, 600_001)  # shorter: an owner would lose what it holds with each slow request
PLAIN = {"--state-dir": "state_dir", "--record": "record", "--models": "models", "--store": "store"}


def plain(arguments: Sequence[str]) -> SimpleNamespace | None:
    """What argparse would make of arguments that are nothing but options of `PLAIN` with a value each; None of all
    else. A host waits for a start, and argparse takes 5 ms of it."""
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
    gc.disable()  # until it serves: what is imported is no garbage, and a host waits
    from ctxmgr.server import Setup, serve

    models = _models(parsed.models) if parsed.models else None
    size, store = parsed.max_message << 20, (parsed.store, parsed.store_delay_ms, parsed.store_lease_ms)
    return serve(Setup(parsed.state_dir, parsed.record, parsed.preload, size, models, *store))


def _wrong(parsed: "argparse.Namespace | SimpleNamespace") -> str | None:
    """What is wrong with numbers that were given."""
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
    """What a host waits for goes on with what is shipped, whatever is wrong with a file."""
    from ctxmgr.settings import SettingsFault, models_file

    try:
        return models_file(path)
    except SettingsFault as fault:
        print(f"ctxmgr serve: {fault}; what is shipped holds", file=sys.stderr, flush=True)
        return None
