"""Loads what a connection may need once `initialize` is answered: while it serves, nothing is imported.

A process that has no file descriptor left can open no module. Only what a policy names later is loaded later, an
endpoint, embeddings or a vocabulary: where that can not be, the call that wants it says so.
"""

import codecs
from importlib import import_module

from ctxmgr.formats import FORMATS
from ctxmgr.known_models import shipped
from ctxmgr.wire import openrpc

MODULES = (
    "ctypes",
    "json",
    "ctxmgr.devices.allocator",
    "ctxmgr.devices.snapshots",
    "ctxmgr.devices.weighing",
)
ARCHIVE = ("ctxmgr.devices.archive",)
CODECS = ("utf-16-be", "utf-16-le")  # a codec is a module that is imported when it is named first


def load(archives: bool) -> None:
    """`archives`: what leaves lists is kept."""
    for name in (*MODULES, *(ARCHIVE if archives else ())):
        import_module(name)
    for name in CODECS:
        codecs.lookup(name)
    dict(FORMATS)  # all of them: a list is told from those of other formats by their marks
    shipped()
    openrpc.document()
