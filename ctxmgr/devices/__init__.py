"""One module or package per device: standard streams, vocabularies, snapshots, the archive, a model server. Devices
make no decisions.

The names below are loaded on first use, so a start of the sidecar waits for no device but its streams.
"""

from typing import TYPE_CHECKING

from ctxmgr.late import late_members

__all__ = [
    "ArchiveDatabase",
    "ArchiveDatabases",
    "ArchiveFault",
    "Chat",
    "HitRow",
    "LockedError",
    "NO_ADDRESS",
    "Vocabularies",
    "Weigher",
    "archive_fault",
    "archive_path",
    "at_rest",
    "default_state_dir",
    "embeddings",
    "files",
    "hits_among",
    "give_back",
    "keep_large_buffers",
    "private_file",
    "retention",
    "seize",
    "shared",
    "stdio",
    "sync_directory",
    "tokens",
]


if TYPE_CHECKING:
    from ctxmgr.devices import embeddings, files, retention, stdio, tokens
    from ctxmgr.devices.allocator import give_back, keep_large_buffers
    from ctxmgr.devices.archive import (
        ArchiveDatabase,
        ArchiveDatabases,
        ArchiveFault,
        HitRow,
        archive_fault,
        archive_path,
        at_rest,
        hits_among,
    )
    from ctxmgr.devices.endpoint import NO_ADDRESS, Chat
    from ctxmgr.devices.files import LockedError, default_state_dir, private_file, seize, shared, sync_directory
    from ctxmgr.devices.tokens import Weigher
    from ctxmgr.devices.vocabularies import Vocabularies
else:
    __getattr__ = late_members(
        __name__,
        allocator="give_back keep_large_buffers",
        archive="ArchiveDatabase ArchiveDatabases ArchiveFault HitRow "
        "archive_fault archive_path at_rest hits_among",
        embeddings="",
        endpoint="NO_ADDRESS Chat",
        files="LockedError default_state_dir files private_file seize shared sync_directory",
        retention="",
        stdio="",
        tokens="Weigher tokens",
        vocabularies="Vocabularies",
    )
