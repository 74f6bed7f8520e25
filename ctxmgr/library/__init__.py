"""The public face of the library: one session in this process, without a sidecar, a loop or a file.

It turns a program's calls into what a session takes, runs what the session requests in the caller's thread, and
returns plain values. It knows neither server nor client nor device: vocabulary, files and clock belong to the
program.
"""

from ctxmgr import late
from ctxmgr.library.session import Session
from ctxmgr.model.api import with_cache_marks

late.load()

__all__ = ["Session", "with_cache_marks"]
