"""One of several that write into an archive: puts numbered rows and acknowledges each put on stdout.

Usage: writer.py DIRECTORY SESSION PUTS. Every put holds three rows of one number. With PUTS 0 it goes on
until it is killed.
"""

import itertools
import os
import sys
from pathlib import Path

from ctxmgr.devices.archive.database import ArchiveDatabase
from ctxmgr.model.epochs import ArchiveRow

PARTS = 3


def rows(number: int) -> list[ArchiveRow]:
    return [
        ArchiveRow(f"h{number}-{part}", f"k{number}/{part}", "read", f"text {number} {part} " * 200)
        for part in range(PARTS)
    ]


def main(directory: str, session_id: str, puts: str) -> None:
    archive = ArchiveDatabase(Path(directory))
    for number in itertools.count():
        if number == int(puts) > 0:
            return
        archive.put(session_id, rows(number))
        os.write(1, b"%d\n" % number)


if __name__ == "__main__":
    main(*sys.argv[1:])
