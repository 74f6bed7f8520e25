"""The command `replay`: has recordings driven and measured, and replays transcripts. Drives and measures nothing
itself.
"""

from ctxmgr.study.replay import command
from ctxmgr.study.replay.command import HostModel, modelled

__all__ = ["HostModel", "command", "modelled"]
