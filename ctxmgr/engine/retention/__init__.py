"""What stays in a list by what it is worth: measured yields against prices.

`worth` says how long a block is worth its place, `offers` what has outlived that, `breaks` when and where changing
pays, `epoch` does it. Knows no preset, no state and no session, no word of any language and no tool's name.
"""

from ctxmgr.engine.retention.breaks import step_above
from ctxmgr.engine.retention.epoch import LEAST_PRESSED, drafted
from ctxmgr.engine.retention.inputs import WorthInputs, WorthTerms, standing
from ctxmgr.engine.retention.offers import LONG_CHARACTERS, kind_of
from ctxmgr.engine.retention.packet_writing import Room
from ctxmgr.engine.retention.reuse_table import AGES, YIELDS
from ctxmgr.engine.retention.worth import KEEP, Worth, keep_tokens, told_tokens

__all__ = [
    "AGES",
    "KEEP",
    "LEAST_PRESSED",
    "LONG_CHARACTERS",
    "Room",
    "Worth",
    "WorthInputs",
    "WorthTerms",
    "YIELDS",
    "drafted",
    "keep_tokens",
    "kind_of",
    "standing",
    "step_above",
    "told_tokens",
]
