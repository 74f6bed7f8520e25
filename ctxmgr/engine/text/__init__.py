"""Text of people and models as text: sentences, headings, checklists, one-line forms.

Knows no fact and no packet.
"""

from ctxmgr.engine.text import checklists
from ctxmgr.engine.text.command_lines import begins, coded_command, command_line, is_script, leading_command
from ctxmgr.engine.text.content_words import content_list, content_words, forbids
from ctxmgr.engine.text.exact_values import exact_values
from ctxmgr.engine.text.headings import Heading, HeadingKind, heading, kind_of
from ctxmgr.engine.text.identifiers import bare, identifiers, without
from ctxmgr.engine.text.one_line import BULLET_CHARACTERS, answered, code, one_line, quoted, sentence, without_mark
from ctxmgr.engine.text.packet_mark import without_packet
from ctxmgr.engine.text.prose import as_sent, as_written, pasted_lines, prose, without_marks
from ctxmgr.engine.text.rules_in_short import rules_in_short, rules_left
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
    NOTE,
    Kind,
    SectionItem,
    SummarySection,
    sections_of,
)
from ctxmgr.engine.text.wording import (
    FENCE,
    count_words,
    key_of,
    may_hold,
    one_spaced,
    plain,
    sentences_of,
    shorten,
    unfenced,
    words_of,
)

__all__ = [
    "is_script",
    "leading_command",
    "command_line",
    "coded_command",
    "begins",
    "ADDED_HEADING",
    "NOTE",
    "BRANCH_LEAD",
    "BULLET_CHARACTERS",
    "CONTINUE_LEAD",
    "FENCE",
    "HANDOFF_LEAD",
    "Heading",
    "HeadingKind",
    "Kind",
    "SCRATCHPAD_HEADING",
    "SectionItem",
    "SummarySection",
    "answered",
    "as_sent",
    "as_written",
    "bare",
    "checklists",
    "code",
    "content_list",
    "content_words",
    "count_words",
    "exact_values",
    "forbids",
    "heading",
    "identifiers",
    "without_packet",
    "key_of",
    "kind_of",
    "may_hold",
    "one_line",
    "quoted",
    "one_spaced",
    "pasted_lines",
    "plain",
    "prose",
    "rules_in_short",
    "rules_left",
    "scratchpad_in",
    "scratchpad_lines",
    "scratchpad_section",
    "sections_of",
    "sentence",
    "sentences_of",
    "shorten",
    "unfenced",
    "without",
    "without_mark",
    "without_marks",
    "without_scratchpad",
    "words_of",
]
