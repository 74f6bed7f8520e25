"""A ctxmgr from whose lists each tool result leaves, as at an epoch: for tests of the archive on the disk.

At its end it says on stderr whether it has loaded SQLite.
"""

import os
import sys
from typing import Any

from ctxmgr import cli
from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.model.epochs import ArchiveRow
from ctxmgr.session.context import listing
from ctxmgr.session.session import SessionCore

_context = listing.context
_left: set[tuple[str, str]] = set()


def context(session: SessionCore, *given: Any) -> Any:
    parts = yield from _context(session, *given)
    for message in session.projection.messages:
        for block in message.view.blocks:
            at = session.state.session_id, block.call_id
            if block.kind == "result" and at not in _left:
                _left.add(at)
                session.pending_archive.append(
                    ArchiveRow(handle(block.call_id), block.call_id, block.tool, block.text)
                )
    return parts


if __name__ == "__main__":
    listing.context = context
    code = cli.main()
    os.write(2, b"SQLite was loaded\n" if "sqlite3" in sys.modules else b"SQLite was not loaded\n")
    sys.exit(code)
