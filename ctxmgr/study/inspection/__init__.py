"""Commands on a state directory: what a snapshot holds, and what is deleted of a session.

Needs no extra, and starts no sidecar.
"""

from ctxmgr.study.inspection import forgetting, inspecting

__all__ = ["forgetting", "inspecting"]
