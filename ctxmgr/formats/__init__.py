"""The message formats that hosts use: one `MessageFormat` object each, in its own module.

A format and its reader are loaded on first use, so the start of the sidecar does not wait for any.
"""

from typing import TYPE_CHECKING

from ctxmgr.formats.table import AUTO, FIRST_NAMES, FORMATS, ROWS, checked_name, format_of
from ctxmgr.late import late_members

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
    __getattr__ = late_members(
        __name__,
        **{row.module: " ".join(name for name in ROWS if ROWS[name].module == row.module) for row in ROWS.values()},
        acceptance="BEGINNING Progress STRICT_MODELS refused",
        message_format="MessageFormat",
        provider_usage="billed_usage is_number_as_text unknown_usage",
        recognition="messages_of settled",
        spelling="compact is_marked mark_count same_content unmarked",
    )
