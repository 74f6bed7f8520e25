"""Commands that people run on recordings, from outside as a host would, or in process: one package for each command
or subject.

Nothing that serves may import it.
"""

from ctxmgr.study import observations, price_text

__all__ = ["observations", "price_text"]
