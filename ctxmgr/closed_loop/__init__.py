"""What a list costs when the model fetches again what it no longer shows: of a replay, and of an observed program.

It knows neither of them.
"""

from ctxmgr.closed_loop import edits, mentions
from ctxmgr.closed_loop.edits import replaced
from ctxmgr.closed_loop.mentions import SHORTEST, error_codes, identifiers, paths
from ctxmgr.closed_loop.message_cache import MessageCache, names_in, strings
from ctxmgr.closed_loop.price_sheet import PriceSheet, dollars, is_cold

__all__ = [
    "MessageCache",
    "PriceSheet",
    "SHORTEST",
    "dollars",
    "edits",
    "error_codes",
    "identifiers",
    "is_cold",
    "mentions",
    "names_in",
    "paths",
    "replaced",
    "strings",
]
