"""Looks at an installation and says what to do: checks of a few lines, each with findings of its own subject.

Changes nothing; what it starts (a sidecar, programs for their version) ends with it.
"""

from ctxmgr.doctor.examination import run

__all__ = ["run"]
