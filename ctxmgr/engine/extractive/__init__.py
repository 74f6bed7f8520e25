"""Turns messages into a summary without a model: the packet's parts under the headings of a format."""

from ctxmgr.engine.extractive import summary
from ctxmgr.engine.extractive.previous import carried_facts
from ctxmgr.engine.extractive.summary import facts_of

__all__ = ["carried_facts", "facts_of", "summary"]
