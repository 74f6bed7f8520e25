"""Plays the host's side of a JSONL script against a sidecar, and matches what comes back: `ctxmgr drive`.

A script is a transcript in which placeholders may stand for values (`script` has the format). Knows the framing and
the form of JSON-RPC messages; must not know any method of ctxmgr but `initialize`, which gets a state directory.
What needs loops or decisions is a Python program on a client, no script.
"""

from ctxmgr.study.hostscript.command import run
from ctxmgr.study.hostscript.script import FORMAT

__all__ = ["FORMAT", "run"]
