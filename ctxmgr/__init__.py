"""ctxmgr: keeps a coding agent's context window small, correct and cheap.

It runs beside an agent as a sidecar (`ctxmgr serve`) with a `Client`, or inside the agent as a `Session`. The names
here are loaded at first use, so that they do not delay a start of the sidecar.
"""

from typing import TYPE_CHECKING

__version__ = "0.3.0"

__all__ = ["AsyncClient", "Client", "Model", "Policy", "Session", "__version__"]

if TYPE_CHECKING:
    from ctxmgr.client import AsyncClient, Client
    from ctxmgr.library import Session
    from ctxmgr.model import Policy
    from ctxmgr.model.api.lifecycle import Model
else:
    _FACES = {
        "AsyncClient": "ctxmgr.client",
        "Client": "ctxmgr.client",
        "Model": "ctxmgr.model.api.lifecycle",
        "Policy": "ctxmgr.model",
        "Session": "ctxmgr.library",
    }

    def __getattr__(name: str) -> object:
        import importlib

        if name not in _FACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        member = globals()[name] = getattr(importlib.import_module(_FACES[name]), name)
        return member

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
