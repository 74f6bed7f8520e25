"""A sidecar, spawned or in process, and a host's calls to it. Knows no recordings and no measures."""

from ctxmgr.study.spawning.client import (
    Framing,
    RpcClient,
    RpcFailure,
    SidecarProcess,
    Spawned,
    Streams,
    TimedOut,
    this_ctxmgr,
)
from ctxmgr.study.spawning.inprocess import Driver, InProcessDriver

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
