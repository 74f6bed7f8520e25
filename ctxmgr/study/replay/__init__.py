"""The command `replay`: has recordings driven and measured, and replays transcripts. Drives and measures nothing
itself.
"""

from ctxmgr.study.replay import command

__all__ = ["command"]
