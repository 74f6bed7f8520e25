"""What a list costs when the model fetches again what it no longer shows: of a replay, and of an observed program.

It knows neither of them.
"""

from ctxmgr.closed_loop.edits import replaced
from ctxmgr.closed_loop.lists import KeyedMessage, ListMessage
from ctxmgr.closed_loop.mentions import SHORTEST, error_codes, identifiers, paths
from ctxmgr.closed_loop.message_cache import EstimatingReader, MessageCache, strings
from ctxmgr.closed_loop.meter import CALL_TOKENS, LoopCall, LoopMeter, MeasuredCall
from ctxmgr.closed_loop.originals import Holders, Originals
from ctxmgr.closed_loop.price_sheet import PriceSheet, dollars, input_dollars, is_cold, without
from ctxmgr.closed_loop.prompt_cache import BilledStarts, Marker, PromptCache
from ctxmgr.closed_loop.references import EarlierCalls, Reference

__all__ = [
    "CALL_TOKENS",
    "EarlierCalls",
    "EstimatingReader",
    "Holders",
    "LoopCall",
    "LoopMeter",
    "Marker",
    "MessageCache",
    "Originals",
    "PriceSheet",
    "PromptCache",
    "Reference",
    "BilledStarts",
    "SHORTEST",
    "KeyedMessage",
    "MeasuredCall",
    "ListMessage",
    "dollars",
    "error_codes",
    "identifiers",
    "input_dollars",
    "is_cold",
    "paths",
    "replaced",
    "strings",
    "without",
]
