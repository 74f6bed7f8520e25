"""Commands for a state directory, and for the known facts of models: show, list, search, export, delete.

Requires no extra, and starts no sidecar.
"""

from ctxmgr.inspection import inspecting, models, searching, sessions

__all__ = ["inspecting", "models", "searching", "sessions"]
