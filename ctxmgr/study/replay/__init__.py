"""The command `replay`: has recordings driven and measured, and replays transcripts. Contains no driving and no
measuring.
"""

from ctxmgr.study.replay import command
from ctxmgr.study.replay.command import HostModel, modelled

__all__ = ["HostModel", "command", "modelled"]
