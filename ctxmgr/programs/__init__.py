"""The agents that people run, one file each: where each sends its requests by default, how to redirect it, and how
to start it in this terminal behind a proxy.

The agents' own files are read and never written. Whatever needs the extra `proxy` is loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ctxmgr.programs.program import Launch, NotHookable, Program, installed
from ctxmgr.programs.rows import PROGRAMS

__all__ = ["Launch", "NotHookable", "PROGRAMS", "Program", "installed", "proxying", "receipt"]

if TYPE_CHECKING:
    from ctxmgr.programs import proxying, receipt
else:

    def __getattr__(name: str) -> object:
        if name not in ("proxying", "receipt"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{name}")
