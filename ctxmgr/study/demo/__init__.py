"""The command `demo`: replays the session that ships with it, without and with pruning, and compares."""

from ctxmgr.study.demo import command

__all__ = ["command"]
