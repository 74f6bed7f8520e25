"""Commands on a state directory, and on the known facts of models: show, list, search, export, delete.

Needs no extra, and starts no sidecar.
"""

from ctxmgr.inspection import deleting, inspecting, models, searching, sessions

__all__ = ["deleting", "inspecting", "models", "searching", "sessions"]
