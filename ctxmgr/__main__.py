"""`python -m ctxmgr`: the same as the `ctxmgr` command."""

from ctxmgr.cli import main

raise SystemExit(main())
