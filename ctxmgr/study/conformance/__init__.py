"""Plays recorded conversations against a sidecar or a host. `ctxmgr conform` plays transcripts in another process,
`ctxmgr replay` in this one; `ctxmgr drive` plays scripts, which are transcripts with placeholders (`script`).

Knows the framing and the form of JSON-RPC messages. A test that needs loops or decisions is a Python program on a
client, not a script.
"""

from ctxmgr.study.conformance.command import drive, host_side, server_side
from ctxmgr.study.conformance.golden import read
from ctxmgr.study.conformance.replaying import replay
from ctxmgr.study.conformance.script import FORMAT

__all__ = ["FORMAT", "drive", "host_side", "read", "replay", "server_side"]
