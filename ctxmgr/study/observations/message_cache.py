"""What messages of recordings are read and weighed by: pi's format, and the project's vocabulary."""

from functools import cache

from ctxmgr.devices import tokens
from ctxmgr.formats import pi
from ctxmgr.session import Reader

VOCABULARY = "o200k_base"


@cache
def weigher() -> tokens.Weigher:
    """Of the project's vocabulary; the estimate where it can not be had. Blocks for about 0.3 s, once."""
    return tokens.load(VOCABULARY).weigher


@cache
def reader() -> Reader:
    """A reader of pi's messages by that weigher."""
    return Reader(pi, weigher())
