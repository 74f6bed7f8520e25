"""The Python client: one interface to a sidecar, spawned or in this process.

It turns lifecycle events into calls, and answers into the list to send. Without an answer the model call still
goes out. It knows the protocol and, if the sidecar runs in this process, the server's runtime, which is loaded at
first use. It never knows the engine, a session or a device.
"""

from ctxmgr.client.blocking import Client, ClientSession
from ctxmgr.client.client import AsyncClient
from ctxmgr.client.host import Host, InProcessSidecar, RestartLimits, SpawnedSidecar, Timing, bound_ms
from ctxmgr.client.session import AsyncClientSession, ContextOutcome
from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model.api import with_cache_marks

__all__ = [
    "AsyncClient",
    "AsyncClientSession",
    "Client",
    "ClientSession",
    "ContextOutcome",
    "Host",
    "InProcessSidecar",
    "RestartLimits",
    "SidecarFault",
    "SpawnedSidecar",
    "Timing",
    "bound_ms",
    "with_cache_marks",
]
