"""The command `conform`: both sides of the protocol, played from transcripts. Knows no engine and no session."""

from ctxmgr.study.conformance import command, stdio
from ctxmgr.study.conformance.golden import Head, head

__all__ = ["Head", "command", "head", "stdio"]
