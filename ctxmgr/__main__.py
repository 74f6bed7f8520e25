"""`python -P -m ctxmgr`: the same as the `ctxmgr` command.

Without -P Python looks into the current folder first, for `ctxmgr` itself too. What is imported from here on does
not come from there.
"""

import sys

if not sys.flags.safe_path:
    del sys.path[0]

from ctxmgr.cli import main

raise SystemExit(main())
