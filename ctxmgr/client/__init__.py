"""The client: a sidecar spawned or in this process behind one interface, for programs in Python.

Turns lifecycle events into calls, and answers into the list to send; without an answer the model call goes out all
the same. Knows the protocol and, where the sidecar runs in this process, the server's runtime, loaded when it is
asked for; never the engine, a session or a device.
"""

from ctxmgr.client.blocking import Client, ClientSession
from ctxmgr.client.client import AsyncClient
from ctxmgr.client.session import AsyncClientSession, ContextOutcome
from ctxmgr.client.settings import Host, InProcessSidecar, RestartLimits, SpawnedSidecar, Timing, bound_ms
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
