"""Commands on a state directory, and on the known facts of models: show, list, search, export, delete.

Needs no extra, and starts no sidecar.
"""

from ctxmgr.inspection import inspecting, models, searching, sessions

__all__ = ["inspecting", "models", "searching", "sessions"]
