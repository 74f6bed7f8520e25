"""Shorter forms of what stays in place: markers, distilled and cut texts, shortened arguments; and the originals'
handles.

Makes no decisions: callers say what to shorten.
"""

from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.rewriting.cutting import Ends, Gap, arguments_of, as_written, cut, cut_edit, text_of
from ctxmgr.engine.rewriting.marker import handles_in
from ctxmgr.engine.rewriting.rewrite import ERRORS_OVER, LAST_RESORT_LENGTH, Rewrite, Shorten, memoised, shortener

__all__ = [
    "ERRORS_OVER",
    "Ends",
    "Gap",
    "LAST_RESORT_LENGTH",
    "Rewrite",
    "Shorten",
    "arguments_of",
    "as_written",
    "cut",
    "cut_edit",
    "handles_in",
    "marker",
    "memoised",
    "shortener",
    "text_of",
]
