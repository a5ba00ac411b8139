"""`python -m build_tools`: see `build_tools.cli`."""

from build_tools.cli import main

raise SystemExit(main())
