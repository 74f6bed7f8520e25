"""ctxmgr: a sidecar that keeps a coding agent's context window small, correct and cheap."""

__version__ = "0.1.0"
