from greenhouse.cli import main

raise SystemExit(main())
