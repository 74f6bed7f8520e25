"""Turns messages into facts, facts into what holds, and what holds into packets and summaries. Knows no plan."""

from ctxmgr.engine.memory import extract, summary
from ctxmgr.engine.memory.fold import current, fold, now_and_past, with_shared_words
from ctxmgr.engine.memory.headings import Heading, HeadingKind, heading
from ctxmgr.engine.memory.one_line import without_mark
from ctxmgr.engine.memory.packet import NOTE, SMALLEST_TOKENS, PacketText, Removed, packet_allowance, packet_budget
from ctxmgr.engine.memory.previous import carried_facts, last_number
from ctxmgr.engine.memory.repair import Mended, SummaryDraft, mended
from ctxmgr.engine.memory.scratchpad import scratchpad_in, scratchpad_section, without_scratchpad
from ctxmgr.engine.memory.sections import BRANCH_LEAD, CONTINUE_LEAD, HANDOFF_LEAD, sections_of
from ctxmgr.engine.memory.statements import Stamp
from ctxmgr.engine.memory.summary_lines import facts_of
from ctxmgr.engine.memory.wording import FENCE, key_of, plain, sentences_of, shorten

__all__ = [
    "BRANCH_LEAD",
    "CONTINUE_LEAD",
    "FENCE",
    "HANDOFF_LEAD",
    "Heading",
    "HeadingKind",
    "Mended",
    "NOTE",
    "PacketText",
    "Removed",
    "SMALLEST_TOKENS",
    "Stamp",
    "SummaryDraft",
    "carried_facts",
    "current",
    "extract",
    "facts_of",
    "fold",
    "heading",
    "key_of",
    "last_number",
    "mended",
    "now_and_past",
    "packet_allowance",
    "packet_budget",
    "plain",
    "scratchpad_in",
    "scratchpad_section",
    "sections_of",
    "sentences_of",
    "shorten",
    "summary",
    "with_shared_words",
    "without_mark",
    "without_scratchpad",
]
