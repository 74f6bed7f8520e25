"""Agents that people run: one file each, where it would go by itself and how it is pointed elsewhere; how one is
started in this terminal behind a proxy.

Their own files are read and never written. What needs the extra `proxy` is loaded when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ctxmgr.programs.program import Launch, NotHookable, Program, installed
from ctxmgr.programs.table import PROGRAMS

__all__ = ["Launch", "NotHookable", "PROGRAMS", "Program", "installed", "proxying", "receipt"]

if TYPE_CHECKING:
    from ctxmgr.programs import proxying, receipt
else:

    def __getattr__(name: str) -> object:
        if name not in ("proxying", "receipt"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{name}")
