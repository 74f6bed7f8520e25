"""The library's face: one session in this process, without a sidecar, a loop or a file.

Turns calls of a program into what a session takes, runs what the session asks for in the caller's thread, and gives
plain values back. Knows neither server nor client nor device: a vocabulary, a file and a clock are the program's.
"""

from ctxmgr import late
from ctxmgr.library.session import Session
from ctxmgr.model.api import with_cache_marks

late.load()

__all__ = ["Session", "with_cache_marks"]
