"""What came of carrying out an effect, as a value: the one place where an exception becomes one.

A device may raise anything: descriptors are used up, a name can not be encoded, memory is out, an import fails.
Whoever waits for the effect gets the exception in the place of its value, so nobody waits for ever.
"""

from collections.abc import Callable
from typing import Any


class Unforeseen(Exception):
    """Stands for what is no `Exception`, such as a panic of a binary module; its text is the name of that."""


def outcome(work: Callable[[], Any]) -> Any:
    """What `work` gives, or the exception it raised. Only the end of the program goes through."""
    try:
        return work()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # noqa: BLE001  whoever waits hears of it
        return fault if isinstance(fault, Exception) else Unforeseen(type(fault).__name__)
