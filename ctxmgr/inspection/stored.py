"""Sessions that lie in a store: turns one into a table, and deletes some of them there."""

import json
import sys
from pathlib import Path

import msgspec

from ctxmgr.devices.snapshots import file_name
from ctxmgr.inspection import listing
from ctxmgr.masking import values_without_secrets
from ctxmgr.plain_text import columns, safe, table, write
from ctxmgr.store import BadAddress, Claims, PurgeLimits, StoredSession, StoreFault, check, forget, purge, sessions

HEAD = ("events", "kB", "epoch", "held", "session")
KILOBYTE = 1_000


def show(url: str, as_json: bool) -> int:
    """0: done; 1: the store can not be reached; 2: the address is none."""
    try:
        found = sessions(url)
    except BadAddress as fault:
        return _say("sessions", str(fault), 2)
    except StoreFault as fault:
        return _say("sessions", str(fault), 1)
    if as_json:
        print(json.dumps(values_without_secrets(msgspec.to_builtins(found)), indent=2))
    elif found:
        print(table([HEAD, *map(_row, found)], columns()))
    else:
        write("no session is in the store")
    return 0


def is_wrong(url: str, command: str) -> bool:
    """Is it no address of a store? Then that is said."""
    try:
        check(url)
    except BadAddress as fault:
        return bool(_say(command, str(fault), 2))
    return False


def ours(directory: Path, session_id: str) -> frozenset[str]:
    """The words by which this machine claimed it: they leave with what lies here."""
    return Claims(directory / file_name(session_id)).ours()


def delete(url: str, session_id: str, claimed: frozenset[str], command: str) -> int:
    """0: deleted; 1: it is open elsewhere, or the store can not be reached; 2: nothing is there. BadAddress."""
    try:
        there = forget(url, session_id, claimed)
    except StoreFault as fault:
        return _say(command, str(fault), 1)
    write("deleted in the store" if there else "nothing is kept of it in the store")
    return 0 if there else 2


def purge_there(url: str, limits: PurgeLimits, dry_run: bool) -> int:
    """0: done; 1: one could not be deleted, or the store can not be reached; 2: the address is none."""
    try:
        gone = purge(url, limits, dry_run, _wait_told)
    except BadAddress as fault:
        return _say("sessions", str(fault), 2)
    except StoreFault as fault:
        return _say("sessions", str(fault), 1)
    faults = 0
    for one in gone:
        if one.fault is None:
            write(listing.purged_line(one.session.size_bytes, one.age_ms, one.session.session_id))
        else:
            faults += _say("sessions", f"{one.session.session_id}: {one.fault}", 1)
    write(listing.purged_sum(len(gone) - faults, limits.max_age_days, limits.max_megabytes, dry_run))
    return 1 if faults else 0


def _wait_told(count: int) -> None:
    said = f"{count} are held, maybe by machines that were killed: waiting until their leases are over"
    _say("sessions", said, 0)


def _row(one: StoredSession) -> tuple[str, ...]:
    name = f"{one.session_id}: {one.fault}" if one.fault else one.session_id
    size = f"{one.size_bytes / KILOBYTE:,.0f}"
    return f"{one.event_count:,}", size, str(one.epoch_number), "yes" if one.is_open else "no", safe(name)


def _say(command: str, text: str, code: int) -> int:
    print(f"ctxmgr {command}: {safe(text)}", file=sys.stderr)
    return code
