"""A session: its one mutable object, and the work it requests. Computes first, assigns last.

`methods` has one function per method, `context` the path of a list, `compaction` the long calls. No IO, no wire.
"""

from typing import TYPE_CHECKING

from ctxmgr.late import late
from ctxmgr.session import journal, ledger_updates
from ctxmgr.session.effective import in_use, model_spec, policy_in_force
from ctxmgr.session.journal import begun, restored
from ctxmgr.session.reading import Calibration, Reader
from ctxmgr.session.session import Embedding, SessionCore
from ctxmgr.session.work import (
    ArchiveGet,
    ArchivePut,
    ArchiveSearch,
    Await,
    Embed,
    Job,
    Offload,
    StoreFlush,
    Verb,
    Weighing,
)

if TYPE_CHECKING:
    from ctxmgr.session.telemetry import call_events, job_event
else:
    call_events = late("ctxmgr.session.telemetry:call_events")
    job_event = late("ctxmgr.session.telemetry:job_event")

__all__ = [
    "ArchiveGet",
    "ArchivePut",
    "ArchiveSearch",
    "Await",
    "Embed",
    "Embedding",
    "Job",
    "Offload",
    "Reader",
    "SessionCore",
    "StoreFlush",
    "Verb",
    "Weighing",
    "Calibration",
    "begun",
    "call_events",
    "in_use",
    "job_event",
    "journal",
    "ledger_updates",
    "model_spec",
    "policy_in_force",
    "restored",
]
