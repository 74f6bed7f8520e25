"""One module or package per device: standard streams, vocabularies, snapshots, the archive, a model server. Devices
make no decisions.

The names below are loaded on first use, so a start of the sidecar waits for no device but its streams.
"""

from importlib import import_module
from typing import TYPE_CHECKING

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
    _MODULES = {
        "give_back": "allocator",
        "keep_large_buffers": "allocator",
        "ArchiveDatabase": "archive",
        "ArchiveFault": "archive",
        "ArchiveDatabases": "archive",
        "HitRow": "archive",
        "hits_among": "archive",
        "archive_path": "archive",
        "archive_fault": "archive",
        "at_rest": "archive",
        "default_state_dir": "files",
        "Chat": "endpoint",
        "NO_ADDRESS": "endpoint",
        "LockedError": "files",
        "seize": "files",
        "private_file": "files",
        "shared": "files",
        "sync_directory": "files",
        "Weigher": "tokens",
        "Vocabularies": "vocabularies",
    }

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name not in _MODULES:
            return import_module(f"{__name__}.{name}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
