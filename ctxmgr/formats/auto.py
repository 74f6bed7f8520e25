"""The format of messages that have shown no mark of any yet: they are read as chat completions.

What every format can say (a role and a text) reads alike in all, and what is put in, a user's text, fits all.
"""

from ctxmgr.formats.openai import (
    accept,
    drop,
    extra_weight,
    packet,
    set_arguments,
    set_media,
    set_result,
    set_text,
    usage,
    view,
)

__all__ = [
    "accept",
    "drop",
    "extra_weight",
    "packet",
    "set_arguments",
    "set_media",
    "set_result",
    "set_text",
    "usage",
    "view",
]
