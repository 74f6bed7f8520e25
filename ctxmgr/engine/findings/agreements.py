"""Turns a proposal of the assistant and the user's short answer to it into a decision, both in their own words.

Rules:
1. Only a question of the assistant at the end of its text, or an option it listed, was proposed; only a short reply
   that says yes, no, keep or which option answers it. Anything else was another subject.
2. A proposal to go on, to look or to run something decides nothing that would have to be known later.
3. Both are quoted: what exactly was agreed to is the reader's to judge.
"""

import re

from ctxmgr.engine.findings.options import last_lines
from ctxmgr.engine.findings.questions import chosen, several_of
from ctxmgr.engine.text import one_line, sentences_of

REPLY_WORDS = 8
LEAST_PROPOSAL_WORDS = 5
PROPOSAL_CHARACTERS = 240

_ASKED = re.compile(
    r"^(?:(?:so|ok(?:ay)?|or|and|alternatively)[, ]+)*(?:should (?:i|we)|shall (?:i|we)|(?:do you )?want me to"
    r"|would you (?:like|prefer)|do you (?:want|prefer)|would it|how about|what about)\b.*\?$",
    re.IGNORECASE,
)
_ON = re.compile(
    r"\b(?:begin|start|continue|proceed|go (?:on|ahead)|move on|commit|push|run|test|check|try|look|show|explain"
    r"|see|wait"
    r"|anything else|help)\b|\b(?:want me to|should i|shall i) (?:do|fix|clean) (?:it|that|this)\b",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|no|nope|nah|alright)\b[,.!]*\s*)*"
    r"(?:|(?:please|pls|do (?:it|that|so)|go (?:ahead|for it)|sounds good|agreed|exactly|definitely|correct"
    r"|perfect|good"
    r"|(?:(?:you )?can |just |please |let'?s )*(?:leave|keep|drop|remove|skip|use|do|add)\b.*|not (?:needed"
    r"|necessary|now))[.! ]*)$",
    re.IGNORECASE,
)
_OPTION_REPLY = re.compile(
    r"^(?:(?:ok(?:ay)?|yes|yeah|let'?s)[,.]?\s+)*(?:(?:do|go with|take|use|pick)\s+)?(?:option|variant"
    r"|approach)\s+([a-e]|\d)\b",
    re.IGNORECASE,
)


def agreed(proposed: str, reply: str) -> str:
    """The decision in one line, "" where none was taken. `proposed` is the assistant's last text, `reply` the
    user's."""
    reply = one_line(reply, PROPOSAL_CHARACTERS)
    if not reply or len(reply.split()) > REPLY_WORDS or reply.endswith("?"):
        return ""
    option = _OPTION_REPLY.match(reply)
    if option:
        if several := several_of(proposed, reply):
            return f'Options ("{reply}"): {several}'
        words = chosen(proposed, reply)
        return f'Option {option[1].upper()} ("{reply}"): {words}' if words else ""
    asked = _asked(proposed) if _REPLY.match(reply) else ""
    return f'"{asked}" The user: "{reply}"' if asked else ""


def _asked(proposed: str) -> str:
    last = next((line for line in last_lines(proposed) if line.strip()), "")
    said = sentences_of(last)
    asked = one_line(said[-1], PROPOSAL_CHARACTERS) if said else ""  # what is cut ends with no question mark
    telling = _ASKED.match(asked) and not _ON.search(asked)
    return asked if telling and len(asked.split()) >= LEAST_PROPOSAL_WORDS else ""
