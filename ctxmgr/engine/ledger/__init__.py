"""Turns messages into facts, and facts into the ledger of what holds now. Knows no packet and no list."""

from ctxmgr.engine.ledger import extract, task_ids
from ctxmgr.engine.ledger.fold import current, fold, now_and_past, with_shared_words
from ctxmgr.engine.ledger.from_summary import from_summary
from ctxmgr.engine.ledger.from_user import users_text
from ctxmgr.engine.ledger.runs import kind_of_run
from ctxmgr.engine.ledger.statements import Stamp

__all__ = [
    "Stamp",
    "current",
    "extract",
    "fold",
    "from_summary",
    "kind_of_run",
    "now_and_past",
    "task_ids",
    "users_text",
    "with_shared_words",
]
