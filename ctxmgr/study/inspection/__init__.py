"""Commands on a state directory: what a snapshot holds, and what is listed, exported and deleted.

Needs no extra, and starts no sidecar.
"""

from ctxmgr.study.inspection import forgetting, inspecting, searching, sessions

__all__ = ["forgetting", "inspecting", "searching", "sessions"]
