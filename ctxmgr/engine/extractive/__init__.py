"""Turns messages into a summary without a model: the packet's parts under the headings of a format."""

from ctxmgr.engine.extractive import summary
from ctxmgr.engine.extractive.lines import facts_of
from ctxmgr.engine.extractive.previous import carried_facts, last_number

__all__ = ["carried_facts", "facts_of", "last_number", "summary"]
