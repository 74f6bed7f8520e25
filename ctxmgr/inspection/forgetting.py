"""The command `forget`: deletes what the state directory holds of a session, its snapshot and its originals."""

import sys
from argparse import Namespace
from pathlib import Path

from ctxmgr.devices import ArchiveDatabase, ArchiveFault, default_state_dir
from ctxmgr.devices.snapshots import SnapshotStore, file_name
from ctxmgr.plain_text import safe


def run(parsed: Namespace) -> int:
    """0: deleted; 1: the session is open, or the disk or the store refuses; 2: nothing is kept of it, or `--store`
    is no address."""
    store = getattr(parsed, "store", None)
    if store is None:
        return _here(parsed)
    from ctxmgr.inspection import stored  # which a call without a store does not wait for

    if stored.is_wrong(store, _command(parsed)):
        return 2  # and nothing was deleted
    claimed = stored.ours(Path(parsed.state_dir or default_state_dir()), parsed.session)
    here = _here(parsed, quiet=True)
    there = 1 if here == 1 else stored.delete(store, parsed.session, claimed, _command(parsed))
    return 1 if 1 in (here, there) else min(here, there)


def _command(parsed: Namespace) -> str:
    return str(getattr(parsed, "command", "forget"))


def _here(parsed: Namespace, quiet: bool = False) -> int:
    """`quiet`: that nothing is kept here is not said."""
    said = f"ctxmgr {_command(parsed)}"
    directory = Path(parsed.state_dir or default_state_dir())
    known = (directory / file_name(parsed.session)).exists()
    fault = SnapshotStore(directory).delete(parsed.session)
    gone = 0
    if fault is None:  # else it is open: its originals are wanted yet
        archive = ArchiveDatabase(directory)
        try:
            gone = archive.forget(parsed.session)
        except ArchiveFault as refused:
            fault = f"the originals were not deleted: {refused}"
        archive.close()
        for note in archive.notes:
            print(f"{said}: {safe(note)}", file=sys.stderr)
    if fault:
        print(f"{said}: {safe(fault)}", file=sys.stderr)
        return 1
    if not known and not gone:
        if quiet:
            return 2
        where = f"{safe(str(directory))}; --state-dir names another"
        print(f"{said}: nothing is kept of {safe(parsed.session)} in {where}", file=sys.stderr)
        return 2
    print(f"deleted: {'the snapshot' if known else 'no snapshot'}, {gone} originals")
    return 0
