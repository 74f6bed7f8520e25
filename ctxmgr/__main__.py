"""`python -P -m ctxmgr`: the same as the `ctxmgr` command.

Without -P, Python looks in the current folder first, even for `ctxmgr` itself. This module removes it for later imports.
"""

import sys

if not sys.flags.safe_path:
    del sys.path[0]

from ctxmgr.cli import main

raise SystemExit(main())
