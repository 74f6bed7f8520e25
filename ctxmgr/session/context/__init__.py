"""The method `context`: a list arrives, is projected, and is returned. Knows no device."""

from ctxmgr.session.context import listing, removed
from ctxmgr.session.context.raw_messages import RawMessages

__all__ = ["RawMessages", "listing", "removed"]
