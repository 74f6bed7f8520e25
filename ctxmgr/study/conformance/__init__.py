"""Plays recorded conversations against a sidecar or a host: `ctxmgr conform` plays transcripts as they are, `ctxmgr
drive` scripts, which are transcripts with placeholders (`script`).

Knows the framing and the form of JSON-RPC messages, no engine and no session. What needs loops or decisions is a
Python program on a client, no script.
"""

from ctxmgr.study.conformance.command import host_side, server_side
from ctxmgr.study.conformance.drive import drive
from ctxmgr.study.conformance.script import FORMAT

__all__ = ["FORMAT", "drive", "host_side", "server_side"]
