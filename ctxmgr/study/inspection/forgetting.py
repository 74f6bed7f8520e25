"""The command `forget`: deletes what the state directory holds of a session, its snapshot and its originals."""

import sys
from argparse import Namespace
from pathlib import Path

from ctxmgr.devices import ArchiveDatabase, ArchiveFault, default_state_dir
from ctxmgr.devices.snapshots import SnapshotStore, file_name
from ctxmgr.study.plain_text import safe


def run(parsed: Namespace) -> int:
    """0: deleted; 1: the session is open, or the disk refuses; 2: nothing is kept of it."""
    said = f"ctxmgr {getattr(parsed, 'command', 'forget')}"
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
        where = f"{safe(str(directory))}; --state-dir names another"
        print(f"{said}: nothing is kept of {safe(parsed.session)} in {where}", file=sys.stderr)
        return 2
    print(f"deleted: {'the snapshot' if known else 'no snapshot'}, {gone} originals")
    return 0
