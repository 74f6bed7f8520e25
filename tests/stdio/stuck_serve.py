"""A ctxmgr in which a long list is never done: for tests of what ends all the same. It says so once."""

import os
import sys
import threading
from typing import Any

from ctxmgr import cli
from ctxmgr.session.context import listing

_attempt = listing.attempt


def attempt(*given: Any, may_take_long: bool) -> Any:
    if may_take_long:
        os.write(2, b"stuck\n")
        threading.Event().wait()
    return _attempt(*given, may_take_long=may_take_long)


if __name__ == "__main__":
    listing.attempt = attempt
    sys.exit(cli.main())
