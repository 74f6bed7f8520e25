"""Text of people and models as text: sentences, headings, checklists, one-line forms.

Knows no fact and no packet.
"""

from ctxmgr.engine.text import checklists
from ctxmgr.engine.text.command_lines import COMMAND_CHARACTERS, coded_command, command_line, is_script
from ctxmgr.engine.text.headings import Heading, HeadingKind, heading, kind_of
from ctxmgr.engine.text.one_line import code, one_line, said, without_mark
from ctxmgr.engine.text.packet_mark import without_packet
from ctxmgr.engine.text.scratchpad import (
    SCRATCHPAD_HEADING,
    scratchpad_in,
    scratchpad_lines,
    scratchpad_section,
    without_scratchpad,
)
from ctxmgr.engine.text.sections import (
    ADDED_HEADING,
    BRANCH_LEAD,
    CONTINUE_LEAD,
    HANDOFF_LEAD,
    Kind,
    SectionItem,
    SummarySection,
    sections_of,
)
from ctxmgr.engine.text.wording import (
    FENCE,
    both_ends,
    key_of,
    last_paragraph,
    one_spaced,
    plain,
    sentences_of,
    shorten,
    words_of,
)

__all__ = [
    "ADDED_HEADING",
    "BRANCH_LEAD",
    "COMMAND_CHARACTERS",
    "CONTINUE_LEAD",
    "FENCE",
    "HANDOFF_LEAD",
    "Heading",
    "HeadingKind",
    "Kind",
    "SCRATCHPAD_HEADING",
    "SectionItem",
    "SummarySection",
    "both_ends",
    "checklists",
    "code",
    "coded_command",
    "command_line",
    "heading",
    "is_script",
    "key_of",
    "kind_of",
    "last_paragraph",
    "one_line",
    "one_spaced",
    "plain",
    "said",
    "scratchpad_in",
    "scratchpad_lines",
    "scratchpad_section",
    "sections_of",
    "sentences_of",
    "shorten",
    "without_mark",
    "without_packet",
    "without_scratchpad",
    "words_of",
]
