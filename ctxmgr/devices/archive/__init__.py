"""The archive: the originals of removed content, in one SQLite file per state directory. Knows no decision and no
state.
"""

from ctxmgr.devices.archive.database import (
    MEGABYTE,
    MILLISECONDS_A_DAY,
    ArchiveDatabase,
    ArchiveDatabases,
    ArchiveFault,
    at_rest,
    hits_among,
)
from ctxmgr.devices.archive.file import archive_fault, archive_path
from ctxmgr.devices.archive.searching import HitRow

__all__ = [
    "MEGABYTE",
    "MILLISECONDS_A_DAY",
    "ArchiveDatabase",
    "ArchiveDatabases",
    "ArchiveFault",
    "HitRow",
    "archive_fault",
    "archive_path",
    "at_rest",
    "hits_among",
]
