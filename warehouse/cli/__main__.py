"""`python -m warehouse.cli`: the same as the command npuwh."""

import sys

from warehouse.cli import main

sys.exit(main())
