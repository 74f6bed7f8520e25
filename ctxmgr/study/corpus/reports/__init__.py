"""What corpus runs came to: the figures of policies, how sure their differences are, and how both are shown."""

from ctxmgr.study.corpus.reports import against, pages, reporting, views

__all__ = ["against", "pages", "reporting", "views"]
