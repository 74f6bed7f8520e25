"""Turns what an assistant said into what it states: what was agreed to, done, could be done, is wrong.

Knows no fact and no line of a summary.
"""

from ctxmgr.engine.findings import sentences
from ctxmgr.engine.findings.agreements import agreed
from ctxmgr.engine.findings.phrases import done, proposes, wrong
from ctxmgr.engine.findings.sentences import Sentence

__all__ = ["Sentence", "agreed", "done", "proposes", "sentences", "wrong"]
