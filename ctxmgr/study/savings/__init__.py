"""What the sessions that agents keep on this machine cost, and would have cost under each policy. Only reads."""

from ctxmgr.study.savings import command

__all__ = ["command"]
