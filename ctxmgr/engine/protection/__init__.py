"""What stays unchanged in every preset: protected tools, pins, instructions, the user's words within their share.

Knows lists and policies, but no plan, no state of an epoch, and no preset.
"""

from ctxmgr.engine.protection.protection import (
    RETURNED_EPOCHS,
    Protection,
    UserTexts,
    is_among,
    pinned,
    protected_by_pins,
    summaries,
)

__all__ = ["Protection", "RETURNED_EPOCHS", "UserTexts", "is_among", "pinned", "protected_by_pins", "summaries"]
