"""What people run on recordings, from outside as a host would, or in process: a package each command or subject.

Nothing that serves may import it.
"""

from ctxmgr.study import plain_text, price_text

__all__ = ["plain_text", "price_text"]
