"""python3 -m tally"""

from tally.cli import main

raise SystemExit(main())
