"""The command `compare`: several summary strategies on the same cut. Runs the library directly, without a
sidecar.
"""

from ctxmgr.study.compare import command

__all__ = ["command"]
