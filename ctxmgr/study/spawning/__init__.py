"""A sidecar spawned or in process, and a host's calls to it. Knows no recording and no measure."""

from ctxmgr.study.spawning.client import Framing, RpcClient, RpcFailure, SidecarProcess
from ctxmgr.study.spawning.inprocess import Driver, InProcessDriver
from ctxmgr.study.spawning.streams import Spawned, Streams, TimedOut, this_ctxmgr

__all__ = [
    "Driver",
    "Framing",
    "InProcessDriver",
    "RpcClient",
    "RpcFailure",
    "SidecarProcess",
    "Spawned",
    "Streams",
    "TimedOut",
    "this_ctxmgr",
]
