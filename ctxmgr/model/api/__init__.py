"""The params and answers of every call, as structs: what a host sends and receives.

Knows no framing and no method table.
"""

from ctxmgr.model.api import edits, recovery, reports, since
from ctxmgr.model.api.cache_marks import with_cache_marks
from ctxmgr.model.api.edits import ListAnswer, NoList
from ctxmgr.model.api.given import GivenTools, M, converted, message_list, model_of, raw_json, raw_object, tools_of
from ctxmgr.model.api.reports import Attribute, TelemetryEvent

__all__ = [
    "Attribute",
    "TelemetryEvent",
    "GivenTools",
    "ListAnswer",
    "M",
    "NoList",
    "converted",
    "edits",
    "message_list",
    "model_of",
    "raw_json",
    "raw_object",
    "recovery",
    "reports",
    "since",
    "tools_of",
    "with_cache_marks",
]
