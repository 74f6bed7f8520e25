"""What a list costs when the model fetches again what it no longer shows: for a replay, and for an observed
program.

Knows neither of them.
"""

from ctxmgr.closed_loop.lists import EstimatingReader, KeyedMessage, ListMessage, MessageCache
from ctxmgr.closed_loop.meter import LoopCall, LoopMeter, MeasuredCall
from ctxmgr.closed_loop.prompt_cache import (
    BilledStarts,
    Marker,
    PriceSheet,
    PromptCache,
    dollars,
    without,
)
from ctxmgr.closed_loop.references import error_codes, identifiers, paths, replaced, strings

__all__ = [
    "EstimatingReader",
    "LoopCall",
    "LoopMeter",
    "Marker",
    "MessageCache",
    "PriceSheet",
    "PromptCache",
    "BilledStarts",
    "KeyedMessage",
    "MeasuredCall",
    "ListMessage",
    "dollars",
    "error_codes",
    "identifiers",
    "paths",
    "replaced",
    "strings",
    "without",
]
