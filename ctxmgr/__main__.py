"""`python -P -m ctxmgr`: the same as the `ctxmgr` command.

Without -P, Python looks in the current folder first, even for `ctxmgr` itself. Later imports do not, because this
module removes it.
"""

import sys

if not sys.flags.safe_path:
    del sys.path[0]

from ctxmgr.cli import main

raise SystemExit(main())
