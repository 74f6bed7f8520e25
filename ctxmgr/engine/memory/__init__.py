"""Turns messages into facts, works out which facts still hold, and writes packets and summaries from them. Knows no
plan.
"""

from ctxmgr.engine.memory import summary
from ctxmgr.engine.memory.extract import from_message, speaker
from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.memory.from_summary import carried_facts, from_summary, last_number
from ctxmgr.engine.memory.ledger import current, fold, now_and_past, with_shared_words
from ctxmgr.engine.memory.markdown import (
    BRANCH_LEAD,
    CONTINUE_LEAD,
    HANDOFF_LEAD,
    Heading,
    heading,
    sections_of,
)
from ctxmgr.engine.memory.packet import NOTE, SMALLEST_TOKENS, PacketText, Removed, packet_allowance, packet_budget
from ctxmgr.engine.memory.repair import RepairedSummary, repaired
from ctxmgr.engine.memory.scratchpad import edited_scratchpad, scratchpad_in, scratchpad_section, without_scratchpad
from ctxmgr.engine.memory.sections import TITLES, HeadingKind
from ctxmgr.engine.memory.summary import facts_of
from ctxmgr.engine.memory.user_words import texts_of, users_text
from ctxmgr.engine.memory.wording import FENCE, key_of, outside_fences, plain, sentences_of, shorten, without_mark

__all__ = [
    "speaker",
    "BRANCH_LEAD",
    "CONTINUE_LEAD",
    "FENCE",
    "HANDOFF_LEAD",
    "Heading",
    "HeadingKind",
    "NOTE",
    "PacketText",
    "Removed",
    "RepairedSummary",
    "SMALLEST_TOKENS",
    "Stamp",
    "TITLES",
    "carried_facts",
    "current",
    "edited_scratchpad",
    "facts_of",
    "fold",
    "from_message",
    "from_summary",
    "heading",
    "key_of",
    "last_number",
    "now_and_past",
    "outside_fences",
    "packet_allowance",
    "packet_budget",
    "plain",
    "repaired",
    "scratchpad_in",
    "scratchpad_section",
    "sections_of",
    "sentences_of",
    "shorten",
    "summary",
    "texts_of",
    "users_text",
    "with_shared_words",
    "without_mark",
    "without_scratchpad",
]
