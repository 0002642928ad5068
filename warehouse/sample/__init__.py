"""Small official databases of our own: what `npuwh demo` ingests and what tests start from.

The content is simulated; wherever a device is named it is called SimNPU.
"""

from warehouse.sample.profile import write_profile

__all__ = ["write_profile"]
