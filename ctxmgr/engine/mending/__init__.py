"""Turns a model's summary into one that lacks nothing that is known by structure."""

from ctxmgr.engine.mending.mend import Mended, SummaryDraft, mended

__all__ = ["Mended", "SummaryDraft", "mended"]
