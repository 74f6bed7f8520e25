"""The archive: the originals of what left, in one SQLite file a state directory. Knows no decision and no state."""

from ctxmgr.devices.archive.database import ArchiveDatabase, ArchiveFault
from ctxmgr.devices.archive.databases import ArchiveDatabases
from ctxmgr.devices.archive.file import archive_fault, archive_path

__all__ = ["ArchiveDatabase", "ArchiveDatabases", "ArchiveFault", "archive_fault", "archive_path"]
