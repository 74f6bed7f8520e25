"""The message formats that hosts use: one `MessageFormat` object each, in its own module.

A format and its reader are loaded on first use, so the start of the sidecar does not wait for any.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ctxmgr.formats.table import AUTO, FIRST_NAMES, FORMATS, ROWS, checked_name, format_of

__all__ = [
    "AUTO",
    "BEGINNING",
    "billed_usage",
    "FIRST_NAMES",
    "FORMATS",
    "MessageFormat",
    "Progress",
    "ROWS",
    "STRICT_MODELS",
    "format_of",
    "is_marked",
    "is_number_as_text",
    "checked_name",
    "mark_count",
    "messages_of",
    "pi",
    "refused",
    "compact",
    "same_content",
    "settled",
    "unknown_usage",
    "unmarked",
]

if TYPE_CHECKING:
    from ctxmgr.formats.acceptance import BEGINNING, STRICT_MODELS, Progress, refused
    from ctxmgr.formats.message_format import MessageFormat
    from ctxmgr.formats.pi_messages import pi
    from ctxmgr.formats.provider_usage import billed_usage, is_number_as_text, unknown_usage
    from ctxmgr.formats.recognition import messages_of, settled
    from ctxmgr.formats.spelling import compact, is_marked, mark_count, same_content, unmarked
else:
    _MODULES = {
        **{name: row.module for name, row in ROWS.items()},
        **dict.fromkeys(("BEGINNING", "Progress", "STRICT_MODELS", "refused"), "acceptance"),
        "MessageFormat": "message_format",
        **dict.fromkeys(("billed_usage", "is_number_as_text", "unknown_usage"), "provider_usage"),
        **dict.fromkeys(("messages_of", "settled"), "recognition"),
        **dict.fromkeys(("compact", "is_marked", "mark_count", "same_content", "unmarked"), "spelling"),
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
