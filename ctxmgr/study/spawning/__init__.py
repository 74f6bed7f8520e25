"""A sidecar spawned or in process, and a conversation with it. Knows no recording and no measure."""

from ctxmgr.study.spawning import differences
from ctxmgr.study.spawning.client import Framing, RpcFailure, StdioClient, TimedOut
from ctxmgr.study.spawning.inprocess import Driver
from ctxmgr.study.spawning.inprocess_client import InProcessClient
from ctxmgr.study.spawning.spawned import Clock, Spawned, this_ctxmgr

__all__ = [
    "Clock",
    "Driver",
    "Framing",
    "InProcessClient",
    "RpcFailure",
    "Spawned",
    "StdioClient",
    "TimedOut",
    "differences",
    "this_ctxmgr",
]
