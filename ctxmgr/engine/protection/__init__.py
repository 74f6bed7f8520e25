"""What stays as it is, in every preset: protected tools, pins, instructions, the user's words within their share.

Knows lists and policies; no plan, no state of an epoch, no preset.
"""

from ctxmgr.engine.protection.pins import RETURNED_EPOCHS, protected_by_pins
from ctxmgr.engine.protection.protection import Protection, is_among, over_share, summaries

__all__ = ["Protection", "RETURNED_EPOCHS", "is_among", "over_share", "protected_by_pins", "summaries"]
