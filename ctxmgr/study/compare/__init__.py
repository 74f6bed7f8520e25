"""The command `compare`: strategies of summarising on the same cut. Knows no sidecar: it runs the library."""

from ctxmgr.study.compare import command

__all__ = ["command"]
