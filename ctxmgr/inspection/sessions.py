"""The command `sessions`: what is saved, listed, shown, exported, deleted. An id is never a path."""

import sys
import time
from argparse import Namespace
from pathlib import Path

import msgspec

from ctxmgr import settings
from ctxmgr.devices import ArchiveFault, default_state_dir, retention
from ctxmgr.devices.snapshots import file_name
from ctxmgr.inspection import exporting, forgetting, inspecting, listing
from ctxmgr.model import policy_keys
from ctxmgr.plain_text import columns, safe, write


def run(parsed: Namespace) -> int:
    """0: done; 1: a session is open, a file is broken, or the disk refuses; 2: there is no such session."""
    if parsed.action == "list" and parsed.store is not None:
        from ctxmgr.inspection import stored  # which a call without a store does not wait for

        return stored.show(parsed.store, parsed.json)
    try:
        named = parsed.state_dir or settings.read().settings_for().state_dir
    except settings.SettingsFault as fault:
        return _say(str(fault), 2)
    directory = Path(named or default_state_dir())
    code: int = {"list": _list, "show": _show, "export": _export, "delete": _delete, "purge": _purge}[
        parsed.action
    ](parsed, directory)
    return code


def _list(parsed: Namespace, directory: Path) -> int:
    try:
        sessions = list(listing.listed(directory)) if directory.exists() else []
    except OSError as fault:
        return _say(f"{directory} can not be read: {fault.strerror}", 1)
    if parsed.json:
        print(listing.as_json(sessions))
    elif sessions:
        print(listing.text(sessions, time.time_ns() // 1_000_000, columns()))
    else:
        write(f"no session is saved in {directory}")
    return 0


def _show(parsed: Namespace, directory: Path) -> int:
    path = directory / file_name(parsed.session)
    if not path.exists():
        return _none(parsed.session, directory)
    return inspecting.run(Namespace(file=str(path), full=parsed.full, models=parsed.models))


def _export(parsed: Namespace, directory: Path) -> int:
    try:
        done = exporting.export(directory, parsed.session, Path(parsed.file))
    except exporting.NoSession as fault:
        return _say(str(fault), 2)
    except FileExistsError:
        return _say(f"{parsed.file} is there already: name a file that is not", 2)
    except ArchiveFault as fault:
        return _say(f"the originals can not be read: {fault}", 1)
    except OSError as fault:
        return _say(f"{parsed.file} can not be written: {fault.strerror}", 1)
    size = f"{done.size_bytes / listing.KILOBYTE:,.0f} kB"
    write(f"{parsed.file}: {done.record_count} records of the snapshot, {done.original_count} originals, {size}")
    write("it holds what was said and read in the session, as it was: it is readable by you alone")
    return _say(done.fault, 1) if done.fault else 0


def _delete(parsed: Namespace, directory: Path) -> int:
    """Each for itself: one that is open keeps no other."""
    codes = [
        forgetting.run(
            Namespace(session=session, state_dir=str(directory), command="sessions delete", store=parsed.store)
        )
        for session in parsed.session
    ]
    return next((code for code in (1, 2) if code in codes), 0)


def _purge(parsed: Namespace, directory: Path) -> int:
    """By flags, else as long as originals are kept by the settings."""
    limits = policy_keys.policy(settings.read().settings_for().policy).archive
    days, megabytes = parsed.days or limits.max_age_days, parsed.megabytes or limits.max_megabytes
    if parsed.store is not None:
        from ctxmgr.inspection import stored
        from ctxmgr.store import PurgeLimits  # which a call without a store does not wait for

        return stored.purge_there(parsed.store, PurgeLimits(days, parsed.megabytes), parsed.dry_run)
    wanted = msgspec.structs.replace(limits, max_age_days=days, max_megabytes=megabytes)
    now_ms = time.time_ns() // 1_000_000
    try:
        gone = retention.outdated(directory, wanted, now_ms)
    except (ArchiveFault, OSError) as unreadable:
        return _say(f"{directory} can not be read: {unreadable}", 1)
    faults = 0
    for one in gone:
        fault = None if parsed.dry_run else retention.delete(directory, one)
        if fault is None:
            write(listing.purged_line(one.size_bytes, now_ms - one.saved_ms, str(one.session_id)))
        else:
            faults += _say(fault, 1)
    write(listing.purged_sum(len(gone) - faults, days, megabytes, parsed.dry_run))
    return 1 if faults else 0


def _none(session: str, directory: Path) -> int:
    return _say(f"nothing is saved of {session} in {directory}; --state-dir names another", 2)


def _say(text: str, code: int) -> int:
    print(f"ctxmgr sessions: {safe(text)}", file=sys.stderr)
    return code
