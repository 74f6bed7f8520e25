"""Turns messages into facts, and facts into the ledger of what holds now. Knows no packet and no list."""

from ctxmgr.engine.ledger import extract, task_ids
from ctxmgr.engine.ledger.commits import COMMITTED, PRINTED
from ctxmgr.engine.ledger.fold import current, fold, now_and_past, with_shared_words
from ctxmgr.engine.ledger.from_assistant import from_assistant
from ctxmgr.engine.ledger.from_summary import from_summary
from ctxmgr.engine.ledger.from_tools import ERROR_CHARACTERS, SHELL, essential
from ctxmgr.engine.ledger.from_user import GOAL_CHARACTERS, REQUEST_WORDS, from_user
from ctxmgr.engine.ledger.statements import Stamp, Statements
from ctxmgr.engine.ledger.values import SAID

__all__ = [
    "COMMITTED",
    "ERROR_CHARACTERS",
    "GOAL_CHARACTERS",
    "PRINTED",
    "SAID",
    "REQUEST_WORDS",
    "SHELL",
    "Stamp",
    "Statements",
    "current",
    "essential",
    "extract",
    "fold",
    "from_assistant",
    "from_summary",
    "from_user",
    "now_and_past",
    "task_ids",
    "with_shared_words",
]
