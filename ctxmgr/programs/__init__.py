"""The agents that people run, one file each: where each sends its requests by default, how to redirect it, and how
to start it in this terminal behind a proxy.

The agents' own files are read and never written. Whatever needs the extra `proxy` is loaded on first use.
"""

from typing import TYPE_CHECKING

from ctxmgr.late import late_members
from ctxmgr.programs.program import Launch, NotHookable, Program, installed
from ctxmgr.programs.rows import PROGRAMS

__all__ = ["Launch", "NotHookable", "PROGRAMS", "Program", "installed", "proxying", "receipt"]

if TYPE_CHECKING:
    from ctxmgr.programs import proxying, receipt
else:
    __getattr__ = late_members(__name__, proxying="", receipt="")
