"""Small official databases of our own: what `npuwh demo` ingests and what tests start from.

The content is simulated; wherever a device is named it is called SimNPU.
"""

from warehouse.sample.profile import run_directory, write_profile

__all__ = ["run_directory", "write_profile"]
