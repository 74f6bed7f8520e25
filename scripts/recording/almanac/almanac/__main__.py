"""python3 -m almanac"""

from almanac.cli import main

raise SystemExit(main())
