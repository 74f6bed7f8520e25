"""What messages and an earlier summary state: facts, requests, what came of them. Knows no line and no format."""

from ctxmgr.engine.extractive.collecting import carry, outcomes, work
from ctxmgr.engine.extractive.collecting.continuation import ASKED_CHARACTERS, KNOWN_CHARACTERS, take_up
from ctxmgr.engine.extractive.collecting.facts import collect, moved_or_deleted
from ctxmgr.engine.extractive.collecting.open_items import settle
from ctxmgr.engine.extractive.collecting.pieces import flat
from ctxmgr.engine.extractive.collecting.work import Stretch, WorkHistory, open_request, own_words, request_of

__all__ = [
    "ASKED_CHARACTERS",
    "KNOWN_CHARACTERS",
    "Stretch",
    "WorkHistory",
    "carry",
    "collect",
    "flat",
    "moved_or_deleted",
    "open_request",
    "outcomes",
    "own_words",
    "request_of",
    "settle",
    "take_up",
    "work",
]
