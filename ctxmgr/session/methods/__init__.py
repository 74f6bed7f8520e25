"""What each method of a session does. Knows no framing and no device."""

from ctxmgr.session.methods import archiving, queries
from ctxmgr.session.methods.table import JOBS, ROUTES

__all__ = ["JOBS", "ROUTES", "archiving", "queries"]
