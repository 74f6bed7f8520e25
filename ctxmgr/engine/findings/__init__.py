"""Turns what an assistant said into what it states: what was decided, found, announced, asked, agreed to, done.

The one set of readers of an assistant's sentences, for the ledger and for summaries. Knows no fact and no line.
"""

from ctxmgr.engine.findings import sentences
from ctxmgr.engine.findings.agreements import agreed
from ctxmgr.engine.findings.failing import NOTHING, Failing, failing_now, working_again
from ctxmgr.engine.findings.options import pointed
from ctxmgr.engine.findings.questions import Asked, agreed_to, answers_anew, chosen, closing_question, says_nothing
from ctxmgr.engine.findings.reversing import reversal
from ctxmgr.engine.findings.sentences import Sentence
from ctxmgr.engine.findings.statements import announced, statements
from ctxmgr.engine.findings.superseding import standing
from ctxmgr.engine.findings.wordings import causes, chosen_of, done, is_firm, proposes, wrong

__all__ = [
    "Asked",
    "Failing",
    "NOTHING",
    "Sentence",
    "agreed",
    "agreed_to",
    "announced",
    "answers_anew",
    "causes",
    "chosen",
    "chosen_of",
    "closing_question",
    "done",
    "failing_now",
    "is_firm",
    "pointed",
    "proposes",
    "reversal",
    "says_nothing",
    "sentences",
    "standing",
    "statements",
    "working_again",
    "wrong",
]
