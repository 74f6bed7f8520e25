"""How a tool's call or a model's call ended, where nothing but what came of it tells."""

from ctxmgr.formats.outcomes.derived_errors import Verdict, verdict
from ctxmgr.formats.outcomes.failures import failure

__all__ = ["Verdict", "failure", "verdict"]
